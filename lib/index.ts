/**
 * Exact token ids in Node.
 *
 * @example
 * ```ts
 * import { Tokenizer } from 'crayon-tokenizer';
 *
 * const tokenizer = await Tokenizer.load('o200k_base');
 * tokenizer.encode('hello world'); // Uint32Array [24912, 2375]
 * tokenizer.count('hello world'); // 2
 * tokenizer.decode([24912, 2375]); // 'hello world'
 * ```
 *
 * Examples that import nothing go on from this one: `tokenizer` is `o200k_base`.
 *
 * @module crayon-tokenizer
 */

import type { EngineTokenizer } from './backend.js';
import { fromCaller, unexpected } from './errors.js';
import { openNative } from './native-backend.js';
import { explainBuiltIn, resolveSource, type Source } from './sources.js';
import { Tokenizer as EngineFace, exchangeEngine, overlayEngine } from './tokenizer.js';

export type { DecodeOptions, EncodeOptions, OffsetOptions, SpecialPolicy, TokenIds } from './arguments.js';
export type { OffsetUnit, TokensWithOffsets } from './backend.js';
export { type StatusCode, TokenizerError } from './errors.js';
export type { SplitOptions, TruncateOptions } from './fitting.js';
export type {
  ChatMessage,
  ChatTool,
  ContentPart,
  CountMessagesOptions,
  FunctionDefinition,
} from './messages.js';
export { type EncodingName, encodingForModel } from './models.js';
export type { PaddedBatch, PadOptions } from './padding.js';
export type { Source } from './sources.js';
export type { TextRows } from './text-rows.js';
export { TokenBatch } from './token-batch.js';
export type { Backend } from './tokenizer.js';

/**
 * Options of {@link Tokenizer.load}.
 *
 * @example
 * ```ts
 * const options: LoadOptions = { mmap: false, kernel: 'scalar' };
 * using slow = Tokenizer.loadSync('cl100k_base', options);
 * slow.backend.kernel; // 'scalar'
 * ```
 */
export interface LoadOptions {
  /** What runs the engine. This release has one backend. */
  backend?: 'native' | undefined;
  /** False: read the file into private memory instead of mapping it. A mapped file must be replaced, not edited. */
  mmap?: boolean | undefined;
  /** False: skip the checksum. The structure is always validated. */
  verify?: boolean | undefined;
  /** The row of the SIMD code to use, by name (see `crayon info`); the best one if none is named. */
  kernel?: string | undefined;
  /** The view of the cartridge, by name; that of the source, or the first one, if none is named. */
  view?: string | undefined;
}

/**
 * One vocabulary, open: text to token ids and back.
 *
 * It may be used until `close()`, and closes itself when it is forgotten. Every member but `close` throws a
 * {@link TokenizerError} with the code `CLOSED` after that.
 *
 * @example
 * ```ts
 * const tokenizer = await Tokenizer.load('o200k_base');
 * const ids = tokenizer.encode('hello world');
 * tokenizer.decode(ids); // 'hello world'
 * ```
 */
export class Tokenizer extends EngineFace {
  /**
   * Opens a vocabulary: a built-in encoding, a model name, a path or `file:` URL, bytes, or a `Response` that brings them.
   *
   * A file is mapped, not read: that takes about a millisecond the first time, and microseconds when the process has it
   * open already. Throws a {@link TokenizerError} that says what was searched, or why the file is refused.
   *
   * @example
   * ```ts
   * using tokenizer = await Tokenizer.load('gpt-4o');
   * tokenizer.name; // 'o200k_base'
   * await Tokenizer.load('gpt4o-2'); // throws TokenizerError (FILE_NOT_FOUND)
   * ```
   */
  static async load(source: Source | Response | Promise<Response>, options?: LoadOptions): Promise<Tokenizer> {
    try {
      return new Tokenizer(open(isLate(source) ? await arrived(source) : source, options));
    } catch (error) {
      throw fromCaller(error, Tokenizer.load);
    }
  }

  /**
   * The same at once, for everything but a `Response`.
   *
   * @example
   * ```ts
   * using tokenizer = Tokenizer.loadSync('text-embedding-3-small');
   * tokenizer.name; // 'cl100k_base'
   * ```
   */
  static loadSync(source: Source, options?: LoadOptions): Tokenizer {
    try {
      return new Tokenizer(open(source, options));
    } catch (error) {
      throw fromCaller(error, Tokenizer.loadSync);
    }
  }

  /**
   * Changes the vocabulary of this tokenizer, for all who hold it. Takes what `load` takes; all but a `Response` is done
   * when the call returns, in microseconds if the cartridge is open already. Streams and long calls on their way keep the
   * vocabulary that they began with. If the other cannot be opened, the tokenizer stays as it was.
   *
   * @example
   * ```ts
   * await tokenizer.swap('cl100k_base');
   * tokenizer.encode('hello world'); // Uint32Array [15339, 1917]
   * ```
   */
  async swap(source: Source | Response | Promise<Response>, options?: LoadOptions): Promise<void> {
    try {
      exchangeEngine(this, open(isLate(source) ? await arrived(source) : source, options));
    } catch (error) {
      throw fromCaller(error, Tokenizer.prototype.swap);
    }
  }

  /**
   * Gives this tokenizer another vocabulary until `fn`, which gets the tokenizer, has ended, and then the former one
   * again, also after an error. What `fn` returns is what the promise brings. If `fn` is not async, it is called and the
   * former vocabulary is back before `using` returns, for every source but a `Response`.
   *
   * @example
   * ```ts
   * await tokenizer.using('cl100k_base', (other) => other.count('hello world')); // 2
   * ```
   */
  async using<Result>(
    source: Source | Response | Promise<Response>,
    fn: (tokenizer: this) => Result | PromiseLike<Result>,
    options?: LoadOptions,
  ): Promise<Result> {
    let end: () => void;
    try {
      if (typeof fn !== 'function') throw unexpected('a function', 'fn', fn);
      end = overlayEngine(this, open(isLate(source) ? await arrived(source) : source, options));
    } catch (error) {
      throw fromCaller(error, Tokenizer.prototype.using);
    }
    try {
      const result = fn(this);
      return isPromise(result) ? await result : result;
    } finally {
      end();
    }
  }
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value;
}

// By its shape: to name the global `Response` would load Node's whole fetch.
function isResponse(source: unknown): source is Response {
  return typeof source === 'object' && source !== null && 'arrayBuffer' in source && 'ok' in source;
}

/** Whether a source has to be waited for. */
function isLate(source: Source | Response | Promise<Response>): source is Response | Promise<Response> {
  return isPromise(source) || isResponse(source);
}

async function arrived(source: Response | Promise<Response>): Promise<Source> {
  const response: unknown = await source;
  if (!isResponse(response)) return response as Source;
  if (response.ok) return response.arrayBuffer();
  throw new Error(`cannot load a cartridge from ${response.url}: ${response.status} ${response.statusText}`);
}

function open(source: Source, options: LoadOptions = {}): EngineTokenizer {
  checkOptions(options);
  const cartridge = resolveSource(source);
  try {
    const { source, view, model } = cartridge;
    return openNative(source, { ...options, view: options.view ?? view, model });
  } catch (error) {
    throw explainBuiltIn(error, cartridge);
  }
}

function checkOptions(options: LoadOptions): void {
  if (typeof options !== 'object' || options === null) throw unexpected('an object', 'options', options);
  const { backend, mmap, verify, kernel, view } = options;
  if (backend !== undefined && backend !== 'native') throw unexpected("'native'", 'backend', backend);
  if (mmap !== undefined && typeof mmap !== 'boolean') throw unexpected('a boolean', 'mmap', mmap);
  if (verify !== undefined && typeof verify !== 'boolean') throw unexpected('a boolean', 'verify', verify);
  if (kernel !== undefined && typeof kernel !== 'string') throw unexpected('a string', 'kernel', kernel);
  if (view !== undefined && typeof view !== 'string') throw unexpected('a string', 'view', view);
}
