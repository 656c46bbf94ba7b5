// What a task has finished: a receipt for each of its shards, written last.

import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

import { attempt } from './durable-files.js';
import type { TaskPosition } from './readers/task-reader.js';
import type { DamagedRecord } from './damaged-record.js';
import { addAmounts, noAmounts, type SourceAmounts } from './source-amounts.js';

/** A file of a shard. */
export interface ShardFile {
  bytes: number;
  sha256: string;
}

/** A shard that is whole: documents of a task, in order. */
export interface Receipt {
  task: number;
  shard: number;
  /** Where its documents begin. */
  from: TaskPosition;
  /** Where the next shard begins; `null` if it is the task's last. */
  next: TaskPosition | null;
  documents: number;
  /** Documents without text, which are left out. */
  empty: number;
  tokens: number;
  /** Of text. */
  bytes: number;
  /** The ids; for each document how many; and hashes of documents, if duplicates are counted. */
  files: { ids: ShardFile; lengths: ShardFile; hashes?: ShardFile };
  /** Records that were left out: how many, and the first thousand. */
  damagedCount: number;
  damaged: DamagedRecord[];
  /** How many documents have fewer than 2^i tokens and at least half of that. */
  lengths: number[];
  /** By the index of the source. */
  sources: Record<string, SourceAmounts>;
}

export type ShardPart = 'ids' | 'lengths' | 'hashes' | 'json';

export function shardFolder(folder: string): string {
  return join(folder, 'shards');
}

export function shardPath(folder: string, task: number, shard: number, part: ShardPart): string {
  return join(shardFolder(folder), `${digits(task, 6)}-${digits(shard, 5)}.${part}`);
}

/** The receipts of a task, in order: up to the first shard that is not whole. */
export async function receiptsOf(folder: string, task: number): Promise<Receipt[]> {
  const receipts: Receipt[] = [];
  for (;;) {
    const receipt = await receiptOf(folder, task, receipts.length);
    if (!receipt) return receipts;
    receipts.push(receipt);
    if (receipt.next === null) return receipts;
  }
}

/** Sums an amount of receipts. */
export function sumOf(receipts: readonly Receipt[], amount: 'documents' | 'tokens' | 'bytes' | 'empty' | 'damagedCount'): number {
  return receipts.reduce((sum, receipt) => sum + receipt[amount], 0);
}

/** Sums of a task. */
export interface TaskSums {
  documents: number;
  tokens: number;
  /** Of text. */
  bytes: number;
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

/** Whether a task's receipts are all there. */
export function isDone(receipts: readonly Receipt[]): boolean {
  return receipts.at(-1)?.next === null;
}

async function receiptOf(folder: string, task: number, shard: number): Promise<Receipt | undefined> {
  const path = shardPath(folder, task, shard, 'json');
  const text = await attempt('read', path, () => readFile(path, 'utf8')).catch(unlessMissing);
  if (text === undefined) return undefined;
  let receipt: Receipt;
  try {
    receipt = JSON.parse(text) as Receipt;
  } catch {
    return undefined; // cut short by a file system that keeps no promises; the shard is written again
  }
  for (const [part, { bytes }] of Object.entries(receipt.files)) {
    const about = await stat(shardPath(folder, task, shard, part as ShardPart)).catch(() => undefined);
    if (about?.size !== bytes) return undefined;
  }
  return receipt;
}

function unlessMissing(error: unknown): undefined {
  if (((error as Error).cause as NodeJS.ErrnoException | undefined)?.code !== 'ENOENT') throw error;
  return undefined;
}

function digits(value: number, count: number): string {
  return String(value).padStart(count, '0');
}
