// Modules of the engine: each is compiled once, and all tokenizers of a page share it.

import { bytesOf, tagOf } from './arguments.js';
import { unexpected } from './errors.js';
import { isPromise } from './late-source.js';
import { hasVectors, isModule, moduleNow, wasm, type WasmBytes, type WasmModule } from './wasm-module.js';

/**
 * What the engine's module comes from: a `WebAssembly.Module`, bytes, a URL, what `fetch` gives, or a promise of one.
 *
 * @example
 * ```ts
 * const module: WasmSource = new URL(import.meta.resolve('crayon-tokenizer/core.wasm'));
 * using tokenizer = await Tokenizer.load('gpt2', { backend: 'wasm', wasm: module });
 * tokenizer.count('hello world'); // 2
 * ```
 */
export type WasmSource =
  | WasmModule
  | ArrayBuffer
  | ArrayBufferView
  | URL
  | string
  | Response
  | PromiseLike<WasmModule | ArrayBuffer | ArrayBufferView | Response>;

/** Where a host has modules. */
export interface Modules {
  /** The package's own for a kernel. */
  own(kernel: 'simd128' | 'scalar'): WasmSource;
  /** What is at a place that the host reads itself; undefined where that is left to `fetch`. */
  read?(place: URL | string): WasmBytes | undefined;
}

let chosen: WasmSource | undefined;
const compiled = new WeakMap<object, WasmModule>();
const underWay = new WeakMap<object, Promise<WasmModule>>();
/** What stands for a URL, or for the package's own module of a kernel. */
const keys = new Map<string, object>();

/**
 * Sets where tokenizers that are loaded from now on take the engine's WebAssembly module from, unless `load` is given
 * another. Edge workers, which compile no bytes, hand in the module that they import. Undefined: the package's own again.
 *
 * @example
 * ```ts
 * useWasm(new URL(import.meta.resolve('crayon-tokenizer/core.wasm')));
 * using tokenizer = await Tokenizer.load('gpt2', { backend: 'wasm' });
 * tokenizer.backend.kind; // 'wasm'
 * ```
 */
export function useWasm(source: WasmSource | undefined): void {
  if (source !== undefined) checkWasmSource(source);
  chosen = source;
}

/** Throws a TypeError for what is no source of a module. */
export function checkWasmSource(source: unknown): void {
  if (isModule(source) || isLocation(source) || isPromise(source) || isResponse(source) || bytesOf(source, 'wasm')) return;
  throw unexpected('a WebAssembly.Module, its bytes, a URL or a Response', 'wasm', source);
}

/** The module for a tokenizer, compiled already or not. */
export async function loadModule(
  given: WasmSource | undefined,
  kernel: string | undefined,
  modules: Modules,
): Promise<WasmModule> {
  const { key, source } = request(given, kernel, modules);
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
    // What has failed may succeed another time.
    underWay.delete(key);
  }
}

/** The same at once: the module is compiled already, or its bytes are here; undefined if it has to be waited for. */
export function moduleIfHere(
  given: WasmSource | undefined,
  kernel: string | undefined,
  modules: Modules,
): WasmModule | undefined {
  const { key, source } = request(given, kernel, modules);
  const ready = compiled.get(key);
  if (ready) return ready;
  const here = source();
  if (isLocation(here) || isPromise(here) || isResponse(here)) {
    // Nobody waits for it, so nobody may be told that it failed.
    if (isPromise(here)) here.then(undefined, () => undefined);
    return undefined;
  }
  const module = moduleNow(here);
  compiled.set(key, module);
  return module;
}

function request(
  given: WasmSource | undefined,
  kernel: string | undefined,
  modules: Modules,
): { key: object; source: () => WasmSource } {
  const own = given ?? chosen;
  if (own === undefined) {
    const row = kernel === 'scalar' || !hasVectors() ? 'scalar' : 'simd128';
    return { key: keyOf(row), source: () => modules.own(row) };
  }
  if (isLocation(own)) return { key: keyOf(String(own)), source: () => modules.read?.(own) ?? own };
  return { key: own, source: () => own };
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
  const brought: unknown = isLocation(source) ? await fetch(source) : await source;
  if (isModule(brought)) return brought as WasmModule;
  if (!isResponse(brought)) {
    const bytes = bytesOf(brought, 'wasm');
    if (!bytes) throw unexpected('a WebAssembly.Module, its bytes, a URL or a Response', 'wasm', brought);
    return wasm.compile(bytes);
  }
  const { ok, url, status, statusText } = brought;
  if (!ok) throw new Error(`cannot load the WebAssembly module from ${url}: ${status} ${statusText}`);
  // The browser compiles while the bytes come, if the server names their type.
  if (wasm.compileStreaming && brought.headers.get('content-type')?.split(';', 1)[0]?.trim() === 'application/wasm') {
    return wasm.compileStreaming(brought);
  }
  return wasm.compile(await brought.arrayBuffer());
}

function isLocation(source: unknown): source is URL | string {
  return typeof source === 'string' || source instanceof URL || tagOf(source) === 'URL';
}

function isResponse(source: unknown): source is Response {
  return typeof source === 'object' && source !== null && 'arrayBuffer' in source && 'ok' in source;
}
