// Reads the documents of a task in batches, and has them encoded: while one is written, others are on their way.

import { TokenizerError } from '../base/errors.js';
import type { RowForm } from '../engine/background.js';
import { rowsToWrite } from '../api/async-encoding.js';
import type { TokenBatch } from '../api/token-batch.js';
import { hostOf, type Tokenizer, vocabularyOf } from '../api/tokenizer.js';
import { bytesOf, widthOf } from './formats.js';
import type { DatasetManifest } from './manifest.js';
import type { TaskReader } from './readers/task-reader.js';
import type { TaskPosition } from './receipts.js';
import { TextBatch } from './text-batch.js';

/** Bytes of text to encode at a time: enough for threads to share, and few enough to stay in a processor's cache. */
const BATCH = 2 * 1024 * 1024;

/**
 * Batches that are read before they are asked for: with fewer, threads wait while the calling thread hashes, or splits a long document.
 * A calling thread that encodes by itself needs one, and less memory.
 */
const AHEAD = 6;
const AHEAD_ALONE = 1;

/** Documents on their way through a task. */
export interface Documents {
  batch: TextBatch;
  /** Behind the last of them. */
  end: TaskPosition;
  /** Bytes of input files that had been read by then. */
  fileBytes: number;
  /** Whether it has as much text as a shard with the documents before; that the inputs up to here are as planned is known then. */
  endsShard: boolean;
  /** Whether the task has no documents any more. */
  isEnd: boolean;
  /** Resolves once they are encoded; documents that the vocabulary refuses are left out by then. */
  encoding: Promise<Encoding>;
}

export interface DocumentQueue extends AsyncDisposable {
  /** The next documents; none at the end. The caller may use the last two batches, no earlier one. */
  next(): Promise<Documents>;
}

export function documentQueue(manifest: DatasetManifest, tokenizer: Tokenizer, reader: TaskReader, options: EncoderOptions): DocumentQueue {
  const { shardBytes, special } = manifest;
  const { signal, threads } = options;
  const begin = rowEncoder(manifest, tokenizer, options);
  const ahead = threads === 1 ? AHEAD_ALONE : AHEAD;
  /** Batches to use in turn: one is with the caller, and one comes next. */
  const batches = Array.from({ length: ahead + 2 }, () => new TextBatch());
  /** Encodings that have not been released. */
  const begun = new Set<Encoding>();
  let shardSize = 0;
  let hasEnded = false;
  const coming: Promise<Documents>[] = [];
  let last: Promise<unknown> = Promise.resolve();

  /** Takes out the documents that the vocabulary cannot encode. */
  async function leaveOutRefused(batch: TextBatch): Promise<void> {
    const { bytes, offsets } = batch.rows;
    const refused = new Map<number, string>();
    for (let row = 0; row < batch.count; row++) {
      try {
        tokenizer.count(bytes.subarray(offsets[row], offsets[row + 1]), { special });
      } catch (error) {
        if (!(error instanceof TokenizerError)) throw error;
        refused.set(row, error.message);
      }
    }
    for (const [row, reason] of refused) await reader.leaveOut(batch, batch.inputOf(row), batch.beginOf(row), reason);
    batch.remove((row) => refused.has(row));
  }

  async function encode(batch: TextBatch): Promise<Encoding> {
    const encoding = begin(batch);
    begun.add(encoding);
    const release = () => {
      if (begun.delete(encoding)) encoding.release();
    };
    try {
      await encoding.done;
      return { ...encoding, release };
    } catch (error) {
      release();
      throw error;
    }
  }

  async function encoded(batch: TextBatch): Promise<Encoding> {
    try {
      return await encode(batch);
    } catch (error) {
      if (!(error instanceof TokenizerError) || error.row === undefined) throw error;
      await leaveOutRefused(batch);
      return encode(batch);
    }
  }

  /** Where shards end depends on the documents alone. */
  async function read(): Promise<Documents> {
    signal?.throwIfAborted();
    if (hasEnded) throw new Error('nobody asks for more documents');
    const batch = batches.shift() as TextBatch;
    batches.push(batch);
    await reader.fill(batch, Math.min(BATCH, shardBytes - shardSize));
    shardSize += batch.size;
    const endsShard = shardSize >= shardBytes;
    if (endsShard) {
      shardSize = 0;
      await reader.checkUnchanged();
    }
    const { position: end, fileBytes } = reader;
    const isEnd = batch.count === 0; // now: the vocabulary may refuse all documents of a batch
    const encoding = encoded(batch);
    encoding.catch(() => undefined);
    return { batch, end, fileBytes, endsShard, isEnd, encoding };
  }

  /** Begins to read another batch, once the one before has been read. */
  function readAhead(): void {
    const documents = last.then(read);
    documents.catch(() => undefined); // somebody waits for it, unless something else fails first
    coming.push(documents);
    last = documents;
  }

  while (coming.length < ahead) readAhead();
  return {
    async next() {
      const documents = await (coming.shift() as Promise<Documents>);
      readAhead();
      return documents;
    },
    /** Ends what is on its way. */
    async [Symbol.asyncDispose]() {
      hasEnded = true;
      await last.catch(() => undefined);
      for (const encoding of begun) encoding.release();
      await reader[Symbol.asyncDispose]();
    },
  };
}

/** The ids of documents, back to back, and how many each has. Valid until the rows of the batch after the next are taken. */
export interface Rows {
  ids: Uint8Array;
  lengths: Uint32Array;
}

/** Documents that are being encoded. */
export interface Encoding {
  /** Rejects for a document that the vocabulary refuses, with its row. */
  readonly done: Promise<unknown>;
  /** The rows, once, when that is done. */
  rows(): Rows;
  release(): void;
}

/** How batches are encoded. */
export interface EncoderOptions {
  threads: number | undefined;
  signal: AbortSignal | undefined;
  /** Bytes of text that all batches have, about. */
  bytes: number;
}

/** Begins to encode documents, which must not change until that is done. */
type BeginEncoding = (batch: TextBatch) => Encoding;

function rowEncoder(manifest: DatasetManifest, tokenizer: Tokenizer, { threads, signal, bytes }: EncoderOptions): BeginEncoding {
  const { special, addSpecialTokens, dtype } = manifest;
  const options = { special, addSpecialTokens, threads } as const;
  /** Memory for rows: the rows of one batch are written to files while the rows of the next are taken. Shared, so that threads can hash it. */
  const memories: [Uint8Array, Uint8Array] = [new Uint8Array(0), new Uint8Array(0)];
  const memory = (size: number) => {
    memories.reverse();
    if (memories[0].length < size) memories[0] = new Uint8Array(new SharedArrayBuffer(Math.ceil(1.25 * size)));
    return memories[0].subarray(0, size);
  };
  return ({ rows: texts }) => {
    const begun = rowsToWrite(hostOf(tokenizer), vocabularyOf(tokenizer), texts, options, bytes);
    if (begun) {
      const { job, template } = begun;
      const form = rowForm(manifest, template.prefix, template.suffix);
      const rows = texts.offsets.length - 1;
      let size = 0;
      return {
        done: job.encoded.then((ids) => (size = widthOf(dtype) * (ids + rows * (form.before.length + form.after.length)))),
        rows: () => {
          const ids = memory(size);
          return { ids, lengths: job.write(form, ids) };
        },
        release: () => job.release(),
      };
    }
    const encoded =
      threads === 1
        ? new Promise<TokenBatch>((resolve) => resolve(tokenizer.encodeBatch(texts, options)))
        : tokenizer.encodeBatchAsync(texts, { ...options, signal });
    let tokens: TokenBatch | undefined;
    return {
      done: encoded.then((batch) => (tokens = batch)),
      rows: () => separated(tokens as TokenBatch, manifest),
      release: () => undefined,
    };
  };
}

function rowForm({ endOfDocument: { id, position }, dtype }: DatasetManifest, prefix: Uint32Array, suffix: Uint32Array): RowForm {
  const end = id === null ? [] : [id];
  return {
    before: position === 'before' ? Uint32Array.of(...end, ...prefix) : prefix,
    after: position === 'before' ? suffix : Uint32Array.of(...suffix, ...end),
    width: widthOf(dtype),
  };
}

/** Rows from a batch of ids, on a host that cannot write them. */
function separated({ ids, offsets }: TokenBatch, { dtype, endOfDocument: { id, position } }: DatasetManifest): Rows {
  const [before, after] = id === null ? [0, 0] : position === 'before' ? [1, 0] : [0, 1];
  const lengths = new Uint32Array(offsets.length - 1);
  const all = new (widthOf(dtype) === 2 ? Uint16Array : Uint32Array)(ids.length + (before + after) * lengths.length);
  for (let row = 0, at = 0; row < lengths.length; row++) {
    const rowIds = ids.subarray(offsets[row], offsets[row + 1]);
    lengths[row] = before + rowIds.length + after;
    all.set(rowIds, at + before);
    if (id !== null) all[before ? at : at + rowIds.length] = id;
    at += before + rowIds.length + after;
  }
  return { ids: bytesOf(all), lengths };
}
