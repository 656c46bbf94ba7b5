// What a task has finished: a receipt for each of its shards, written last. What is read back is compared with the plan, with the
// receipt before it and with itself, as far as one follows from the other.

import { stat } from 'node:fs/promises';
import { join } from 'node:path';

import type { DatasetError } from './dataset-error.js';
import { attempt, type FileContent, unlessMissing } from './durable-files.js';
import { widthOf } from './formats.js';
import type { DatasetManifest, DatasetTask } from './manifest.js';
import {
  byIndex,
  damagedFile,
  type FileKind,
  integer,
  list,
  object,
  optional,
  orNull,
  readSealed,
  type Sealed,
  sha256,
  string,
  text,
} from './sealed-files.js';

/** Damaged records to name, of a batch and of a shard: a file that is not what somebody thought has millions. */
export const NAMED = 1000;

/** Where a task goes on: a range, and a position in its input. Behind the last range, the position is 0. */
export interface TaskPosition {
  range: number;
  position: number;
}

/** What is known of a shard that is whole: documents of a task, in order. */
export interface ShardContent {
  plan: string;
  task: number;
  shard: number;
  /** Where its documents begin. */
  from: TaskPosition;
  /** Where the documents of the next shard begin; behind the last range if this is the last shard of the task. */
  next: TaskPosition;
  documents: number;
  /** Documents without text, which are left out. */
  empty: number;
  tokens: number;
  /** Of text. */
  bytes: number;
  /** The ids; for each document how many; and hashes of documents, if duplicates are counted. */
  files: { ids: FileContent; lengths: FileContent; hashes?: FileContent | undefined };
  /** Records that were left out: how many, and the first thousand. */
  damagedCount: number;
  damaged: DamagedRecord[];
  /** How many documents have fewer than 2^i tokens and at least half of that. */
  lengths: number[];
  /** By the index of the source. */
  sources: Record<string, SourceAmounts>;
}

export type Receipt = Sealed<ShardContent>;

export type ShardPart = 'ids' | 'lengths' | 'hashes' | 'json';

const position = object<TaskPosition>({ range: integer(), position: integer() });
const file = object<FileContent>({ bytes: integer(), sha256 });

const RECEIPT: FileKind<ShardContent> = {
  code: 'DAMAGED_SHARD',
  advice: 'remove it, and run its task again (crayon dataset run)',
  members: {
    plan: sha256,
    task: integer(),
    shard: integer(),
    from: position,
    next: position,
    files: object<ShardContent['files']>({ ids: file, lengths: file, hashes: optional(file) }),
    documents: integer(),
    empty: integer(),
    tokens: integer(),
    bytes: integer(),
    damagedCount: integer(),
    damaged: list(object<DamagedRecord>({ file: text, line: orNull(integer(1)), byte: integer(), reason: string })),
    lengths: list(integer()),
    sources: byIndex(object<SourceAmounts>({ documents: integer(), bytes: integer(), tokens: integer() })),
  },
};

/** The error for a file of a shard that is not what was written. */
export function damagedShard(path: string, why: string): DatasetError {
  return damagedFile(path, RECEIPT, why);
}

export function shardFolder(folder: string): string {
  return join(folder, 'shards');
}

export function shardPath(folder: string, task: number, shard: number, part: ShardPart): string {
  return join(shardFolder(folder), `${digits(task, 6)}-${digits(shard, 5)}.${part}`);
}

/** Where the documents of a task begin. */
export function startOf({ ranges }: DatasetTask): TaskPosition {
  return { range: 0, position: ranges[0]?.from ?? 0 };
}

/** The receipts of a task, in order: up to the first shard that is not whole. */
export interface TaskReceipts {
  receipts: Receipt[];
  /** The file that shard lacks; undefined if the task is done. */
  missing: string | undefined;
}

/** Reads them. Throws if one is not what was written, or its files do not have their lengths. */
export async function receiptsOf(manifest: DatasetManifest, folder: string, task: number): Promise<TaskReceipts> {
  const work = manifest.tasks[task] as DatasetTask;
  const receipts: Receipt[] = [];
  for (let from = startOf(work); ; ) {
    const shard = receipts.length;
    const path = shardPath(folder, task, shard, 'json');
    const receipt = await readSealed(path, RECEIPT).catch(unlessMissing);
    if (!receipt) return { receipts, missing: path };
    const why = contradictionIn(receipt, manifest, { task, shard, from });
    if (why !== undefined) throw damagedShard(path, why);
    for (const [part, { bytes }] of filesOf(receipt)) {
      const name = shardPath(folder, task, shard, part);
      const about = await attempt('read', name, () => stat(name)).catch(unlessMissing);
      if (!about) return { receipts, missing: name };
      if (about.size !== bytes) throw damagedShard(name, `it had ${bytes} bytes and has ${about.size}`);
    }
    receipts.push(receipt);
    from = receipt.next;
    if (from.range === work.ranges.length) return { receipts, missing: undefined };
  }
}

export function filesOf({ files }: Receipt): [ShardPart, FileContent][] {
  return Object.entries(files) as [ShardPart, FileContent][];
}

export function sumOf(receipts: readonly Receipt[], amount: 'documents' | 'tokens' | 'bytes' | 'empty' | 'damagedCount'): number {
  return receipts.reduce((sum, receipt) => sum + receipt[amount], 0);
}

export interface TaskSums extends SourceAmounts {
  /** Records that were left out. */
  damaged: number;
  /** By the index of the source. */
  sources: Record<string, SourceAmounts>;
}

export function sumsOf(receipts: readonly Receipt[]): TaskSums {
  const [documents, tokens, bytes] = [sumOf(receipts, 'documents'), sumOf(receipts, 'tokens'), sumOf(receipts, 'bytes')];
  const sources: TaskSums['sources'] = {};
  for (const receipt of receipts) {
    for (const [source, amounts] of Object.entries(receipt.sources)) addAmounts((sources[source] ??= noAmounts()), amounts);
  }
  return { documents, tokens, bytes, damaged: sumOf(receipts, 'damagedCount'), sources };
}

/** What a receipt says that contradicts the plan, its place, or itself; undefined if there is nothing. */
function contradictionIn(
  receipt: Receipt,
  { checksum, tasks, sources, dtype, countsDuplicates }: DatasetManifest,
  place: { task: number; shard: number; from: TaskPosition },
): string | undefined {
  if (receipt.plan !== checksum) return 'it is of another plan';
  const { documents, tokens, sources: bySource, files } = receipt;
  const { ids, lengths, hashes } = files;
  const { ranges } = tasks[place.task] as DatasetTask;
  const sums = noAmounts();
  for (const amounts of Object.values(bySource)) addAmounts(sums, amounts);
  const follows = {
    ...place,
    ...sums,
    files: {
      ids: { ...ids, bytes: tokens * widthOf(dtype) },
      lengths: { ...lengths, bytes: 4 * documents },
      ...(countsDuplicates && { hashes: { ...hashes, bytes: 8 * documents } }),
    },
  };
  for (const [name, value] of Object.entries(follows)) {
    const [found, expected] = [receipt[name as keyof typeof follows], value].map((each) => JSON.stringify(each));
    if (found !== expected) return `its ${name} is ${found}, and ${expected} follows from the rest`;
  }
  if (receipt.lengths.reduce((sum, count) => sum + count, 0) !== documents) return 'its lengths are not those of its documents';
  if (Object.keys(bySource).some((source) => Number(source) >= sources.length)) return 'it has a source that the plan lacks';
  if (receipt.damaged.length !== Math.min(NAMED, receipt.damagedCount)) return 'its damaged records are not as many as it counts';
  const { range, position: at } = receipt.next;
  const { from, to } = ranges[range] ?? { from: 0, to: range === ranges.length ? 0 : -1 };
  const isInside = at >= from && at <= (to ?? Number.MAX_SAFE_INTEGER);
  const isBehind = range > place.from.range || (range === place.from.range && at > place.from.position);
  return isInside && isBehind ? undefined : 'its next is not where a shard of its task can end';
}

function digits(value: number, count: number): string {
  return String(value).padStart(count, '0');
}

/**
 * A record that has no document.
 *
 * @example
 * ```ts
 * import { type DamagedRecord, datasetStatus, planDataset, runDataset } from 'crayon-tokenizer/dataset';
 *
 * await planDataset(['hello.txt'], { output: 'damaged', format: 'npy', kind: 'jsonl' });
 * await runDataset('damaged', { skipDamaged: true });
 * const { damaged } = await datasetStatus('damaged');
 * const [record]: DamagedRecord[] = damaged;
 * record?.line; // 1
 * ```
 */
export interface DamagedRecord {
  file: string;
  /** From 1; `null` for files without lines. */
  line: number | null;
  /** Where it begins; the row of a Parquet file. */
  byte: number;
  reason: string;
}

/**
 * Text and tokens of a source.
 *
 * @example
 * ```ts
 * import { datasetStatus, planDataset, runDataset, type SourceAmounts } from 'crayon-tokenizer/dataset';
 *
 * await planDataset(['hello.txt'], { output: 'planned', format: 'npy' });
 * await runDataset('planned');
 * const { sources } = await datasetStatus('planned');
 * const [amounts]: SourceAmounts[] = sources;
 * amounts?.tokens; // 3
 * ```
 */
export interface SourceAmounts {
  documents: number;
  bytes: number;
  tokens: number;
}

/** The beginning of a sum. */
export function noAmounts(): SourceAmounts {
  return { documents: 0, bytes: 0, tokens: 0 };
}

export function addAmounts(sum: SourceAmounts, { documents, bytes, tokens }: SourceAmounts): void {
  sum.documents += documents;
  sum.bytes += bytes;
  sum.tokens += tokens;
}
