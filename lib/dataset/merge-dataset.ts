// `mergeDataset`: the files that training programs read.

import { checkOptionNames, optionNames } from '../base/options.js';
import { atCaller, unexpected } from '../base/errors.js';
import { type MergedDataset, merge } from './merge.js';

/**
 * Options of `mergeDataset`.
 *
 * @example
 * ```ts
 * import { mergeDataset, type MergeOptions, planDataset, runDataset } from 'crayon-tokenizer/dataset';
 *
 * await planDataset(['hello.txt'], { output: 'planned', format: 'npy' });
 * await runDataset('planned');
 * const options: MergeOptions = { signal: AbortSignal.timeout(60_000) };
 * (await mergeDataset('planned', options)).tokens; // 3
 * ```
 */
export interface MergeOptions {
  signal?: AbortSignal | undefined;
  /** Gets the bytes of ids that have been copied so far, and how many there are. */
  onProgress?: ((bytes: number, total: number) => void) | undefined;
}

const NAMES = optionNames<MergeOptions>({ signal: true, onProgress: true });

/**
 * Writes the files of the format, in the order of the inputs, from the shards of all tasks, which it checks on the way. Files have
 * their names when all of them are whole. Throws a `DatasetError` if a task is not done (`INCOMPLETE`) or a shard is not what was
 * written (`DAMAGED_SHARD`). Memory does not grow with the dataset.
 *
 * @example
 * ```ts
 * import { mergeDataset, planDataset, runDataset } from 'crayon-tokenizer/dataset';
 *
 * await planDataset(['hello.txt'], { output: 'for-megatron', format: 'megatron' });
 * await runDataset('for-megatron');
 * const { files } = await mergeDataset('for-megatron');
 * files.map(({ name, bytes }) => [name, bytes]); // [['data.bin', 12], ['data.idx', 62]]
 * ```
 */
export async function mergeDataset(folder: string, options: MergeOptions = {}): Promise<MergedDataset> {
  atCaller(mergeDataset, () => {
    if (typeof folder !== 'string' || folder === '') throw unexpected('a path', 'folder', folder);
    checkOptionNames(options, NAMES);
  });
  const { signal, onProgress } = options;
  signal?.throwIfAborted();
  return merge(folder, signal, (bytes, total) => onProgress?.(bytes, total));
}
