// `crayon dataset verify`.

import { verifyDataset } from '../../dataset/index.js';
import { untilInterrupted } from '../interrupt.js';
import { LateProgress } from '../output/progress.js';
import { write } from '../output/standard-streams.js';
import { exitCodeOf } from './failures.js';

interface VerifyGiven {
  deep: number | undefined;
  json: boolean;
  progress: boolean;
}

export function verify(folder: string, { deep, json, progress }: VerifyGiven): Promise<number> {
  return exitCodeOf(() =>
    untilInterrupted(async (signal) => {
      const bar = new LateProgress(progress && !json);
      try {
        const verified = await verifyDataset(folder, { deep, signal, onProgress: (done, total) => bar.at(done, total) });
        bar.end();
        const { shards, encoded, files } = verified;
        const again = encoded > 0 ? `, ${encoded} encoded again` : '';
        await write(
          json
            ? `${JSON.stringify(verified)}\n`
            : `${shards === 1 ? '1 shard' : `${shards} shards`}${again}, ${files === 1 ? '1 merged file' : `${files} merged files`}: all as they were written\n`,
        );
      } finally {
        bar.end();
      }
    }),
  );
}
