// How the drop-ins open vocabularies in pages: everything is in scripts, so that nothing is asynchronous. Each entry
// embeds one module, and no page needs a second one.

import { inlineCartridge } from '../../vocabularies/open/embedded-bytes.js';
import type { WasmSource } from '../../vocabularies/open/source.js';
import type { Decoders } from '../../vocabularies/metadata.js';
import { Vocabulary } from '../../vocabularies/vocabulary.js';
import { scalarModule } from '../../hosts/module/embedded-modules.js';
import { openThrough } from '../../page-entry.js';

/** Opens vocabularies by a module. `decoders`: opens a vocabulary that has a decoder. */
export function openedBy(module: () => WasmSource, decoders?: Decoders): (source: string | Uint8Array) => Vocabulary {
  const { openSync } = openThrough({
    packaged: (kernel) => (kernel === 'simd128' ? module() : scalarModule()),
    cartridge: inlineCartridge,
  });
  return (source) => new Vocabulary(openSync(source), decoders);
}
