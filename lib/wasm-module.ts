// A module of the engine, compiled: what WebAssembly itself is asked. No file and no network is named here.
//
// TypeScript declares WebAssembly with the DOM alone, so the little that is used of it is declared here.

import { bytesOf, tagOf } from './arguments.js';
import { unexpected } from './errors.js';

/**
 * A `WebAssembly.Module`. It is compiled once; tokenizers share it, and each has an instance to itself.
 *
 * @example
 * ```ts
 * // What the bundler of an edge worker gives for `import core from 'crayon-tokenizer/core.wasm'`.
 * const open = (core: WasmModule) => Tokenizer.load('gpt2', { backend: 'wasm', wasm: core });
 * await open(5); // throws TypeError
 * ```
 */
export interface WasmModule {}

/** What an engine's module can be made of at once. */
export type WasmBytes = ArrayBuffer | ArrayBufferView;

interface WasmHost {
  Module: new (bytes: WasmBytes) => WasmModule;
  Instance: new (module: WasmModule, imports: object) => { exports: unknown };
  RuntimeError: new () => Error;
  validate(bytes: WasmBytes): boolean;
  compile(bytes: WasmBytes): Promise<WasmModule>;
  compileStreaming?(response: Response): Promise<WasmModule>;
}

/** WebAssembly, as the host has it. */
export const wasm = (globalThis as unknown as { WebAssembly: WasmHost }).WebAssembly;

/** `(func (result v128) i32.const 0 i8x16.splat)`: a module that an engine without 128-bit vectors refuses. */
const VECTOR_MODULE = Uint8Array.of(
  0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 5, 1, 0x60, 0, 1, 0x7b, 3, 2, 1, 0, 10, 8, 1, 6, 0, 0x41, 0, 0xfd, 15, 0x0b,
);

let vectors: boolean | undefined;

/** Whether the host has 128-bit vectors: the kernel `simd128`. Every browser since 2023 has. */
export function hasVectors(): boolean {
  vectors ??= wasm.validate(VECTOR_MODULE);
  return vectors;
}

/** Whether a value is a compiled module, of any realm. */
export function isModule(value: unknown): boolean {
  return tagOf(value) === 'WebAssembly.Module';
}

/** A module from its bytes, or as it is. Throws a TypeError for anything else, and WebAssembly's own error for bad bytes. */
export function moduleNow(source: unknown): WasmModule {
  if (isModule(source)) return source as WasmModule;
  const bytes = bytesOf(source, 'wasm');
  if (!bytes) throw unexpected('a WebAssembly.Module or its bytes', 'wasm', source);
  return new wasm.Module(bytes);
}
