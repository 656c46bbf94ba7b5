// The WebAssembly backend in Node: the modules and the cartridges are files.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { markAsUntransferable } from 'node:worker_threads';

import type { EngineTokenizer } from '../tokenizer/engine.js';
import { readCartridge } from '../open/read-cartridge.js';
import { readDat } from '../open/dat.js';
import { datOf } from '../open/dat-file.js';
import { protectSlabs } from './id-slab.js';
import { packageFolder } from '../open/package-files.js';
import { checkNoUnknownId, type LoadOptions } from '../open/load-options.js';
import type { Cartridge } from '../open/in-node.js';
import type { WasmModule } from '../open/wasm-source.js';
import { openWasm } from './engine.js';
import { writeUnitsWith } from './core.js';
import { loadModule, type Modules, moduleIfHere } from './modules.js';

const MODULES = { simd128: 'core.wasm', scalar: 'core-scalar.wasm' };
const DNA_MODULES = { simd128: 'dna.wasm', scalar: 'dna-scalar.wasm' };

protectSlabs(markAsUntransferable);
writeUnitsWith((memory) => {
  const buffer = Buffer.from(memory);
  return (text, address) => void buffer.write(text, address, 2 * text.length, 'utf16le');
});

/** The path of the module for a kernel. */
export function modulePath(kernel: 'simd128' | 'scalar'): string {
  return join(packageFolder(), 'dist', 'wasm', MODULES[kernel]);
}

/** The path of the module that compiles cartridges. */
export function buildModulePath(): string {
  return join(packageFolder(), 'dist', 'wasm', 'build.wasm');
}

/** The module for DNA. */
export function dnaModule(): WasmModule {
  return moduleIfHere(undefined, process.env.CRAYON_FORCE_KERNEL, dnaModules) as WasmModule;
}

/** Whether the package has the module: a build without Emscripten lacks it. */
export function hasWasm(): boolean {
  return existsSync(modulePath('simd128'));
}

/** Opens a cartridge; synchronously, unless a module that the options name is not available yet. */
export function openWasmFile(cartridge: Cartridge, options: LoadOptions): EngineTokenizer | Promise<EngineTokenizer> {
  const kernel = options.kernel ?? process.env.CRAYON_FORCE_KERNEL;
  const module = moduleIfHere(options.wasm, kernel, modules);
  const { source, view, model } = cartridge;
  const beside = datOf(source, options.unknownId);
  if (!beside) checkNoUnknownId(options);
  const settings = { ...options, kernel, view: options.view ?? view, model, dat: beside && readDat(beside) };
  const [bytes, path] = typeof source === 'string' ? [readCartridge(source), source] : [source, undefined];
  if (module) return openWasm(module, bytes, settings, path);
  const own = path === undefined ? bytes.slice() : bytes; // the caller may change its bytes until then
  return loadModule(options.wasm, kernel, modules).then((module) => openWasm(module, own, settings, path));
}

const modules: Modules = {
  own: (kernel) => readModule(modulePath(kernel)),
  read(place) {
    const isFile = typeof place === 'string' ? !/^[a-z][a-z+.-]+:\/\//i.test(place) : place.protocol === 'file:';
    if (isFile) return readFileSync(place);
    return undefined;
  },
};

const dnaModules: Modules = {
  name: 'dna',
  own: (kernel) => readModule(join(packageFolder(), 'dist', 'wasm', DNA_MODULES[kernel])),
};

function readModule(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    const message =
      `crayon-tokenizer found no WebAssembly module ${path}. ` +
      'To build it, run "npm run build" in the package\'s folder; it needs Emscripten (em++).';
    throw new Error(message, { cause: error });
  }
}
