// Encodes the documents of a task, shard by shard. The bytes of the shards depend neither on the machine nor on the number of threads, nor
// on how often the task was killed on the way.

import { threadCount } from '../hosts/addon/thread-count.js';
import type { Tokenizer } from '../api/tokenizer.js';
import { documentQueue, type Rows } from './document-queue.js';
import type { DatasetInput, DatasetManifest, DatasetTask } from './manifest.js';
import { taskReader } from './readers/task-reader.js';
import { noAmounts, type Receipt, receiptsOf, type SourceAmounts, startOf, type TaskPosition } from './receipts.js';
import { shardWriter } from './shard-writer.js';
import type { TextBatch } from './text-batch.js';
import { type HashThread, newHashThread, sha256Here } from './hash-thread.js';

/** Bytes of input whose ids are hashed on a thread of their own. */
const HASHED_APART = 64 * 1024 * 1024;

export interface RunOptions {
  /** 1 works on nothing else while it encodes; more encode while the next documents are read and the last are written. */
  threads: number | undefined;
  skipDamaged: boolean;
  signal: AbortSignal | undefined;
  /** Gets each batch that has been encoded. */
  onBatch: (batch: BatchAmounts) => void;
}

/** A batch: bytes of text, documents, and the amounts of each source, by its index. */
export interface BatchAmounts {
  bytes: number;
  documents: number;
  sources: readonly (readonly [number, SourceAmounts])[];
  /** Bytes of input files that have been read for the task, about. */
  fileBytes: number;
}

/** Runs what is left of a task; returns all its receipts. */
export async function runTask(
  manifest: DatasetManifest,
  folder: string,
  task: number,
  tokenizer: Tokenizer,
  options: RunOptions,
): Promise<Receipt[]> {
  const { receipts, missing } = await receiptsOf(manifest, folder, task);
  if (missing === undefined) return receipts;
  const work = manifest.tasks[task] as DatasetTask;
  let from = receipts.at(-1)?.next ?? startOf(work);
  await using documents = documentQueue(manifest, tokenizer, taskReader(manifest, work, from, options.skipDamaged), {
    ...options,
    bytes: work.bytes,
  });
  await using hashing = hashThreadFor(work, options.threads);
  let count = receipts.length;
  let current = await documents.next();
  let written: Promise<void> = Promise.resolve();
  let flushed: Promise<void> = Promise.resolve();
  // Waits for the shard that is flushed while the next is written, even if writing the next fails.
  await using _flushing = { [Symbol.asyncDispose]: () => flushed.catch(() => undefined) };
  for (let isLast = false; !isLast; ) {
    await using shard = await shardWriter(manifest, folder, { task, shard: count, from }, hashing?.begin() ?? sha256Here());
    for (let hasEnded = false; !hasEnded; ) {
      const following = documents.next();
      following.catch(() => undefined); // what is before comes first
      const { batch, end, fileBytes, endsShard } = current;
      const encoding = await current.encoding;
      const rows = encoding.rows();
      encoding.release();
      const sources = amountsOf(manifest, batch, rows.lengths);
      await written; // of the batch before: its memory is used next
      written = shard.write(batch, rows, sources);
      written.catch(() => undefined); // somebody waits for it, unless something else fails first
      options.onBatch({ bytes: batch.size, documents: batch.count, sources: [...sources], fileBytes });
      const next = await following;
      isLast = next.isEnd;
      if (isLast) shard.leaveOut(next.batch);
      hasEnded = isLast || endsShard;
      from = isLast ? next.end : end;
      if (hasEnded) {
        await flushed; // receipts come in order
        flushed = shard.finish(from).then((receipt) => void receipts.push(receipt));
        flushed.catch(() => undefined);
      }
      current = next;
    }
    count++;
  }
  await flushed;
  return receipts;
}

/** The amounts of a batch, by the index of the source. `lengths`: how many ids each document has. */
function amountsOf({ inputs }: DatasetManifest, batch: TextBatch, lengths: Uint32Array): Map<number, SourceAmounts> {
  const { offsets } = batch.rows;
  const all = new Map<number, SourceAmounts>();
  let amounts: SourceAmounts | undefined;
  let input = -1;
  for (let row = 0; row < lengths.length; row++) {
    if (!amounts || batch.inputOf(row) !== input) {
      input = batch.inputOf(row);
      const { source } = inputs[input] as DatasetInput;
      amounts = all.get(source) ?? noAmounts();
      all.set(source, amounts);
    }
    amounts.documents++;
    amounts.bytes += (offsets[row + 1] as number) - (offsets[row] as number);
    amounts.tokens += lengths[row] as number;
  }
  return all;
}

/** Undefined for a small task, and for few threads, which the calling thread can keep busy beside hashing. */
function hashThreadFor({ bytes }: DatasetTask, threads = threadCount()): HashThread | undefined {
  return bytes >= HASHED_APART && threads > 2 ? newHashThread() : undefined;
}

/** The documents of a finished shard, encoded again as its files have them, and where they end. */
export async function* encodedShard(
  manifest: DatasetManifest,
  { task, from }: Receipt,
  tokenizer: Tokenizer,
  signal: AbortSignal | undefined,
): AsyncGenerator<{ rows: Rows; end: TaskPosition }, void, undefined> {
  const work = manifest.tasks[task] as DatasetTask;
  const options = { threads: undefined, signal, bytes: work.bytes };
  // Records that are damaged have been left out, or none was.
  await using documents = documentQueue(manifest, tokenizer, taskReader(manifest, work, from, true), options);
  let current = await documents.next();
  for (let hasEnded = false; !hasEnded; ) {
    const { end, encoding, endsShard } = current;
    const encoded = await encoding;
    const rows = encoded.rows();
    encoded.release();
    current = await documents.next();
    hasEnded = endsShard || current.isEnd;
    yield { rows, end: current.isEnd ? current.end : end };
  }
}
