// `crayon dataset plan`.

import { planDataset, type PlanOptions } from '../../dataset/index.js';
import { write } from '../output/standard-streams.js';
import { exitCodeOf } from './failures.js';
import { inBytes } from '../output/fields.js';

export function plan(inputs: readonly string[], options: PlanOptions, json: boolean): Promise<number> {
  return exitCodeOf(async () => {
    const manifest = await planDataset(inputs, options);
    const { output } = options;
    const { tasks, format, dtype, tokenizer, endOfDocument } = manifest;
    const bytes = manifest.inputs.reduce((sum, { size }) => sum + size, 0);
    if (json) {
      const about = { output, files: manifest.inputs.length, bytes, tasks: tasks.length, format, dtype, tokenizer: tokenizer.name };
      await write(`${JSON.stringify(about)}\n`);
      return;
    }
    const files = manifest.inputs.length === 1 ? '1 file' : `${manifest.inputs.length} files`;
    const separator = endOfDocument.id === null ? 'nothing' : `id ${endOfDocument.id}`;
    await write(
      `${files}, ${inBytes(bytes)}, ${tasks.length === 1 ? '1 task' : `${tasks.length} tasks`}: ${format}, ${dtype} of ` +
        `${tokenizer.name}, ${separator} between documents\nnow run it: crayon dataset run ${output} --all\n`,
    );
  });
}
