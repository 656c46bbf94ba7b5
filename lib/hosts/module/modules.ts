// The engine's modules: each is compiled once and shared by all tokenizers of a page.

import { checkWasmSource, isLocation, isModule, isResponse, type WasmModule, type WasmSource } from '../../vocabularies/open/source.js';
import { bytesOf, isPromise } from '../../base/views.js';
import { TokenizerError, unexpected } from '../../base/errors.js';
import { explainPolicy, hasVectors, moduleNow, wasm, type WasmBytes } from './module.js';

/** Where a host finds modules. */
export interface Modules {
  /** The modules' name, unless they are the ones set by {@link useWasm}. */
  name?: string;
  /** The package's own module for a kernel. */
  packaged(kernel: 'simd128' | 'scalar'): WasmSource;
  /** The complete modules, if the package's own lack features that some cartridges need. */
  complete?: Modules;
  /** The bytes at a location that the host reads itself; undefined if `fetch` should be used. */
  read?(location: URL | string): WasmBytes | undefined;
}

/** The modules set by useWasm and useDnaWasm, by name. */
const chosen = new Map<string, WasmSource | undefined>();
const compiled = new WeakMap<object, WasmModule>();
const underWay = new WeakMap<object, Promise<WasmModule>>();
/** The cache key of a URL, or of the package's own module for a kernel. */
const keys = new Map<string, object>();

/**
 * Sets the WebAssembly module for tokenizers loaded from now on, unless `load` is passed another one. Edge workers,
 * which cannot compile bytes, pass their imported module. Undefined restores the package's own.
 *
 * @example
 * ```ts
 * useWasm(new URL(import.meta.resolve('crayon-tokenizer/core.wasm')));
 * using tokenizer = await Tokenizer.load('gpt2', { backend: 'wasm' });
 * tokenizer.backend.kind; // 'wasm'
 * ```
 */
export function useWasm(source: WasmSource | undefined): void {
  choose('', source);
}

/**
 * The same for `DnaTokenizer`, `readFasta` and `readFastq`, which use a separate module: `crayon-tokenizer/dna.wasm`.
 *
 * @example
 * ```ts
 * useDnaWasm(new URL(import.meta.resolve('crayon-tokenizer/dna.wasm')));
 * using dna = await DnaTokenizer.load('hyenadna', { backend: 'wasm' });
 * dna.encode('ACGT'); // Int32Array [7, 8, 9, 10]
 * ```
 */
export function useDnaWasm(source: WasmSource | undefined): void {
  choose('dna', source);
}

function choose(name: string, source: WasmSource | undefined): void {
  if (source !== undefined) checkWasmSource(source);
  chosen.set(name, source);
}

/** The module for a tokenizer; compiles it if necessary. */
export async function loadModule(wanted: WasmSource | undefined, kernel: string | undefined, modules: Modules): Promise<WasmModule> {
  const { key, source } = request(wanted, kernel, modules);
  const ready = compiled.get(key);
  if (ready) return ready;
  let coming = underWay.get(key);
  if (!coming) {
    coming = compile(source());
    underWay.set(key, coming);
  }
  try {
    const module = await coming;
    compiled.set(key, module);
    return module;
  } finally {
    // A retry may succeed.
    underWay.delete(key);
  }
}

/** The same synchronously, if the module is compiled or its bytes are available; else undefined. */
export function moduleIfHere(wanted: WasmSource | undefined, kernel: string | undefined, modules: Modules): WasmModule | undefined {
  const { key, source } = request(wanted, kernel, modules);
  const ready = compiled.get(key);
  if (ready) return ready;
  const received = source();
  if (isLocation(received) || isPromise(received) || isResponse(received)) {
    // Nobody awaits it, so a failure must not become an unhandled rejection.
    if (isPromise(received)) received.then(undefined, () => undefined);
    return undefined;
  }
  const module = moduleNow(received);
  compiled.set(key, module);
  return module;
}

/**
 * The modules with which to retry a tokenizer that failed to open; undefined if it failed for another reason, or the caller chose
 * the module.
 */
export function modulesFor(failure: unknown, wanted: WasmSource | undefined, modules: Modules): Modules | undefined {
  const isMissing = failure instanceof TokenizerError && failure.code === 'FEATURE_MISSING';
  return isMissing && wanted === undefined && chosen.get(modules.name ?? '') === undefined ? modules.complete : undefined;
}

/** The complete module, if it is compiled already, or the host reads it now; undefined if the caller chose the module. */
export function completeModule(wanted: WasmSource | undefined, kernel: string | undefined, modules: Modules): WasmModule | undefined {
  const complete = modulesToCompileWith(wanted, modules);
  if (complete === modules) return undefined;
  const ready = compiled.get(request(undefined, kernel, complete).key);
  return ready ?? (complete.read ? moduleIfHere(undefined, kernel, complete) : undefined);
}

/** The modules for what is compiled first, and for documents: the complete ones, unless the caller chose a module. */
export function modulesToCompileWith(wanted: WasmSource | undefined, modules: Modules): Modules {
  const isChosen = wanted !== undefined || chosen.get(modules.name ?? '') !== undefined;
  return isChosen ? modules : (modules.complete ?? modules);
}

/** The module that the caller chose, if it can compile and train; undefined if not, or if none was chosen. */
export async function chosenBuild(): Promise<WasmModule | undefined> {
  const source = chosen.get('');
  if (source === undefined) return undefined;
  const module = await loadModule(source, undefined, { packaged: () => source });
  return wasm.Module.exports(module).some(({ name }) => name === 'crayon_trainer_create') ? module : undefined;
}

function request(wanted: WasmSource | undefined, kernel: string | undefined, modules: Modules): { key: object; source: () => WasmSource } {
  const source = wanted ?? chosen.get(modules.name ?? '');
  if (source === undefined) {
    const row = kernel === 'scalar' || !hasVectors() ? 'scalar' : 'simd128';
    return { key: keyOf(`${modules.name ?? ''}${row}`), source: () => modules.packaged(row) };
  }
  if (isLocation(source)) return { key: keyOf(String(source)), source: () => modules.read?.(source) ?? source };
  return { key: source, source: () => source };
}

function keyOf(name: string): object {
  let key = keys.get(name);
  if (!key) {
    key = {};
    keys.set(name, key);
  }
  return key;
}

async function compile(source: WasmSource): Promise<WasmModule> {
  try {
    return await compileSource(source);
  } catch (error) {
    throw explainPolicy(error);
  }
}

async function compileSource(source: WasmSource): Promise<WasmModule> {
  const received: unknown = isLocation(source) ? await fetch(source) : await source;
  if (isModule(received)) return received as WasmModule;
  if (!isResponse(received)) {
    const bytes = bytesOf(received, 'wasm');
    if (!bytes) throw unexpected('a WebAssembly.Module, its bytes, a URL or a Response', 'wasm', received);
    return wasm.compile(bytes);
  }
  const { ok, url, status, statusText } = received;
  if (!ok) throw new Error(`cannot load the WebAssembly module from ${url}: ${status} ${statusText}`);
  // The browser compiles while downloading, if the server sends the right content type.
  if (wasm.compileStreaming && received.headers.get('content-type')?.split(';', 1)[0]?.trim() === 'application/wasm') {
    return wasm.compileStreaming(received);
  }
  return wasm.compile(await received.arrayBuffer());
}
