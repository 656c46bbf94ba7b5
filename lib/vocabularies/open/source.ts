// The sources of `load`: a name, a path or URL, bytes, or an asynchronous source of bytes.

import { TokenizerError, unexpected } from '../../base/errors.js';
import type { BuiltInName } from '../models.js';
import { bytesOf, isPromise, tagOf } from '../../base/views.js';

/**
 * The source of a tokenizer: the name of a built-in encoding (`'o200k_base'`), profile (`'lite'`) or model
 * (`'gpt-4o'`), the path or `file:` URL of a cartridge (`.cray`) or of a version 2 file (`.dat`, optionally with a
 * `.json` beside it), or the bytes of either, which are copied. `load`, but not `loadSync`, also compiles a Hugging
 * Face `tokenizer.json` or a SentencePiece `.model`, by path or bytes.
 *
 * @example
 * ```ts
 * const file: Source = new URL(import.meta.resolve('crayon-tokenizer/cartridges/o200k_base.cray'));
 * Tokenizer.loadSync(file).name; // 'o200k_base'
 * ```
 */
export type Source = BuiltInName | (string & {}) | URL | ArrayBuffer | SharedArrayBuffer | ArrayBufferView;

/**
 * An asynchronous source of a cartridge's bytes: a `Response` (the result of `fetch`), a promise of one, or a `Blob`.
 *
 * @example
 * ```ts
 * const { buffer } = tokenizer.encode('no cartridge');
 * const source: LateSource = new Blob([buffer]);
 * await Tokenizer.load(source); // throws TokenizerError (NOT_A_CARTRIDGE)
 * ```
 */
export type LateSource = Response | Promise<Response> | Blob;

/** Whether a source must be awaited. */
export function isLate(source: Source | LateSource): source is LateSource {
  return isPromise(source) || hasBytesLater(source);
}

/** The source that a late source resolves to. */
export async function arrived(source: LateSource): Promise<Source> {
  const delivered: unknown = await source;
  if (!hasBytesLater(delivered)) return delivered as Source;
  const isResponse = 'ok' in delivered;
  if (isResponse) checkResponse(delivered);
  try {
    return await delivered.arrayBuffer();
  } catch (cause) {
    const from = isResponse ? nameOf(delivered) : 'a Blob';
    const message = `cannot load a cartridge from ${from}: ${(cause as Error).message}`;
    throw new TokenizerError(message, { code: 'FILE_UNREADABLE' }, { cause });
  }
}

function checkResponse(response: Response): void {
  const { ok, status, statusText, type, bodyUsed } = response;
  if (ok && bodyUsed) throw unexpected('a Response whose body has not been read', 'source', response);
  if (ok) return;
  const hidden = "its content is hidden from scripts (fetched with mode: 'no-cors')";
  const reason = type === 'opaque' ? hidden : `${status} ${statusText}`.trimEnd();
  const message = `cannot load a cartridge from ${nameOf(response)}: ${reason}`;
  throw new TokenizerError(message, { code: status === 404 ? 'FILE_NOT_FOUND' : 'FILE_UNREADABLE' });
}

function nameOf({ url }: Response): string {
  return url === '' ? 'a response' : url;
}

// By its shape: naming the global `Response` would load Node's whole fetch.
function hasBytesLater(source: unknown): source is Response | Blob {
  return typeof source === 'object' && source !== null && 'arrayBuffer' in source;
}

/** The error for an invalid source. Parsed JSON must be passed as bytes instead, and a list of tokens must be compiled. */
export function noSource(expected: string, source: unknown): TypeError {
  const error = unexpected(expected, 'source', source);
  if (Array.isArray(source)) error.message += '; compileCartridge() makes the bytes of one of a list of tokens';
  else if (typeof source === 'object' && source !== null && ('model' in source || 'vocab' in source)) {
    error.message += '; pass a tokenizer.json as its bytes, before it is parsed: new TextEncoder().encode(JSON.stringify(it))';
  }
  return error;
}

// Makes `loadSync` synchronous: handles results that may be promises.

interface Closable {
  close(): void;
}

/** The opened result; throws if a module must be waited for. `load`: what waits. */
export function atOnce<Opened extends Closable | { engine: Closable }>(
  opened: Opened | Promise<Opened>,
  load = 'Tokenizer.load()',
): Opened {
  if (!isPromise(opened)) return opened;
  // Nobody waits for it, so its failure would be an unhandled rejection.
  const close = (late: Closable | { engine: Closable }) => ('engine' in late ? late.engine : late).close();
  opened.then(close).catch(() => undefined);
  throw new TypeError(`expected a WebAssembly module that needs no waiting for with loadSync; await ${load} for one that does`);
}

// The source of the engine's WebAssembly module: its type and check. Nothing is loaded or compiled here.

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

/** Throws a TypeError for anything but a module source. Bytes must begin as a module does. */
export function checkWasmSource(source: unknown): void {
  if (isModule(source) || isLocation(source) || isPromise(source) || isResponse(source)) return;
  const bytes = bytesOf(source, 'wasm');
  if (bytes && String.fromCharCode(...bytes.subarray(0, 4)) === '\0asm') return;
  if (bytes) throw new TypeError('expected a WebAssembly module for wasm but received other bytes');
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
