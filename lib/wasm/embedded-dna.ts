// The module for DNA, embedded in JavaScript and loaded when first needed.

import { bytesOfText } from '../open/embedded-bytes.js';
import type { WasmModule, WasmSource } from '../open/source.js';
import type { WasmBytes } from './module.js';
import { loadModule, type Modules } from './modules.js';

export const embeddedDnaModules: Modules = {
  name: 'dna',
  async own(kernel): Promise<WasmBytes> {
    const { default: text } = await (kernel === 'simd128' ? import('#embedded/dna') : import('#embedded/dna-scalar'));
    return bytesOfText(text);
  },
};

export function embeddedDna(given: WasmSource | undefined): Promise<WasmModule> {
  return loadModule(given, undefined, embeddedDnaModules);
}
