/**
 * The same API with the engine embedded in the script: no files, no requests, and `loadSync` works from the start. Each
 * vocabulary has its own module, such as `crayon-tokenizer/inline/o200k_base`, which exports the same names. Parts that
 * few cartridges need, such as a normalizer, are separate scripts, loaded by `load`.
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

import core from '#embedded/core';
import { bytesOfText, inlineCartridge } from './vocabularies/open/embedded-bytes.js';
import { completeModules, scalarModule } from './hosts/module/embedded-modules.js';
import { load, loadSync } from './api/host.js';
import type { LateSource, Source } from './vocabularies/open/source.js';
import type { LoadOptions } from './vocabularies/open/load-options.js';
import { Tokenizer as OpenTokenizer } from './api/tokenizer.js';
import { openThrough } from './page-entry.js';

export * from './exports.js';

const entry = openThrough({
  packaged: (kernel) => (kernel === 'simd128' ? bytesOfText(core) : scalarModule()),
  complete: completeModules,
  cartridge: inlineCartridge,
  decoders: async () => (await import('./vocabularies/decode/decoder.js')).decoderOf,
  documents: () => import('./page-documents.js'),
});

/**
 * An open vocabulary: text to token ids and back, with the engine in WebAssembly.
 *
 * @example
 * ```ts
 * const { Tokenizer } = await import('crayon-tokenizer/inline/o200k_base');
 * using tokenizer = await Tokenizer.load('o200k_base');
 * tokenizer.decode(tokenizer.encode('hello world')); // 'hello world'
 * ```
 */
export class Tokenizer extends OpenTokenizer {
  /**
   * Opens a vocabulary: an imported one, by the name of its encoding or a model; the URL of a cartridge, bytes, or a
   * `Response` or `Blob` of them.
   *
   * @example
   * ```ts
   * const { Tokenizer } = await import('crayon-tokenizer/inline/o200k_base');
   * using tokenizer = await Tokenizer.load('gpt-4o');
   * tokenizer.name; // 'o200k_base'
   * ```
   */
  static load(source: Source | LateSource, options?: LoadOptions): Promise<Tokenizer> {
    return load(Tokenizer, entry, source, options);
  }

  /**
   * Synchronous version of `load`, for names and bytes.
   *
   * @example
   * ```ts
   * const { Tokenizer } = await import('crayon-tokenizer/inline/o200k_base');
   * using tokenizer = Tokenizer.loadSync('o200k_base');
   * tokenizer.count('hello world'); // 2
   * ```
   */
  static loadSync(source: Source, options?: LoadOptions): Tokenizer {
    return loadSync(Tokenizer, entry, source, options);
  }
}
