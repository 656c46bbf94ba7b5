// `crayon dataset merge`.

import { mergeDataset } from '../../dataset/index.js';
import { untilInterrupted } from '../interrupt.js';
import { LateProgress } from '../output/progress.js';
import { write } from '../output/standard-streams.js';
import { inBytes, inThousands } from '../output/fields.js';
import { exitCodeOf } from './failures.js';

export function merge(folder: string, { json, progress }: { json: boolean; progress: boolean }): Promise<number> {
  return exitCodeOf(() =>
    untilInterrupted(async (signal) => {
      const bar = new LateProgress(progress && !json);
      try {
        const merged = await mergeDataset(folder, { signal, onProgress: (done, total) => bar.at(done, total) });
        bar.end();
        if (json) await write(`${JSON.stringify(merged)}\n`);
        else {
          const files = merged.files.map(({ name, bytes }) => `${folder}/${name}  ${inBytes(bytes)}\n`).join('');
          await write(`${files}${inThousands(merged.documents)} documents, ${inThousands(merged.tokens)} tokens\n`);
        }
      } finally {
        bar.end();
      }
    }),
  );
}
