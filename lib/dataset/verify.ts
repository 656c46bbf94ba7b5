// `verifyDataset`: whether shards and merged files are what was written, and whether that is what the plan says.

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { fromCaller, outOfRange, unexpected } from '../base/errors.js';
import { checkOptionNames, optionNames } from '../base/options.js';
import type { Tokenizer } from '../index.js';
import { threadCount } from '../native/thread-count.js';
import { checkedBytes, matchingBytes, ReadMemory } from './checked-bytes.js';
import { DatasetError, failureOfFile } from './dataset-error.js';
import { type DatasetManifest, type DatasetTask, readManifest } from './manifest.js';
import { allReceipts, type MergedDataset, mergedPath } from './merge.js';
import { type Receipt, type ShardFile, type ShardPart, shardPath } from './receipts.js';
import { encodedShard } from './run-task.js';
import { newHashThread, type Sha256, sha256Here } from './threads/hash-thread.js';
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

/** Bytes that are worth threads to hash them, and the most of these. */
const WORTH_THREADS = 128 * 1024 * 1024;
const MOST_THREADS = 8;

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
  const files = [
    ...receipts.flatMap(({ task, shard, files: parts }) =>
      Object.entries(parts).map(([part, file]) => ({
        path: shardPath(folder, task, shard, part as ShardPart),
        file,
        bytesOf: checkedBytes,
      })),
    ),
    ...(merged?.files ?? []).map((file) => ({ path: join(folder, file.name), file, bytesOf: mergedBytes })),
  ];
  const total = files.reduce((sum, { file }) => sum + file.bytes, 0);
  let done = 0;
  const read = (bytes: number) => {
    signal?.throwIfAborted();
    done += bytes;
    onProgress?.(done, total);
  };
  await inOrder(files, total < WORTH_THREADS ? 1 : Math.min(threadCount(), MOST_THREADS), async ({ path, file, bytesOf }, memory, hash) => {
    for await (const { length } of bytesOf(path, file, memory, hash)) read(length);
  });
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

async function* mergedBytes(path: string, file: ShardFile, memory: ReadMemory, hash: Sha256): AsyncGenerator<Buffer, void, undefined> {
  if (yield* matchingBytes(path, file, memory, hash)) return;
  throw new DatasetError(`${path} is damaged: merge again (crayon dataset merge)`, { code: 'DAMAGED_SHARD', file: path });
}

/**
 * Reads so many files at once, each with memory of its own and a hash that a thread of its own takes. If some fail, the rest are left, and it
 * rejects with the reason of the first in order.
 */
async function inOrder<File>(
  files: readonly File[],
  count: number,
  read: (file: File, memory: ReadMemory, hash: Sha256) => Promise<void>,
): Promise<void> {
  let next = 0;
  const failures: { at: number; reason: unknown }[] = [];
  const readSome = async () => {
    await using thread = count > 1 ? newHashThread() : undefined;
    const memory = new ReadMemory();
    while (next < files.length && failures.length === 0) {
      const at = next++;
      try {
        await read(files[at] as File, memory, thread?.begin() ?? sha256Here());
      } catch (reason) {
        failures.push({ at, reason });
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(count, files.length) }, readSome));
  const [first] = failures.sort((one, other) => one.at - other.at);
  if (first) throw first.reason;
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
