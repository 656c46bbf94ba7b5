/**
 * The same API as `crayon-tokenizer` with the engine in WebAssembly, in Node too.
 *
 * @example
 * ```ts
 * import { Tokenizer } from 'crayon-tokenizer/wasm';
 *
 * using tokenizer = Tokenizer.loadSync('o200k_base');
 * tokenizer.backend.kind; // 'wasm'
 * tokenizer.encode('hello world'); // Uint32Array [24912, 2375]
 * ```
 *
 * @module crayon-tokenizer/wasm
 */

import type { EngineTokenizer } from './backend.js';
import type { CompileOptions, TokenList } from './compile-options.js';
import { fromCaller, unexpected } from './errors.js';
import { arrived, isLate, type LateSource } from './late-source.js';
import { checkOptions, type LoadOptions } from './load-options.js';
import { atOnce, LoadedTokenizer } from './loaded-tokenizer.js';
import { explainBuiltIn, resolveSource, type Source } from './sources.js';
import { openWasmFile } from './wasm-files.js';

export * from './exports.js';

/**
 * The same as `compileCartridge` of `crayon-tokenizer`, in WebAssembly.
 *
 * @example
 * ```ts
 * const { compileCartridge, Tokenizer } = await import('crayon-tokenizer/wasm');
 * using own = await Tokenizer.load(await compileCartridge(['a', 'b', 'ab']));
 * own.encode('abba'); // Uint32Array [2, 1, 0]
 * ```
 */
export async function compileCartridge(
  source: Source | LateSource | TokenList,
  options: CompileOptions = {},
): Promise<Uint8Array> {
  try {
    const { compileInNode } = await import('./compile-in-node.js');
    return await compileInNode(source, { ...options, backend: 'wasm' });
  } catch (error) {
    throw options?.signal?.aborted ? error : fromCaller(error, compileCartridge);
  }
}

/**
 * One vocabulary, open: text to token ids and back, by the engine in WebAssembly.
 *
 * @example
 * ```ts
 * const { Tokenizer } = await import('crayon-tokenizer/wasm');
 * using tokenizer = await Tokenizer.load('o200k_base');
 * tokenizer.decode(tokenizer.encode('hello world')); // 'hello world'
 * ```
 */
export class Tokenizer extends LoadedTokenizer {
  /**
   * Opens a vocabulary: a built-in encoding, a model name, a path or `file:` URL, bytes, or a `Response` or `Blob` that
   * brings them. The file is read and copied into the memory of the tokenizer's own instance, which takes some milliseconds.
   *
   * @example
   * ```ts
   * const { Tokenizer } = await import('crayon-tokenizer/wasm');
   * using tokenizer = await Tokenizer.load('gpt-4o');
   * tokenizer.name; // 'o200k_base'
   * ```
   */
  static async load(source: Source | LateSource, options?: LoadOptions): Promise<Tokenizer> {
    try {
      return new Tokenizer(await open(source, options), open);
    } catch (error) {
      throw fromCaller(error, Tokenizer.load);
    }
  }

  /**
   * The same at once, for everything that needs no waiting for.
   *
   * @example
   * ```ts
   * const { Tokenizer } = await import('crayon-tokenizer/wasm');
   * using tokenizer = Tokenizer.loadSync('gpt2');
   * tokenizer.count('hello world'); // 2
   * ```
   */
  static loadSync(source: Source, options?: LoadOptions): Tokenizer {
    try {
      return new Tokenizer(atOnce(openHere(source, options)), open);
    } catch (error) {
      throw fromCaller(error, Tokenizer.loadSync);
    }
  }
}

function open(source: Source | LateSource, options?: LoadOptions): EngineTokenizer | Promise<EngineTokenizer> {
  if (isLate(source)) return arrived(source).then((source) => openHere(source, options));
  return openHere(source, options);
}

function openHere(source: Source, options: LoadOptions = {}): EngineTokenizer | Promise<EngineTokenizer> {
  checkOptions(options);
  if (options.backend === 'native') throw unexpected("'wasm'", 'backend', options.backend);
  const cartridge = resolveSource(source);
  try {
    return openWasmFile(cartridge, options);
  } catch (error) {
    throw explainBuiltIn(error, cartridge);
  }
}
