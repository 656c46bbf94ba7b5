/**
 * The same API as `crayon-tokenizer`, with the engine in WebAssembly in Node too. Both entries have the same types.
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

import { load, loadSync } from './api/host.js';
import { nodeEntry } from './node-entry.js';
import { type LoadOptions, onlyWasm } from './vocabularies/open/load-options.js';
import type { LateSource, Source } from './vocabularies/open/source.js';
import { Tokenizer as OpenTokenizer } from './api/tokenizer.js';

export * from './exports.js';

const entry = /* @__PURE__ */ nodeEntry({ kindOf: onlyWasm });

export const { compileCartridge, trainBpe } = entry;

export class Tokenizer extends OpenTokenizer {
  static load(source: Source | LateSource, options?: LoadOptions): Promise<Tokenizer> {
    return load(Tokenizer, entry, source, options);
  }

  static loadSync(source: Source, options?: LoadOptions): Tokenizer {
    return loadSync(Tokenizer, entry, source, options);
  }
}
