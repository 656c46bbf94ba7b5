// Encodes the documents of a task, shard by shard. Whatever the machine and the number of threads, and however often it was
// killed on the way, the shards have the same bytes.

import { TokenizerError } from '../base/errors.js';
import type { LoadedTokenizer } from '../tokenizer/loaded-tokenizer.js';
import type { TokenBatch } from '../tokenizer/token-batch.js';
import type { DatasetManifest, DatasetTask } from './manifest.js';
import { type TaskPosition, TaskReader } from './readers/task-reader.js';
import { isDone, type Receipt, receiptsOf } from './receipts.js';
import { SeparatedIds } from './separated-ids.js';
import { ShardWriter } from './shard-writer.js';
import { TextBatch } from './text-batch.js';

/** Bytes of text to encode at a time: enough for threads to share, and little to wait for. */
const BATCH = 4 * 1024 * 1024;

/** How tasks run. */
export interface RunOptions {
  /** 1 works on nothing else while it encodes; more encode while the next documents are read and the last are written. */
  threads: number | undefined;
  skipDamaged: boolean;
  signal: AbortSignal | undefined;
  /** Gets each batch: bytes of text that have been encoded, and their tokens. */
  onBatch: (batch: { bytes: number; tokens: number; documents: number }) => void;
}

/** Documents on their way through a task. */
interface Documents {
  batch: TextBatch;
  /** Behind the last of them. */
  end: TaskPosition;
  endsShard: boolean;
  tokens: Promise<TokenBatch> | undefined;
}

/** Runs what is left of a task; returns all its receipts. */
export async function runTask(
  manifest: DatasetManifest,
  folder: string,
  task: number,
  tokenizer: LoadedTokenizer,
  options: RunOptions,
): Promise<Receipt[]> {
  const receipts = await receiptsOf(folder, task);
  if (isDone(receipts)) return receipts;
  const work = manifest.tasks[task] as DatasetTask;
  let from = receipts.at(-1)?.next ?? { range: 0, position: work.ranges[0]?.from ?? 0 };
  await using documents = new DocumentQueue(manifest, tokenizer, new TaskReader(manifest, work, from, options.skipDamaged), options);
  const separated = new SeparatedIds(manifest);
  let count = receipts.length;
  let current = await documents.next();
  documents.encode(current);
  await using closing = new ShardsInFlight();
  for (let isLast = false; !isLast; ) {
    const shard = closing.begin(await ShardWriter.create(manifest, folder, { task, shard: count, from }));
    for (let hasEnded = false; !hasEnded; ) {
      const { batch, end, endsShard } = current;
      const following = await documents.next();
      const tokens = (await current.tokens) as TokenBatch;
      isLast = following.batch.count === 0;
      if (isLast) shard.leaveOut(following.batch);
      else documents.encode(following);
      await shard.write(batch, tokens, separated);
      options.onBatch({ bytes: batch.size, tokens: tokens.ids.length, documents: batch.count });
      hasEnded = isLast || endsShard;
      if (hasEnded) await closing.finish(isLast ? null : end, (receipt) => receipts.push(receipt));
      from = end;
      current = following;
    }
    count++;
  }
  await closing.done();
  return receipts;
}

/** The shard that is being written, and the one before, whose files are flushed meanwhile: receipts come in order. */
class ShardsInFlight implements AsyncDisposable {
  #writing: ShardWriter | undefined;
  #flushing: ShardWriter | undefined;
  #flushed: Promise<void> = Promise.resolve();

  begin(shard: ShardWriter): ShardWriter {
    this.#writing = shard;
    return shard;
  }

  /** Begins to flush the shard that was written, when the one before has its receipt. */
  async finish(next: TaskPosition | null, finished: (receipt: Receipt) => void): Promise<void> {
    await this.done();
    const shard = this.#writing as ShardWriter;
    this.#writing = undefined;
    this.#flushing = shard;
    this.#flushed = shard.finish(next).then(finished);
    // Somebody waits for it, unless something else fails first.
    this.#flushed.catch(() => undefined);
  }

  /** Waits until what was finished is flushed. */
  async done(): Promise<void> {
    await this.#flushed;
    this.#flushing = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#flushed.catch(() => undefined);
    await this.#flushing?.[Symbol.asyncDispose]();
    await this.#writing?.[Symbol.asyncDispose]();
  }
}

/** The ids of a finished shard, encoded again, as its file has them. */
export async function* encodedShard(
  manifest: DatasetManifest,
  task: DatasetTask,
  { from, documents: count, damagedCount }: Receipt,
  tokenizer: LoadedTokenizer,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  const options = { threads: undefined, skipDamaged: damagedCount > 0, signal, onBatch: () => undefined };
  await using documents = new DocumentQueue(manifest, tokenizer, new TaskReader(manifest, task, from, options.skipDamaged), options);
  const separated = new SeparatedIds(manifest);
  for (let done = 0; done < count; ) {
    const read = await documents.next();
    if (read.batch.count === 0) return; // fewer than there were
    documents.encode(read);
    const tokens = (await read.tokens) as TokenBatch;
    yield separated.of(tokens).ids;
    done += read.batch.count;
  }
}

/** Reads the documents of a task in batches, and has them encoded. */
class DocumentQueue implements AsyncDisposable {
  readonly #manifest: DatasetManifest;
  readonly #tokenizer: LoadedTokenizer;
  readonly #reader: TaskReader;
  readonly #options: RunOptions;
  /** One is written while the other is read. */
  readonly #batches: [TextBatch, TextBatch] = [new TextBatch(), new TextBatch()];
  #shardSize = 0;
  #encoding: Promise<unknown> | undefined;

  constructor(manifest: DatasetManifest, tokenizer: LoadedTokenizer, reader: TaskReader, options: RunOptions) {
    this.#manifest = manifest;
    this.#tokenizer = tokenizer;
    this.#reader = reader;
    this.#options = options;
  }

  /** Reads the next documents; none at the end. Where shards end depends on the documents alone. */
  async next(): Promise<Documents> {
    const { shardBytes } = this.#manifest;
    this.#options.signal?.throwIfAborted();
    this.#batches.reverse();
    const [batch] = this.#batches;
    await this.#reader.fill(batch, Math.min(BATCH, shardBytes - this.#shardSize));
    this.#shardSize += batch.size;
    const endsShard = this.#shardSize >= shardBytes;
    if (endsShard) this.#shardSize = 0;
    return { batch, end: this.#reader.position, endsShard, tokens: undefined };
  }

  /** Begins to encode documents. */
  encode(documents: Documents): void {
    documents.tokens = this.#tokens(documents.batch);
    // Somebody waits for it, unless reading fails first.
    documents.tokens.catch(() => undefined);
    this.#encoding = documents.tokens;
  }

  /** Waits until threads have let go of the batches. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#encoding?.catch(() => undefined);
    await this.#reader[Symbol.asyncDispose]();
  }

  async #tokens(batch: TextBatch): Promise<TokenBatch> {
    try {
      return await this.#encoded(batch);
    } catch (error) {
      if (!(error instanceof TokenizerError) || error.row === undefined) throw error;
      await this.#leaveOutRefused(batch);
      return this.#encoded(batch);
    }
  }

  async #encoded(batch: TextBatch): Promise<TokenBatch> {
    const { special, addSpecialTokens } = this.#manifest;
    const { threads, signal } = this.#options;
    if (threads === 1) return this.#tokenizer.encodeBatch(batch.rows, { special, addSpecialTokens, threads });
    return this.#tokenizer.encodeBatchAsync(batch.rows, { special, addSpecialTokens, threads, signal });
  }

  /** Takes out the documents that the vocabulary cannot encode. */
  async #leaveOutRefused(batch: TextBatch): Promise<void> {
    const { special } = this.#manifest;
    const { bytes, offsets } = batch.rows;
    const refused = new Map<number, string>();
    for (let row = 0; row < batch.count; row++) {
      try {
        this.#tokenizer.count(bytes.subarray(offsets[row], offsets[row + 1]), { special });
      } catch (error) {
        if (!(error instanceof TokenizerError)) throw error;
        refused.set(row, error.message);
      }
    }
    for (const [row, reason] of refused) {
      await this.#reader.leaveOut(batch, batch.inputOf(row), batch.beginOf(row), reason);
    }
    batch.remove((row) => refused.has(row));
  }
}
