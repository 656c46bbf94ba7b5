// The source of the engine's WebAssembly module: its type and check. Nothing is loaded or compiled here.

import { bytesOf, tagOf } from '../base/views.js';
import { unexpected } from '../base/errors.js';
import { isPromise } from '../base/promise.js';

/**
 * A `WebAssembly.Module`. It is compiled once; tokenizers share it, and each has its own instance.
 *
 * @example
 * ```ts
 * // What the bundler of an edge worker gives for `import core from 'crayon-tokenizer/core.wasm'`.
 * const open = (core: WasmModule) => Tokenizer.load('gpt2', { backend: 'wasm', wasm: core });
 * await open(5); // throws TypeError
 * ```
 */
// biome-ignore lint/suspicious/noEmptyInterface: hosts name it otherwise, and no host's types may be asked for
export interface WasmModule {}

/**
 * The source of the engine's module: a `WebAssembly.Module`, bytes, a URL, the result of `fetch`, or a promise of one.
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

/** Throws a TypeError for anything but a module source. */
export function checkWasmSource(source: unknown): void {
  if (isModule(source) || isLocation(source) || isPromise(source) || isResponse(source) || bytesOf(source, 'wasm')) return;
  throw unexpected('a WebAssembly.Module, its bytes, a URL or a Response', 'wasm', source);
}

/** Whether a value is a compiled module, from any realm. */
export function isModule(value: unknown): boolean {
  return tagOf(value) === 'WebAssembly.Module';
}

export function isLocation(source: unknown): source is URL | string {
  return typeof source === 'string' || source instanceof URL || tagOf(source) === 'URL';
}

export function isResponse(source: unknown): source is Response {
  return typeof source === 'object' && source !== null && 'arrayBuffer' in source && 'ok' in source;
}
