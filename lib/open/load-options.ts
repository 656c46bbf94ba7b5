// How to load: the options, checked.

import { outOfRange, unexpected } from '../tokenizer/errors.js';
import { checkOptionNames, optionNames } from '../tokenizer/options.js';
import { checkWasmSource, type WasmSource } from './wasm-source.js';

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
   * If it is given, only that one is tried.
   */
  backend?: 'native' | 'wasm' | undefined;
  /**
   * False: read the file into private memory instead of mapping it. While a file is mapped, replace it by renaming
   * another over it; do not edit it in place. Of the addon alone.
   */
  mmap?: boolean | undefined;
  /** False: skip the checksum. The structure is always validated. */
  verify?: boolean | undefined;
  /** The SIMD kernel to use, by name (see `crayon info`). Default: the fastest that the machine can run. */
  kernel?: string | undefined;
  /** The view of the cartridge, by name. Default: the one that the source names, else the first. */
  view?: string | undefined;
  /**
   * For a version 2 file: the id of a character that no token begins with. Default: that of `<UNK>`, `<unk>` or `[UNK]`
   * in the list beside it, else none, so that encoding such a character is an error. A cartridge contains its own.
   */
  unknownId?: number | undefined;
  /**
   * The engine's WebAssembly module, for a host that cannot compile bytes or that has it elsewhere: a `WebAssembly.Module`,
   * bytes, a URL or a `Response`. Default: that of {@link useWasm}, for DNA {@link useDnaWasm}, else the one in the package.
   */
  wasm?: WasmSource | undefined;
}

const LOAD_OPTIONS = optionNames<LoadOptions>({
  backend: true,
  mmap: true,
  verify: true,
  kernel: true,
  view: true,
  unknownId: true,
  wasm: true,
});

/**
 * A copy of the options, each read once, so that what the caller changes afterwards has no effect. Throws a TypeError
 * that names the first option that is wrong.
 */
export function loadOptions(options: LoadOptions | undefined): LoadOptions {
  if (options === undefined) return {};
  checkOptionNames(options, LOAD_OPTIONS);
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
  return { backend, mmap, verify, kernel, view, unknownId, wasm };
}

/** Throws if a value is not a token id. */
export function checkId(id: unknown, name: string): void {
  if (typeof id !== 'number') throw unexpected('a token id', name, id);
  if (!Number.isInteger(id) || id < 0 || id >= 2 ** 32 - 1) throw outOfRange('an id', name, id);
}

/** Throws for an unknown id that is given for a file that contains one. */
export function checkNoUnknownId({ unknownId }: LoadOptions): void {
  if (unknownId !== undefined) throw unexpected('no value, since a cartridge contains it,', 'unknownId', unknownId);
}
