// The engine's modules, embedded in JavaScript and each loaded when first needed.

import { bytesOfText } from '../../vocabularies/open/embedded-bytes.js';
import type { WasmBytes } from './module.js';
import type { Modules } from './modules.js';

export const embeddedModules: Modules = {
  packaged: (kernel) => (kernel === 'simd128' ? coreModule() : scalarModule()),
};

/** The modules for cartridges that need more than most vocabularies do. */
export const completeModules: Modules = {
  name: 'build',
  packaged: (kernel) => (kernel === 'simd128' ? buildModule() : scalarModule()),
};

const coreModule = async (): Promise<WasmBytes> => bytesOfText((await import('#embedded/core')).default);
const buildModule = async (): Promise<WasmBytes> => bytesOfText((await import('#embedded/build')).default);

/** The module for hosts without vectors, which is complete. */
export async function scalarModule(): Promise<WasmBytes> {
  return bytesOfText((await import('#embedded/core-scalar')).default);
}
