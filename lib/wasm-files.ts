// The engine in WebAssembly under Node: the module and the cartridges are files.

import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { markAsUntransferable } from 'node:worker_threads';

import type { EngineTokenizer } from './backend.js';
import { readCartridge } from './cartridge-bytes.js';
import { readDat } from './dat.js';
import { datOf } from './dat-file.js';
import { protectSlabs } from './id-slab.js';
import { checkNoUnknownId, type LoadOptions } from './load-options.js';
import type { Cartridge } from './sources.js';
import { openWasm } from './wasm-backend.js';
import { writeUnitsWith } from './wasm-core.js';
import { loadModule, type Modules, moduleIfHere } from './wasm-loader.js';

const MODULES = { simd128: 'core.wasm', scalar: 'core-scalar.wasm' };

protectSlabs(markAsUntransferable);
writeUnitsWith((memory) => {
  const buffer = Buffer.from(memory);
  return (text, address) => void buffer.write(text, address, 2 * text.length, 'utf16le');
});

/** Where the module for a kernel is. */
export function modulePath(kernel: 'simd128' | 'scalar'): string {
  return fileURLToPath(new URL(`./wasm/${MODULES[kernel]}`, import.meta.url));
}

/** Where the module that compiles cartridges is. */
export function buildModulePath(): string {
  return fileURLToPath(new URL('./wasm/build.wasm', import.meta.url));
}

/** Whether the package has the module at all: it is left out where it was built without Emscripten. */
export function hasWasm(): boolean {
  return existsSync(modulePath('simd128'));
}

/** Opens a cartridge; at once, unless a module has to be waited for that the options name. */
export function openWasmFile(cartridge: Cartridge, options: LoadOptions): EngineTokenizer | Promise<EngineTokenizer> {
  const kernel = options.kernel ?? process.env.CRAYON_FORCE_KERNEL;
  const module = moduleIfHere(options.wasm, kernel, modules);
  const { source, view, model } = cartridge;
  const beside = datOf(source, options.unknownId);
  if (!beside) checkNoUnknownId(options);
  const settings = { ...options, kernel, view: options.view ?? view, model, dat: beside && readDat(beside) };
  const [bytes, path] = typeof source === 'string' ? [readCartridge(source), source] : [source, undefined];
  if (module) return openWasm(module, bytes, settings, path);
  return loadModule(options.wasm, kernel, modules).then((module) => openWasm(module, bytes, settings, path));
}

const modules: Modules = {
  own(kernel) {
    const path = modulePath(kernel);
    try {
      return readFileSync(path);
    } catch (error) {
      const message =
        `crayon-tokenizer found no WebAssembly module ${path}. ` +
        'To build it, run "npm run build" in the package\'s folder; it needs Emscripten (em++).';
      throw new Error(message, { cause: error });
    }
  },
  read(place) {
    const isFile = typeof place === 'string' ? !/^[a-z][a-z+.-]+:\/\//i.test(place) : place.protocol === 'file:';
    if (isFile) return readFileSync(place);
    return undefined;
  },
};
