// `datasetStatus`: what is done, what is not, and what the documents are like.

import { atCaller, unexpected } from '../base/errors.js';
import { checkedBytes } from './checked-bytes.js';
import type { FileContent } from './durable-files.js';
import { type DamagedRecord, noAmounts, type Receipt, receiptsOf, shardPath, type SourceAmounts, sumOf, sumsOf } from './receipts.js';
import { readManifest } from './manifest.js';

/**
 * What has become of a dataset's tasks, and statistics of the documents in finished shards.
 *
 * @example
 * ```ts
 * import { type DatasetStatus, datasetStatus, planDataset, runDataset } from 'crayon-tokenizer/dataset';
 *
 * await planDataset(['hello.txt'], { output: 'planned', format: 'npy' });
 * await runDataset('planned');
 * const status: DatasetStatus = await datasetStatus('planned');
 * status.waiting; // []
 * ```
 */
export interface DatasetStatus {
  tasks: number;
  /** Numbers of tasks with all their shards; with some; with none. */
  done: number[];
  begun: number[];
  waiting: number[];
  shards: number;
  documents: number;
  /** Documents without text, which are left out. */
  empty: number;
  tokens: number;
  /** Of text. */
  bytes: number;
  /** Records that were left out: how many, and the first thousand of each shard. */
  damagedCount: number;
  damaged: DamagedRecord[];
  /** For each argument that named inputs. */
  sources: (SourceAmounts & { name: string })[];
  /** How many documents have fewer than 2^i tokens and at least half of that. */
  lengths: number[];
  /** Documents that are equal to another one before them; undefined unless the plan counts them. */
  duplicates: number | undefined;
}

/**
 * Reads the receipts of all tasks. Costs a small file for each shard, and 8 bytes for each document if duplicates are counted.
 *
 * @example
 * ```ts
 * import { datasetStatus, planDataset, runDataset } from 'crayon-tokenizer/dataset';
 *
 * await planDataset(['hello.txt'], { output: 'planned', format: 'npy' });
 * await runDataset('planned');
 * const { done, tokens } = await datasetStatus('planned');
 * done; // [0]
 * tokens; // 3
 * ```
 */
export async function datasetStatus(folder: string): Promise<DatasetStatus> {
  atCaller(datasetStatus, () => {
    if (typeof folder !== 'string' || folder === '') throw unexpected('a path', 'folder', folder);
  });
  const manifest = await readManifest(folder);
  const status = { done: [] as number[], begun: [] as number[], waiting: [] as number[] };
  const receipts: Receipt[] = [];
  for (let task = 0; task < manifest.tasks.length; task++) {
    const { receipts: whole, missing } = await receiptsOf(manifest, folder, task);
    status[missing === undefined ? 'done' : whole.length > 0 ? 'begun' : 'waiting'].push(task);
    for (const receipt of whole) receipts.push(receipt);
  }
  const { sources, damaged: damagedCount, ...sums } = sumsOf(receipts);
  return {
    tasks: manifest.tasks.length,
    ...status,
    shards: receipts.length,
    ...sums,
    empty: sumOf(receipts, 'empty'),
    damagedCount,
    damaged: receipts.flatMap(({ damaged }) => damaged),
    sources: manifest.sources.map((name, index) => ({ name, ...(sources[index] ?? noAmounts()) })),
    lengths: lengthsOf(receipts),
    duplicates: manifest.countsDuplicates ? await duplicatesOf(folder, receipts) : undefined,
  };
}

/** Up to the longest. */
function lengthsOf(receipts: readonly Receipt[]): number[] {
  const sums: number[] = [];
  for (const { lengths } of receipts) lengths.forEach((count, power) => (sums[power] = (sums[power] ?? 0) + count));
  return sums.slice(0, sums.findLastIndex((count) => count > 0) + 1);
}

/** Hashes to sort at a time, of 8 bytes. */
const MOST = 8 * 1024 * 1024;

async function duplicatesOf(folder: string, receipts: readonly Receipt[]): Promise<number> {
  const passes = Math.max(1, Math.ceil(sumOf(receipts, 'documents') / MOST));
  let duplicates = 0;
  for (let pass = 0; pass < passes; pass++) duplicates += await duplicatesIn(folder, receipts, pass, passes);
  return duplicates;
}

/** Of the hashes whose first word has this rest. */
async function duplicatesIn(folder: string, receipts: readonly Receipt[], pass: number, passes: number): Promise<number> {
  let hashes = new BigUint64Array(1024);
  let count = 0;
  for (const { task, shard, files } of receipts) {
    for await (const bytes of checkedBytes(shardPath(folder, task, shard, 'hashes'), files.hashes as FileContent)) {
      for (let at = 0; at < bytes.length; at += 8) {
        if (bytes.readUInt32LE(at) % passes !== pass) continue;
        if (count === hashes.length) hashes = grown(hashes);
        hashes[count++] = bytes.readBigUInt64LE(at);
      }
    }
  }
  const sorted = hashes.subarray(0, count).sort();
  let duplicates = 0;
  for (let at = 1; at < count; at++) if (sorted[at] === sorted[at - 1]) duplicates++;
  return duplicates;
}

function grown(values: BigUint64Array): BigUint64Array<ArrayBuffer> {
  const larger = new BigUint64Array(2 * values.length);
  larger.set(values);
  return larger;
}
