// How the drop-ins open vocabularies in pages: everything is in scripts, so that nothing is asynchronous. Each entry
// embeds one module, and no page needs a second one.

import { inlineCartridge } from '../open/inline-cartridges.js';
import type { WasmSource } from '../open/wasm-source.js';
import { fromCaller } from '../base/errors.js';
import { Tokenizer } from '../tokenizer/tokenizer.js';
import { scalarModule } from '../wasm/embedded-modules.js';
import { openThrough } from '../wasm/on-web.js';

/** Tokenizers opened by a module. */
export function tokenizersIn(module: () => WasmSource) {
  const { now } = openThrough({ own: (kernel) => (kernel === 'simd128' ? module() : scalarModule()), cartridge: inlineCartridge });
  return { loadSync };

  function loadSync(source: string | Uint8Array): Tokenizer {
    try {
      return new Tokenizer(now(source));
    } catch (error) {
      throw fromCaller(error, loadSync);
    }
  }
}
