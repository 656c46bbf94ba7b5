/**
 * The same API with the engine in the script itself: no file, no request, and `loadSync` from the start. A vocabulary
 * comes with a module of its own, `crayon-tokenizer/inline/o200k_base` and its like, which exports the same again.
 *
 * @example
 * ```ts
 * import { Tokenizer } from 'crayon-tokenizer/inline/o200k_base';
 *
 * using tokenizer = Tokenizer.loadSync('o200k_base');
 * tokenizer.encode('hello world'); // Uint32Array [24912, 2375]
 * ```
 *
 * @module crayon-tokenizer/inline
 */

import core from './embedded/core.js';
import { bytesOfText } from './embedded-bytes.js';
import { embeddedModules } from './embedded-modules.js';
import { fromCaller } from './errors.js';
import { inlineCartridge } from './inline-cartridges.js';
import type { LateSource } from './late-source.js';
import type { LoadOptions } from './load-options.js';
import { LoadedTokenizer } from './loaded-tokenizer.js';
import type { Source } from './sources.js';
import { openThrough } from './web-opening.js';

export * from './exports.js';

const { later, now } = openThrough({
  own: (kernel) => (kernel === 'simd128' ? bytesOfText(core) : embeddedModules.own(kernel)),
  cartridge: inlineCartridge,
});

/**
 * One vocabulary, open: text to token ids and back, by the engine in WebAssembly.
 *
 * @example
 * ```ts
 * const { Tokenizer } = await import('crayon-tokenizer/inline/o200k_base');
 * using tokenizer = await Tokenizer.load('o200k_base');
 * tokenizer.decode(tokenizer.encode('hello world')); // 'hello world'
 * ```
 */
export class Tokenizer extends LoadedTokenizer {
  /**
   * Opens a vocabulary: one whose module is imported, by the name of its encoding or of a model; the URL of a cartridge,
   * bytes, or a `Response` or `Blob` that brings them.
   *
   * @example
   * ```ts
   * const { Tokenizer } = await import('crayon-tokenizer/inline/o200k_base');
   * using tokenizer = await Tokenizer.load('gpt-4o');
   * tokenizer.name; // 'o200k_base'
   * ```
   */
  static async load(source: Source | LateSource, options?: LoadOptions): Promise<Tokenizer> {
    try {
      return new Tokenizer(await later(source, options), later);
    } catch (error) {
      throw fromCaller(error, Tokenizer.load);
    }
  }

  /**
   * The same at once, for names and bytes.
   *
   * @example
   * ```ts
   * const { Tokenizer } = await import('crayon-tokenizer/inline/o200k_base');
   * using tokenizer = Tokenizer.loadSync('o200k_base');
   * tokenizer.count('hello world'); // 2
   * ```
   */
  static loadSync(source: Source, options?: LoadOptions): Tokenizer {
    try {
      return new Tokenizer(now(source, options), later);
    } catch (error) {
      throw fromCaller(error, Tokenizer.loadSync);
    }
  }
}
