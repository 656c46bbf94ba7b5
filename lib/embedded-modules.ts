// The engine's modules as the package embeds them in JavaScript, brought when a kernel is first needed.

import { bytesOfText } from './embedded-bytes.js';
import type { WasmBytes } from './wasm-module.js';
import type { Modules } from './wasm-loader.js';

export const embeddedModules: Modules = {
  async own(kernel): Promise<WasmBytes> {
    const { default: text } = await (kernel === 'simd128' ? import('./embedded/core.js') : import('./embedded/core-scalar.js'));
    return bytesOfText(text);
  },
};
