// How to load: the options, checked.

import { outOfRange, unexpected } from './errors.js';
import { checkWasmSource, type WasmSource } from './wasm-loader.js';

/**
 * Options of {@link Tokenizer.load}.
 *
 * @example
 * ```ts
 * const options: LoadOptions = { mmap: false, kernel: 'scalar' };
 * using slow = Tokenizer.loadSync('cl100k_base', options);
 * slow.backend.kernel; // 'scalar'
 * ```
 */
export interface LoadOptions {
  /**
   * What runs the engine. Default: the addon, and WebAssembly where there is no addon; `tokenizer.backend.kind` says which.
   * Named, it is that one or an error.
   */
  backend?: 'native' | 'wasm' | undefined;
  /** False: read the file into private memory instead of mapping it. A mapped file must be replaced, not edited. Native. */
  mmap?: boolean | undefined;
  /** False: skip the checksum. The structure is always validated. */
  verify?: boolean | undefined;
  /** The row of the SIMD code to use, by name (see `crayon info`); the best one if none is named. */
  kernel?: string | undefined;
  /** The view of the cartridge, by name; that of the source, or the first one, if none is named. */
  view?: string | undefined;
  /**
   * Of a version 2 file: the id of a character at which no token begins. Default: that of `<UNK>`, `<unk>` or `[UNK]`
   * in the list beside it, and else none, so that encoding such a character is an error. A cartridge says it itself.
   */
  unknownId?: number | undefined;
  /**
   * The engine's WebAssembly module, for a host that cannot compile bytes or that has it elsewhere: a `WebAssembly.Module`,
   * bytes, a URL or a `Response`. Default: the one of the package, or that of {@link useWasm}.
   */
  wasm?: WasmSource | undefined;
}

/** Throws a TypeError that names the first option that is wrong. */
export function checkOptions(options: LoadOptions): void {
  if (typeof options !== 'object' || options === null) throw unexpected('an object', 'options', options);
  const { backend, mmap, verify, kernel, view, unknownId, wasm } = options;
  if (backend !== undefined && backend !== 'native' && backend !== 'wasm') {
    throw unexpected("'native' or 'wasm'", 'backend', backend);
  }
  if (mmap !== undefined && typeof mmap !== 'boolean') throw unexpected('a boolean', 'mmap', mmap);
  if (verify !== undefined && typeof verify !== 'boolean') throw unexpected('a boolean', 'verify', verify);
  if (kernel !== undefined && typeof kernel !== 'string') throw unexpected('a string', 'kernel', kernel);
  if (view !== undefined && typeof view !== 'string') throw unexpected('a string', 'view', view);
  if (unknownId !== undefined) checkId(unknownId, 'unknownId');
  if (wasm !== undefined) checkWasmSource(wasm);
}

/** Throws for what is no token id. */
export function checkId(id: unknown, name: string): void {
  if (typeof id !== 'number') throw unexpected('a token id', name, id);
  if (!Number.isInteger(id) || id < 0 || id >= 2 ** 32 - 1) throw outOfRange('an id', name, id);
}

/** Throws for an unknown id that is asked for a file that has its own. */
export function checkNoUnknownId({ unknownId }: LoadOptions): void {
  if (unknownId !== undefined) throw unexpected('no value, since a cartridge says it,', 'unknownId', unknownId);
}
