// Documents to ids as a dataset has them: in its integers, with those that separate documents. The engine writes them so where it
// can; else they are copied from its batches.

import type { RowForm } from '../engine/background.js';
import { rowsToWrite } from '../tokenizer/background.js';
import { hostOf, type Tokenizer, vocabularyOf } from '../tokenizer/tokenizer.js';
import type { TokenBatch } from '../tokenizer/token-batch.js';
import { widthOf } from './formats.js';
import type { DatasetManifest } from './manifest.js';
import { SeparatedIds } from './separated-ids.js';
import type { TextBatch } from './text-batch.js';

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
  /** Ends it. */
  release(): void;
}

/** How batches are encoded. */
export interface EncoderOptions {
  threads: number | undefined;
  signal: AbortSignal | undefined;
  /** Bytes of text that all batches have, about. */
  bytes: number;
}

const NONE = new Uint32Array(0);

export class RowEncoder {
  readonly #manifest: DatasetManifest;
  readonly #tokenizer: Tokenizer;
  readonly #options: EncoderOptions;
  /** The rows of one batch are written to files while those of the next are taken. */
  readonly #memories: [RowMemory, RowMemory];

  constructor(manifest: DatasetManifest, tokenizer: Tokenizer, options: EncoderOptions) {
    this.#manifest = manifest;
    this.#tokenizer = tokenizer;
    this.#options = options;
    this.#memories = [new RowMemory(manifest), new RowMemory(manifest)];
  }

  /** Begins to encode documents, which must not change until that is done. */
  begin({ rows: texts }: TextBatch): Encoding {
    const { special, addSpecialTokens, dtype } = this.#manifest;
    const { threads, signal, bytes } = this.#options;
    const encoding = { special, addSpecialTokens, threads } as const;
    const begun = rowsToWrite(hostOf(this.#tokenizer), vocabularyOf(this.#tokenizer), texts, encoding, bytes);
    if (begun) {
      const { job, template } = begun;
      const form = this.#form(template.prefix, template.suffix);
      const rows = texts.offsets.length - 1;
      let size = 0;
      return {
        done: job.encoded.then((ids) => (size = widthOf(dtype) * (ids + rows * (form.before.length + form.after.length)))),
        rows: () => {
          const ids = this.#next().bytes(size);
          return { ids, lengths: job.write(form, ids) };
        },
        release: () => job.release(),
      };
    }
    const encoded =
      threads === 1
        ? new Promise<TokenBatch>((resolve) => resolve(this.#tokenizer.encodeBatch(texts, encoding)))
        : this.#tokenizer.encodeBatchAsync(texts, { ...encoding, signal });
    let tokens: TokenBatch | undefined;
    return {
      done: encoded.then((batch) => (tokens = batch)),
      rows: () => this.#next().separated.of(tokens as TokenBatch),
      release: () => undefined,
    };
  }

  #next(): RowMemory {
    this.#memories.reverse();
    return this.#memories[0];
  }

  #form(prefix: Uint32Array, suffix: Uint32Array): RowForm {
    const { endOfDocument, dtype } = this.#manifest;
    const { id, position } = endOfDocument;
    const end = id === null ? NONE : Uint32Array.of(id);
    return {
      before: position === 'before' ? Uint32Array.of(...end, ...prefix) : prefix,
      after: position === 'before' ? suffix : Uint32Array.of(...suffix, ...end),
      width: widthOf(dtype),
    };
  }
}

/** Memory for the rows of a batch, used again. Shared, so that another thread can hash it. */
class RowMemory {
  readonly separated: SeparatedIds;
  #memory: Uint8Array = new Uint8Array(0);

  constructor(manifest: DatasetManifest) {
    this.separated = new SeparatedIds(manifest);
  }

  bytes(size: number): Uint8Array {
    if (this.#memory.length < size) this.#memory = new Uint8Array(new SharedArrayBuffer(Math.ceil(1.25 * size)));
    return this.#memory.subarray(0, size);
  }
}
