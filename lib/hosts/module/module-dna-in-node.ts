// DNA on WebAssembly in Node: its module is a file.

import { join } from 'node:path';

import type { CompilerInput } from '../../engine/compiler.js';
import type { DnaEngine, DnaParts, Maybe, OnBases } from '../../engine/dna-engine.js';
import type { EngineTokenizer } from '../../engine/engine.js';
import { TokenizerError } from '../../base/errors.js';
import type { UnsharedUint8Array } from '../../base/typed-arrays.js';
import type { Cartridge } from '../../vocabularies/open/sources-in-node.js';
import type { LoadOptions } from '../../vocabularies/open/load-options.js';
import { packageFolder } from '../../vocabularies/open/package-files.js';
import { readCartridge } from '../../io/regular-file.js';
import type { WasmModule } from '../../vocabularies/open/source.js';
import { compileWasmDna, openWasmDna, wasmBases } from './module-dna.js';
import { modulesAt, NODE, openWasmFile, wasmCompilerHere } from './modules-in-node.js';
import { loadModule, type Modules, moduleIfHere } from './modules.js';
import { variable } from '../../base/environment.js';

const FILES = { simd128: 'dna.wasm', scalar: 'dna-scalar.wasm' };
const modules: Modules = { ...modulesAt((kernel) => join(packageFolder(), 'dist', 'wasm', FILES[kernel])), name: 'dna' };

/** The module, synchronously if possible. */
export function dnaModule({
  wasm,
  kernel = variable('CRAYON_FORCE_KERNEL'),
}: Pick<LoadOptions, 'wasm' | 'kernel'> = {}): Maybe<WasmModule> {
  return moduleIfHere(wasm, kernel, modules) ?? loadModule(wasm, kernel, modules);
}

/** Operations on bases. */
export const basesInNode: OnBases = wasmBases(() => {
  try {
    return moduleIfHere(undefined, variable('CRAYON_FORCE_KERNEL'), modules);
  } catch {
    return undefined; // a build without it
  }
});

/** Compiles a DNA vocabulary. */
export function compileWasmDnaFile(parts: DnaParts, options: LoadOptions): Maybe<UnsharedUint8Array> {
  const module = dnaModule(options);
  return module instanceof Promise ? module.then((module) => compileWasmDna(module, parts)) : compileWasmDna(module, parts);
}

/** Opens a DNA cartridge. */
export function openWasmDnaFile({ source, view }: Cartridge, options: LoadOptions, policies: Uint32Array): Maybe<DnaEngine> {
  const settings = { ...options, kernel: options.kernel ?? variable('CRAYON_FORCE_KERNEL'), view, dna: true, host: NODE };
  const [bytes, path] = typeof source === 'string' ? [readCartridge(source), source] : [source.slice(), undefined];
  const open = (module: WasmModule) => openWasmDna(module, bytes, settings, policies, basesInNode, path);
  const module = dnaModule(options);
  return module instanceof Promise ? module.then(open) : open(module);
}

/** Compiles a vocabulary and opens it. */
export function openWasmBpe(vocabulary: CompilerInput, options: LoadOptions): EngineTokenizer | Promise<EngineTokenizer> {
  const bytes = wasmCompilerHere().compile(vocabulary, 'full');
  if ('code' in bytes) throw new TokenizerError(`cannot compile: ${bytes.sentence}`, bytes);
  return openWasmFile({ source: bytes }, { ...options, wasm: undefined });
}
