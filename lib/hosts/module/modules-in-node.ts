// The WebAssembly backend in Node: the modules and the cartridges are files.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Compiler } from '../../engine/compiler.js';
import type { WasmModule } from '../../vocabularies/open/source.js';
import type { EngineTokenizer } from '../../engine/engine.js';
import { wasmCompiler } from './module-compiler.js';
import type { WasmHost } from './core.js';
import { openText } from './module-documents.js';
import { moduleNow } from './module.js';
import { readCartridge } from '../../io/regular-file.js';
import { readDat } from '../../vocabularies/open/dat.js';
import { type Cartridge, datOf } from '../../vocabularies/open/sources-in-node.js';
import { adviceOnFiles, packageFolder } from '../../vocabularies/open/package-files.js';
import { markAsUntransferable } from '../../vocabularies/open/threads.js';
import { checkNoUnknownId, type LoadOptions } from '../../vocabularies/open/load-options.js';
import { openWasm } from './module-tokenizer.js';
import { completeModule, loadModule, type Modules, modulesFor, moduleIfHere, modulesToCompileWith } from './modules.js';
import { variable } from '../../base/environment.js';

const MODULES = { simd128: 'core.wasm', scalar: 'core-scalar.wasm' };

export const NODE: WasmHost = {
  unitWriterFor(memory) {
    const buffer = Buffer.from(memory);
    return (text, address) => void buffer.write(text, address, 2 * text.length, 'utf16le');
  },
  markAsUntransferable,
};

/** The path of the module for a kernel. */
export function modulePath(kernel: 'simd128' | 'scalar'): string {
  return join(packageFolder(), 'dist', 'wasm', MODULES[kernel]);
}

/** The path of the module that compiles cartridges. */
export function buildModulePath(): string {
  return join(packageFolder(), 'dist', 'wasm', 'build.wasm');
}

/** Whether the package has the module: a build without Emscripten lacks it. */
export function hasWasm(): boolean {
  return existsSync(modulePath('simd128'));
}

/** Opens a cartridge; synchronously, unless a module named in the options is not available yet. */
export function openWasmFile(cartridge: Cartridge, options: LoadOptions): EngineTokenizer | Promise<EngineTokenizer> {
  const kernel = options.kernel ?? variable('CRAYON_FORCE_KERNEL');
  const preferred = options.documents ? modulesToCompileWith(options.wasm, modules) : modules;
  const module = moduleIfHere(options.wasm, kernel, preferred);
  const { source, view, model } = cartridge;
  const beside = datOf(source, options);
  if (!beside) checkNoUnknownId(options);
  const dat = beside && readDat(beside);
  const settings = { ...options, kernel, view: options.view ?? view, model, dat, texts: () => openText, host: NODE };
  const [bytes, path] = typeof source === 'string' ? [readCartridge(source), source] : [source, undefined];
  if (module) return openHere(module, bytes);
  const copy = path === undefined ? bytes.slice() : bytes; // the caller may change its bytes until then
  return loadModule(options.wasm, kernel, preferred).then((module) => openHere(module, copy));

  function openHere(module: WasmModule, bytes: Uint8Array): EngineTokenizer {
    const whole = () => {
      const other = completeModule(options.wasm, kernel, modules);
      return other && openWasm(other, path === undefined ? bytes : readCartridge(path), settings, path);
    };
    try {
      return openWasm(module, bytes, { ...settings, whole }, path);
    } catch (error) {
      const others = modulesFor(error, options.wasm, modules);
      const other = others && moduleIfHere(undefined, kernel, others);
      if (!other) throw error;
      return openWasm(other, bytes, settings, path);
    }
  }
}

let compiler: Compiler | undefined;

/** The compiler for this thread. */
export function wasmCompilerHere(): Compiler {
  compiler ??= wasmCompiler(moduleNow(readFileSync(buildModulePath())));
  return compiler;
}

const modules: Modules = {
  ...modulesAt((kernel) => modulePath(kernel)),
  complete: { ...modulesAt((kernel) => (kernel === 'simd128' ? buildModulePath() : modulePath(kernel))), name: 'build' },
};

/** Modules that are files of the package, each at a path. */
export function modulesAt(pathOf: (kernel: 'simd128' | 'scalar') => string): Modules {
  return {
    packaged(kernel) {
      const path = pathOf(kernel);
      try {
        return readFileSync(path);
      } catch (error) {
        const advice = adviceOnFiles('npm run build', '; it needs Emscripten (em++)');
        const message = `crayon-tokenizer found no WebAssembly module ${path}. ${advice}`;
        throw new Error(message, { cause: error });
      }
    },
    read(location) {
      const isFile = typeof location === 'string' ? !/^[a-z][a-z+.-]+:\/\//i.test(location) : location.protocol === 'file:';
      if (isFile) return readFileSync(location);
      return undefined;
    },
  };
}
