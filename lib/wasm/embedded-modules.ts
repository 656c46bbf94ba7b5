// The engine's modules embedded in JavaScript, each loaded when its kernel is first needed.

import { bytesOfText } from '../open/embedded-bytes.js';
import type { WasmBytes } from './module.js';
import type { Modules } from './modules.js';

export const embeddedModules: Modules = {
  async own(kernel): Promise<WasmBytes> {
    const { default: text } = await (kernel === 'simd128' ? import('../embedded/core.js') : import('../embedded/core-scalar.js'));
    return bytesOfText(text);
  },
  withNormalizers: {
    name: 'build',
    async own(kernel) {
      return kernel === 'simd128' ? bytesOfText((await import('../embedded/build.js')).default) : embeddedModules.own(kernel);
    },
  },
};
