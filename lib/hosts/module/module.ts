// Compiles a module of the engine. Uses no file and no network.
//
// TypeScript declares WebAssembly only with the DOM, so the parts used here are declared here.

import { isModule, type WasmModule } from '../../vocabularies/open/source.js';
import { bytesOf } from '../../base/views.js';
import { TokenizerError, unexpected } from '../../base/errors.js';

/** Sources from which a module can be compiled synchronously. */
export type WasmBytes = ArrayBuffer | ArrayBufferView;

interface WasmHost {
  Module: { new (bytes: WasmBytes): WasmModule; exports(module: WasmModule): { name: string }[] };
  Instance: new (module: WasmModule, imports: object) => { exports: unknown };
  RuntimeError: new () => Error;
  validate(bytes: WasmBytes): boolean;
  compile(bytes: WasmBytes): Promise<WasmModule>;
  compileStreaming?(response: Response): Promise<WasmModule>;
}

/** The host's WebAssembly. */
export const wasm = (globalThis as unknown as { WebAssembly: WasmHost }).WebAssembly;

/** `(func (result v128) i32.const 0 i8x16.splat)`: a module that hosts without 128-bit vectors reject. */
const VECTOR_MODULE = Uint8Array.from(
  '\0asm\x01\0\0\0\x01\x05\x01\x60\0\x01\x7b\x03\x02\x01\0\x0a\x08\x01\x06\0\x41\0\xfd\x0f\x0b',
  (character) => character.charCodeAt(0),
);

let vectors: boolean | undefined;

/** Whether the host has 128-bit vectors, which the kernel `simd128` needs. Every browser since 2023 does. */
export function hasVectors(): boolean {
  vectors ??= wasm.validate(VECTOR_MODULE);
  return vectors;
}

/**
 * Compiles bytes to a module, or returns a module as it is. Throws a TypeError for anything else, and WebAssembly's own
 * error for invalid bytes.
 */
export function moduleNow(source: unknown): WasmModule {
  if (isModule(source)) return source as WasmModule;
  const bytes = bytesOf(source, 'wasm');
  if (!bytes) throw unexpected('a WebAssembly.Module or its bytes', 'wasm', source);
  try {
    return new wasm.Module(bytes);
  } catch (error) {
    throw explainPolicy(error);
  }
}

/** The error for a module that did not compile; if the host or the page's policy forbids it, says what to change. */
export function explainPolicy(error: unknown): unknown {
  // Edge workers, where V8 says "Wasm code generation disallowed by embedder".
  if (error instanceof Error && /disallowed by embedder/.test(error.message)) {
    const message =
      "this host compiles no WebAssembly at run time: import core from 'crayon-tokenizer/core.wasm' and call useWasm(core) first; for a " +
      'tokenizer.json, training, or what FEATURE_MISSING names, crayon-tokenizer/build.wasm in its place; for DNA, ' +
      'useDnaWasm with crayon-tokenizer/dna.wasm';
    return new TokenizerError(message, { code: 'FEATURE_MISSING' }, { cause: error });
  }
  // Chromium and Safari name the missing source, Firefox says "blocked by CSP".
  const isPolicy = error instanceof Error && /unsafe-eval|Content Security Policy|\bCSP\b/i.test(error.message);
  if (!isPolicy) return error;
  const message = "the page's Content-Security-Policy forbids WebAssembly: add 'wasm-unsafe-eval' to its script-src (or default-src)";
  return new Error(message, { cause: error });
}

/** The kernels that this host can run, best first: each is a separate module. */
export function wasmKernels(): string[] {
  return hasVectors() ? ['simd128', 'scalar'] : ['scalar'];
}
