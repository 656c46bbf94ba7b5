// `verifyDataset`: whether shards and merged files are what was written, and whether that is what the plan says.

import { createHash } from 'node:crypto';
import { join } from 'node:path';

import { atCaller, outOfRange, unexpected } from '../base/errors.js';
import { checkOptionNames, optionNames } from '../base/option-objects.js';
import type { Tokenizer } from '../index.js';
import { threadCount } from '../hosts/addon/thread-count.js';
import { checkedBytes, type ReadMemory, readMemory } from './checked-bytes.js';
import { type DatasetManifest, readManifest } from './manifest.js';
import { allReceipts, damagedMerged, mergedFiles } from './merge-dataset.js';
import { damagedShard, filesOf, type Receipt, type ShardPart, shardPath, type TaskPosition } from './receipts.js';
import { encodedShard } from './run-task.js';
import { newHashThread, type Sha256, sha256Here } from './hash-thread.js';
import { plannedTokenizer } from './planned-tokenizer.js';
import { bytesOf } from './formats.js';

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
  atCaller(verifyDataset, () => {
    if (typeof folder !== 'string' || folder === '') throw unexpected('a path', 'folder', folder);
    checkOptionNames(options, NAMES);
    const { deep = 0 } = options;
    if (!Number.isSafeInteger(deep) || deep < 0) throw outOfRange('an integer of 0 or more', 'deep', deep);
  });
  const { deep = 0, signal, onProgress } = options;
  const manifest = await readManifest(folder);
  const receipts = await allReceipts(folder, manifest);
  const merged = await mergedFiles(folder, manifest, receipts);
  const files = [
    ...receipts.flatMap((receipt) => {
      const { task, shard } = receipt;
      return filesOf(receipt).map(([part, file]) => ({ path: shardPath(folder, task, shard, part), file, damaged: damagedShard }));
    }),
    ...merged.map((file) => ({ path: join(folder, file.name), file, damaged: damagedMerged })),
  ];
  const total = files.reduce((sum, { file }) => sum + file.bytes, 0);
  let done = 0;
  const read = (bytes: number) => {
    signal?.throwIfAborted();
    done += bytes;
    onProgress?.(done, total);
  };
  await inOrder(files, total < WORTH_THREADS ? 1 : Math.min(threadCount(), MOST_THREADS), async ({ path, file, damaged }, memory, hash) => {
    for await (const { length } of checkedBytes(path, file, memory, hash, damaged)) read(length);
  });
  const samples = evenly(receipts, deep);
  if (samples.length > 0) {
    using tokenizer = await plannedTokenizer(manifest, undefined);
    for (const receipt of samples) await encodeAgain(folder, manifest, receipt, tokenizer, signal);
  }
  return { shards: receipts.length, encoded: samples.length, files: merged.length };
}

/**
 * Reads `count` files at once, each with its own memory and hashing thread. After a failure no further file is begun, and it rejects
 * with the reason of the first file in order that failed.
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
    const memory = readMemory();
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

function evenly<Element>(all: readonly Element[], count: number): Element[] {
  const few = Math.min(count, all.length);
  return Array.from({ length: few }, (_, index) => all[Math.floor(((index + 0.5) * all.length) / few)] as Element);
}

/** Encodes a shard again, and compares what it has, and where it ends. */
async function encodeAgain(
  folder: string,
  manifest: DatasetManifest,
  receipt: Receipt,
  tokenizer: Tokenizer,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { task, shard, files, next } = receipt;
  const [ids, lengths] = [createHash('sha256'), createHash('sha256')];
  let end: TaskPosition | undefined;
  for await (const { rows, end: position } of encodedShard(manifest, receipt, tokenizer, signal)) {
    ids.update(rows.ids);
    lengths.update(bytesOf(rows.lengths));
    end = position;
  }
  const damaged = (part: ShardPart, why: string) => damagedShard(shardPath(folder, task, shard, part), why);
  if (ids.digest('hex') !== files.ids.sha256) throw damaged('ids', 'it does not have the ids of its documents');
  if (lengths.digest('hex') !== files.lengths.sha256) throw damaged('lengths', 'it does not have the lengths of its documents');
  if (end?.range !== next.range || end.position !== next.position) throw damaged('json', 'its documents do not end at its next');
}
