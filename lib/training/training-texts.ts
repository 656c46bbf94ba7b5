// Training texts, as requests to the training thread.

import { unexpected } from '../base/errors.js';
import { bytesOf } from '../base/views.js';

/**
 * The texts to train on. A string is a text, not a path; bytes are a text in UTF-8. Each item of an iterable, synchronous or not,
 * is a text; the chunks of a stream form one text. In Node, `{ files }` are paths, patterns such as `'docs/*.md'` (the matching
 * files, by name), `file:` URLs and {@link TrainFilePart parts} of files; a URL is one file; gzip files are inflated; a string
 * that is the path of a file is an error. Elsewhere a URL is fetched. No token crosses the end of a text. Texts are read during
 * training: do not change bytes until then.
 *
 * @example
 * ```ts
 * const source: TrainSource = ['first text', new TextEncoder().encode('second text')];
 * (await trainBpe(source, { vocabularySize: 257 })).merges.length; // 1
 * ```
 */
export type TrainSource =
  | string
  | ArrayBufferView
  | ArrayBuffer
  | SharedArrayBuffer
  | URL
  | { files: string | URL | TrainFilePart | readonly (string | URL | TrainFilePart)[] }
  | Iterable<string | ArrayBufferView | ArrayBuffer | SharedArrayBuffer>
  | AsyncIterable<string | ArrayBufferView | ArrayBuffer | SharedArrayBuffer>
  | ReadableStream<string | Uint8Array>;

/**
 * A part of a file: its bytes from `start` to before `end`, such as all but the last tenth, held out for evaluation.
 *
 * @example
 * ```ts
 * const part: TrainFilePart = { path: 'hello.txt', end: 8 };
 * (await trainBpe({ files: part }, { vocabularySize: 258, minFrequency: 1 })).merges.length; // 2
 * ```
 */
export interface TrainFilePart {
  path: string | URL;
  /** Default 0. */
  start?: number | undefined;
  /** Default: the end of the file. */
  end?: number | undefined;
}

/** Consecutive texts: `ends` marks where they end, and anything after the last end continues in the next chunk. */
export interface TextChunk {
  bytes: Uint8Array;
  ends: Uint32Array;
}

export interface Texts {
  requests: AsyncIterable<TextRequest>;
  /** The number of bytes, if known. */
  total: number | undefined;
  /** Stops reading. */
  cancel(): void;
}

/** Texts, or a part of a file, which is one text. */
export type TextRequest = { chunk: TextChunk } | { file: FileRange };

/** The bytes of a file from `start` to before `end`. */
export interface FileRange {
  path: string;
  start: number;
  /** May lie past the end of the file. */
  end: number;
}

/** The most bytes of a chunk, and the most ends. */
const CHUNK_BYTES = 256 * 1024;
const CHUNK_ENDS = 16 * 1024;
/** UTF-16 units to encode at a time. */
const UNITS = 64 * 1024;
const BYTES_PER_UNIT = 3;

/** Throws a TypeError for an invalid source. */
export function textsOf(source: unknown): Texts {
  const bytes = bytesOf(source, 'source');
  if (typeof source === 'string') return { requests: packed([source]), total: undefined, cancel() {} };
  if (bytes) return { requests: packed([bytes]), total: bytes.length, cancel() {} };
  if (typeof source === 'object' && source !== null) {
    if ('getReader' in source) return ofStream(source as ReadableStream<unknown>);
    if (Symbol.asyncIterator in source) {
      const iterable = source as AsyncIterable<unknown> & NodeStream;
      const isOneText = typeof iterable.pipe === 'function' && iterable.readableObjectMode !== true;
      const cancel = () => void iterable.destroy?.();
      return { requests: isOneText ? joined(iterable) : packed(iterable), total: undefined, cancel };
    }
    if (Symbol.iterator in source) return { requests: packed(source as Iterable<unknown>), total: undefined, cancel() {} };
  }
  throw unexpected('a string, bytes, files, an iterable or a stream', 'source', source);
}

/** Identifies a Node Readable. */
interface NodeStream {
  pipe?: unknown;
  readableObjectMode?: boolean;
  destroy?(): unknown;
}

function ofStream(stream: ReadableStream<unknown>): Texts {
  const reader = stream.getReader();
  async function* parts() {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  }
  return { requests: joined(parts()), total: undefined, cancel: () => void reader.cancel().catch(() => undefined) };
}

/** Makes each item a text. */
async function* packed(items: Iterable<unknown> | AsyncIterable<unknown>): AsyncGenerator<TextRequest> {
  const packer = new Packer();
  let index = 0;
  const add = (item: unknown) => {
    const name = `item ${index++} of source`;
    return packer.add(typeof item === 'string' ? item : bytesIn(item, name), true);
  };
  if (Symbol.iterator in items) for (const item of items) yield* add(item);
  else for await (const item of items) yield* add(item);
  yield* packer.rest();
}

/** Makes all items one text, which may be cut anywhere, even inside a character. */
export async function* joined(parts: AsyncIterable<unknown>): AsyncGenerator<TextRequest> {
  const packer = new Packer();
  let high = ''; // a surrogate whose other half is in the next part
  for await (const part of parts) {
    if (typeof part !== 'string') {
      yield* packer.add(high, false);
      high = '';
      yield* packer.add(bytesIn(part, 'a part of source'), false);
      continue;
    }
    const text = high + part;
    high = /[\ud800-\udbff]$/.exec(text)?.[0] ?? '';
    yield* packer.add(text.slice(0, text.length - high.length), false);
  }
  yield* packer.add(high, true);
  yield* packer.rest();
}

function bytesIn(value: unknown, name: string): Uint8Array {
  const bytes = bytesOf(value, name);
  if (!bytes) throw unexpected('a string or bytes', name, value);
  return bytes;
}

/** Fills chunks. */
class Packer {
  readonly #encoder = new TextEncoder();
  #bytes = new Uint8Array(CHUNK_BYTES);
  #length = 0;
  #ends: number[] = [];

  *add(text: string | Uint8Array, last: boolean): Generator<TextRequest> {
    if (typeof text === 'string') {
      for (let at = 0; at < text.length; ) {
        if (CHUNK_BYTES - this.#length < 2 * BYTES_PER_UNIT) yield this.#taken();
        at += this.#put(text, at);
      }
    } else {
      for (let at = 0; at < text.length; ) {
        if (this.#length === CHUNK_BYTES) yield this.#taken();
        const part = text.subarray(at, at + CHUNK_BYTES - this.#length);
        this.#bytes.set(part, this.#length);
        this.#length += part.length;
        at += part.length;
      }
    }
    if (!last) return;
    this.#ends.push(this.#length);
    if (this.#ends.length === CHUNK_ENDS) yield this.#taken();
  }

  *rest(): Generator<TextRequest> {
    if (this.#length > 0 || this.#ends.length > 0) yield this.#taken();
  }

  /** Encodes as many units as fit, and returns how many. */
  #put(text: string, at: number): number {
    let end = Math.min(at + UNITS, text.length);
    // Keep a surrogate pair whole.
    if (end < text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800) end++;
    const { read, written } = this.#encoder.encodeInto(text.slice(at, end), this.#bytes.subarray(this.#length));
    this.#length += written;
    return read;
  }

  #taken(): TextRequest {
    const bytes = this.#length === CHUNK_BYTES ? this.#bytes : this.#bytes.slice(0, this.#length);
    const ends = Uint32Array.from(this.#ends);
    if (bytes === this.#bytes) this.#bytes = new Uint8Array(CHUNK_BYTES);
    this.#length = 0;
    this.#ends = [];
    return { chunk: { bytes, ends } };
  }
}
