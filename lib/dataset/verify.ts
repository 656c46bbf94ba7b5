// `verifyDataset`: whether shards and merged files are what was written, and whether that is what the plan says.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

import { fromCaller, outOfRange, unexpected } from '../base/errors.js';
import { checkOptionNames, optionNames } from '../base/options.js';
import type { Tokenizer } from '../index.js';
import { DatasetError, failureOfFile } from './dataset-error.js';
import { type DatasetManifest, type DatasetTask, readManifest } from './manifest.js';
import { allReceipts, checkedBytes, type MergedDataset, mergedPath } from './merge.js';
import { type Receipt, type ShardPart, shardPath } from './receipts.js';
import { encodedShard } from './run-task.js';
import { plannedTokenizer } from './vocabulary.js';

/**
 * Options of `verifyDataset`.
 *
 * @example
 * ```ts
 * import { planDataset, runDataset, verifyDataset, type VerifyOptions } from 'crayon-tokenizer/dataset';
 *
 * await planDataset(['hello.txt'], { output: 'planned', format: 'npy' });
 * await runDataset('planned');
 * const options: VerifyOptions = { deep: 1 };
 * (await verifyDataset('planned', options)).encoded; // 1
 * ```
 */
export interface VerifyOptions {
  /** Also encodes this many shards again, evenly spread. Default: none. */
  deep?: number | undefined;
  signal?: AbortSignal | undefined;
  /** Gets the bytes that have been read so far, and how many there are. */
  onProgress?: ((done: number, total: number) => void) | undefined;
}

/**
 * What `verifyDataset` has found to be right.
 *
 * @example
 * ```ts
 * import { planDataset, runDataset, type VerifiedDataset, verifyDataset } from 'crayon-tokenizer/dataset';
 *
 * await planDataset(['hello.txt'], { output: 'planned', format: 'npy' });
 * await runDataset('planned');
 * const { shards }: VerifiedDataset = await verifyDataset('planned');
 * shards; // 1
 * ```
 */
export interface VerifiedDataset {
  shards: number;
  /** Shards whose documents were encoded again. */
  encoded: number;
  /** Merged files. */
  files: number;
}

const NAMES = optionNames<VerifyOptions>({ deep: true, signal: true, onProgress: true });

/**
 * Reads everything that was written, and compares it with its receipts. Throws a `DatasetError` that names the first file that is
 * not what it was (`DAMAGED_SHARD`), or the tasks that are not done (`INCOMPLETE`).
 *
 * @example
 * ```ts
 * import { mergeDataset, planDataset, runDataset, verifyDataset } from 'crayon-tokenizer/dataset';
 *
 * await planDataset(['hello.txt'], { output: 'verified', format: 'npy' });
 * await runDataset('verified');
 * await mergeDataset('verified');
 * await verifyDataset('verified', { deep: 1 }); // { shards: 1, encoded: 1, files: 2 }
 * ```
 */
export async function verifyDataset(folder: string, options: VerifyOptions = {}): Promise<VerifiedDataset> {
  try {
    if (typeof folder !== 'string' || folder === '') throw unexpected('a path', 'folder', folder);
    checkOptionNames(options, NAMES);
    const { deep = 0 } = options;
    if (!Number.isSafeInteger(deep) || deep < 0) throw outOfRange('an integer of 0 or more', 'deep', deep);
  } catch (error) {
    throw fromCaller(error, verifyDataset);
  }
  const { deep = 0, signal, onProgress } = options;
  const manifest = await readManifest(folder);
  const receipts = await allReceipts(folder, manifest);
  const merged = await mergedIn(folder);
  const parts = receipts.flatMap((receipt) =>
    Object.entries(receipt.files).map(([part, file]) => ({ receipt, part: part as ShardPart, file })),
  );
  const total = [...parts.map(({ file }) => file), ...(merged?.files ?? [])].reduce((sum, { bytes }) => sum + bytes, 0);
  let done = 0;
  const read = (bytes: number) => {
    signal?.throwIfAborted();
    done += bytes;
    onProgress?.(done, total);
  };
  for (const { receipt, part, file } of parts) {
    for await (const { length } of checkedBytes(shardPath(folder, receipt.task, receipt.shard, part), file)) read(length);
  }
  for (const file of merged?.files ?? []) await checkMerged(join(folder, file.name), file, read);
  const samples = evenly(receipts, deep);
  if (samples.length > 0) {
    using tokenizer = await plannedTokenizer(manifest, undefined);
    for (const receipt of samples) await encodeAgain(manifest, receipt, tokenizer, signal);
  }
  return { shards: receipts.length, encoded: samples.length, files: merged?.files.length ?? 0 };
}

async function mergedIn(folder: string): Promise<MergedDataset | undefined> {
  try {
    return JSON.parse(await readFile(mergedPath(folder), 'utf8')) as MergedDataset;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw failureOfFile(error, 'read', mergedPath(folder));
  }
}

async function checkMerged(
  path: string,
  { bytes, sha256 }: { bytes: number; sha256: string },
  read: (bytes: number) => void,
): Promise<void> {
  const hash = createHash('sha256');
  try {
    if ((await stat(path)).size === bytes) {
      for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 }) as AsyncIterable<Buffer>) {
        hash.update(chunk);
        read(chunk.length);
      }
    }
  } catch (error) {
    throw failureOfFile(error, 'read', path);
  }
  if (hash.digest('hex') === sha256) return;
  throw new DatasetError(`${path} is damaged: merge again (crayon dataset merge)`, { code: 'DAMAGED_SHARD', file: path });
}

/** So many elements, evenly spread. */
function evenly<Element>(all: readonly Element[], count: number): Element[] {
  const few = Math.min(count, all.length);
  return Array.from({ length: few }, (_, index) => all[Math.floor(((index + 0.5) * all.length) / few)] as Element);
}

async function encodeAgain(
  manifest: DatasetManifest,
  receipt: Receipt,
  tokenizer: Tokenizer,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { task, shard, files } = receipt;
  const ids = createHash('sha256');
  const work = manifest.tasks[task] as DatasetTask;
  for await (const bytes of encodedShard(manifest, work, receipt, tokenizer, signal)) ids.update(bytes);
  if (ids.digest('hex') === files.ids.sha256) return;
  const message = `shard ${shard} of task ${task} does not have the ids of its documents: remove its files, and run the task again`;
  throw new DatasetError(message, { code: 'DAMAGED_SHARD' });
}
