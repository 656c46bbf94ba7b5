// The sources of records, as chunks of bytes requested one by one.

import { TokenizerError, unexpected } from '../../base/errors.js';
import { concatenated } from '../../base/typed-arrays.js';
import { pause } from '../../base/time-slices.js';
import type { ByteSource } from '../../io/gzip.js';
import { bytesOf, isPromise, isShared } from '../../base/views.js';

/**
 * The sources of {@link readFasta} and {@link readFastq}. A string is a path in Node and a URL elsewhere; a `URL` names a
 * file in Node, and is fetched elsewhere. Bytes, and the concatenated items of an iterable or a stream, are the file itself.
 * Short items are asked for ahead, up to 4 KB. A promise is awaited, so the result of `fetch` can be passed directly. Do
 * not change bytes until they are read. Gzip and bgzip are detected by their first bytes, and inflated. A file that is
 * written to while it is read gives an error at its end (`FILE_UNREADABLE`).
 *
 * @example
 * ```ts
 * const source: RecordSource = new Blob(['>a\nACGT\n']);
 * for await (const { name } of readFasta(source)) name; // 'a'
 * ```
 */
export type RecordSource =
  | string
  | URL
  | ArrayBuffer
  | SharedArrayBuffer
  | ArrayBufferView
  | Blob
  | Response
  | ReadableStream<string | Uint8Array>
  | Iterable<string | ArrayBufferView | ArrayBuffer>
  | AsyncIterable<string | ArrayBufferView | ArrayBuffer>
  | PromiseLike<Response | Blob | ArrayBuffer | ArrayBufferView>;

/** A source, and its name in errors. */
export interface NamedSource {
  source: ByteSource;
  name: string;
}

/** Opens a string or a URL on a host. */
export type OpenLocation = (location: string | URL) => NamedSource | Promise<NamedSource>;

const UNNAMED = 'the source';
/** The size of chunks, in units or bytes, that a parser should get at a time: a call takes as long as to parse that. */
const ENOUGH = 4096;

/** Throws a TypeError for an invalid source. */
export function checkSource(source: unknown): void {
  const isObject = typeof source === 'object' && source !== null;
  const isStream = isObject && ('getReader' in source || Symbol.asyncIterator in source || Symbol.iterator in source);
  if (typeof source === 'string' ? source !== '' : isStream || isUrl(source) || isPromise(source) || isBlob(source)) return;
  if (bytesOf(source, 'source')) return;
  throw unexpected('a path or URL, bytes, a Blob, a Response, a stream or an iterable', 'source', source);
}

/** Opens a checked source, or the result of a promise. */
export async function openSource(input: unknown, openLocation: OpenLocation): Promise<NamedSource> {
  const source = isPromise(input) ? await input : input;
  if (source !== input) checkSource(source);
  if (typeof source === 'string' || isUrl(source)) return openLocation(source);
  const bytes = bytesOf(source, 'source');
  if (bytes) return { source: chunksOf([bytes]), name: UNNAMED };
  if (isBlob(source)) return openBlob(source);
  const object = source as object;
  if ('getReader' in object) return { source: streamSource(object as ReadableStream<unknown>), name: UNNAMED };
  return { source: chunksOf(object as Iterable<unknown>), name: UNNAMED };
}

/** Completes the error for a path or URL that could not be opened, in case it was meant as the file's content. */
export function explainText(error: unknown, input: unknown): unknown {
  if (!(error instanceof TokenizerError) || typeof input !== 'string' || !/^\s*[>@;]|[\n\r]/.test(input)) return error;
  return new TokenizerError(`${error.message} (a string is a path or URL; pass text in a list, [text], or as bytes)`, error);
}

function isUrl(source: unknown): source is URL {
  return typeof source === 'object' && source !== null && 'href' in source && 'protocol' in source;
}

/** A Blob or a Response, by its shape: naming the global `Response` would load Node's whole fetch. */
function isBlob(source: unknown): source is Blob | Response {
  return typeof source === 'object' && source !== null && 'arrayBuffer' in source;
}

/** The body of a response; throws if the response is unusable. */
export function openBlob(source: Blob | Response): NamedSource {
  if (!('ok' in source)) return { source: streamSource(source.stream()), name: UNNAMED };
  const { ok, url, status, statusText, type, bodyUsed, body } = source;
  const name = url || 'a response';
  if (ok && bodyUsed) throw unexpected('a Response whose body has not been read', 'source', source);
  if (!ok) {
    const reason = type === 'opaque' ? "its content is hidden from scripts (fetched with mode: 'no-cors')" : `${status} ${statusText}`;
    const code = status === 404 ? 'FILE_NOT_FOUND' : 'FILE_UNREADABLE';
    throw new TokenizerError(`cannot read ${name}: ${reason.trimEnd()}`, { code });
  }
  return { source: body ? streamSource(body) : chunksOf([]), name };
}

/**
 * Hands the chunks of a source over together that come in the same turn of the event loop, until there is enough; so it reads ahead by
 * that much. `pull` asks for the next chunk.
 */
class GatheringSource implements ByteSource {
  readonly #pull: () => Promise<IteratorResult<unknown>>;
  readonly #encoder = new Encoder();
  /** Whether the source has been asked for a chunk, which has not come. */
  #isAsked = false;
  #hasEnded = false;
  #failure: { error: unknown } | undefined;
  /** Of the call that waits. */
  #settle: { resolve: (bytes: Uint8Array | undefined) => void; reject: (error: unknown) => void } | undefined;

  constructor(
    pull: () => Promise<IteratorResult<unknown>>,
    readonly cancel: () => void,
  ) {
    this.#pull = pull;
  }

  next(): Promise<Uint8Array | undefined> {
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
      if (this.#encoder.size > 0) this.#giveLater();
      this.#ask();
    });
  }

  #ask(): void {
    if (this.#hasEnded || this.#failure || this.#encoder.size >= ENOUGH) return this.#give();
    if (this.#isAsked) return;
    this.#isAsked = true;
    this.#pull().then(
      (result) => this.#take(result),
      (error) => this.#fail(error),
    );
  }

  #take({ done, value }: IteratorResult<unknown>): void {
    this.#isAsked = false;
    const isFirst = this.#encoder.size === 0;
    this.#hasEnded = done === true;
    try {
      if (!done) this.#encoder.add(value);
    } catch (error) {
      return this.#fail(error);
    }
    if (isFirst && this.#encoder.size > 0) this.#giveLater();
    this.#ask();
  }

  #fail(error: unknown): void {
    this.#isAsked = false;
    this.#failure = { error };
    this.#give();
  }

  /** What there is when the event loop has turned: more may be a while away. */
  #giveLater(): void {
    void pause().then(() => {
      if (this.#encoder.size > 0) this.#give();
    });
  }

  /** Ends the call that waits: with what there is, then with the failure. */
  #give(): void {
    const settle = this.#settle;
    this.#settle = undefined;
    if (!settle) return;
    if (this.#failure && this.#encoder.size === 0) settle.reject(this.#failure.error);
    else settle.resolve(this.#encoder.take(this.#hasEnded));
  }
}

function streamSource(stream: ReadableStream<unknown>): ByteSource {
  const reader = stream.getReader() as ReadableStreamDefaultReader<unknown>;
  return new GatheringSource(
    () => reader.read() as Promise<IteratorResult<unknown>>,
    () => void reader.cancel().catch(() => undefined),
  );
}

/** The chunks of an iterable, including a Node Readable. */
function chunksOf(chunks: Iterable<unknown> | AsyncIterable<unknown>): ByteSource {
  const iterator = Symbol.asyncIterator in chunks ? chunks[Symbol.asyncIterator]() : chunks[Symbol.iterator]();
  return new GatheringSource(
    async () => iterator.next(),
    () => {
      // A pending generator would end only after what it waits for; a stream can be destroyed.
      const { destroy } = chunks as { destroy?: () => unknown };
      if (typeof destroy === 'function') destroy.call(chunks);
      else void Promise.resolve(iterator.return?.()).catch(() => undefined);
    },
  );
}

/** Gathers items as bytes: a surrogate pair may be split between two strings. */
class Encoder {
  readonly #encoder = new TextEncoder();
  /** Text that is not in the bytes yet, which begin before it. */
  #text = '';
  #bytes: Uint8Array[] = [];
  #index = 0;
  /** How much has been gathered, about. */
  size = 0;

  add(item: unknown): void {
    const name = `item ${this.#index++} of source`;
    if (typeof item === 'string') {
      this.#text += item;
      this.size += item.length;
      return;
    }
    const bytes = bytesOf(item, name);
    if (!bytes) throw unexpected('a string or bytes', name, item);
    this.#endText(false);
    if (this.#text !== '') throw unexpected('the rest of a character', name, item);
    // Another thread could change them during reading, and so could who is asked for more.
    this.#bytes.push(isShared(bytes.buffer) || bytes.length < ENOUGH ? bytes.slice() : bytes);
    this.size += bytes.length;
  }

  /** Takes the bytes; undefined at the end of all. */
  take(isLast: boolean): Uint8Array | undefined {
    this.#endText(isLast);
    const bytes = this.#bytes;
    this.#bytes = [];
    this.size = 0;
    if (isLast && bytes.length === 0) return undefined;
    return bytes.length === 1 ? bytes[0] : concatenated(Uint8Array, bytes);
  }

  #endText(isLast: boolean): void {
    const text = this.#text;
    const isHalf = !isLast && (text.charCodeAt(text.length - 1) & 0xfc00) === 0xd800;
    this.#text = isHalf ? text.slice(-1) : '';
    const whole = isHalf ? text.slice(0, -1) : text;
    if (whole !== '') this.#bytes.push(this.#encoder.encode(whole));
  }
}
