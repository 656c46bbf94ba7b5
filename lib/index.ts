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
 * @packageDocumentation
 */

import { fromCaller, unexpected } from './errors.js';
import { openNative } from './native-backend.js';
import { explainBuiltIn, resolveSource, type Source } from './sources.js';
import { Tokenizer as EngineFace } from './tokenizer.js';

export type { EncodeOptions, SpecialPolicy, TokenIds } from './arguments.js';
export { type StatusCode, TokenizerError } from './errors.js';
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
export type { Backend, DecodeOptions } from './tokenizer.js';

/** Options of {@link Tokenizer.load}. */
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

/** One vocabulary, open: text to token ids and back. */
export class Tokenizer extends EngineFace {
  /**
   * Opens a vocabulary: a built-in encoding, a model name, a path or `file:` URL, bytes, or a `Response` that brings them.
   *
   * @example
   * ```ts
   * using tokenizer = await Tokenizer.load('gpt-4o');
   * ```
   */
  static async load(source: Source | Response | Promise<Response>, options?: LoadOptions): Promise<Tokenizer> {
    try {
      const given = isPromise(source) ? await source : source;
      return open(isResponse(given) ? await bodyOf(given) : given, options);
    } catch (error) {
      throw fromCaller(error, Tokenizer.load);
    }
  }

  /** The same at once, for everything but a `Response`. */
  static loadSync(source: Source, options?: LoadOptions): Tokenizer {
    try {
      return open(source, options);
    } catch (error) {
      throw fromCaller(error, Tokenizer.loadSync);
    }
  }
}

function isPromise(source: unknown): source is Promise<Response> {
  return typeof source === 'object' && source !== null && 'then' in source;
}

// By its shape: to name the global `Response` would load Node's whole fetch.
function isResponse(source: unknown): source is Response {
  return typeof source === 'object' && source !== null && 'arrayBuffer' in source && 'ok' in source;
}

async function bodyOf(response: Response): Promise<ArrayBuffer> {
  if (response.ok) return response.arrayBuffer();
  throw new Error(`cannot load a cartridge from ${response.url}: ${response.status} ${response.statusText}`);
}

function open(source: Source, options: LoadOptions = {}): Tokenizer {
  checkOptions(options);
  const cartridge = resolveSource(source);
  try {
    const { source, view, model } = cartridge;
    return new Tokenizer(openNative(source, { ...options, view: options.view ?? view, model }));
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
