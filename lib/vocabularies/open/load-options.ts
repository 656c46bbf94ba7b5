// Checks the options of loading.

import { TokenizerError, unexpected } from '../../base/errors.js';
import { checkedByteCount, checkOptionNames, checkPlainObject, optionNames } from '../../base/option-objects.js';
import { builtInNamed, unknownName } from '../models.js';
import { checkUnknownId, checkUnknownUnit, type UnknownUnit } from './dat.js';
import { checkWasmSource, type WasmSource } from './source.js';

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
   * True: only the name of a built-in encoding, profile or model is a source, so that it may come from a request. Nothing else is looked for,
   * and the error names no folders. Default false.
   */
  builtIn?: boolean | undefined;
  /**
   * The backend. Default: the addon, or WebAssembly if there is no addon; `tokenizer.backend.kind` says which. If given,
   * only that one is tried.
   */
  backend?: 'native' | 'wasm' | undefined;
  /**
   * False: read the file into private memory instead of mapping it. While a file is mapped, replace it only by renaming
   * another over it. Never edit or truncate it in place: the system ends a process that reads a mapped page beyond the end of
   * its file (SIGBUS), and no program can catch that as an error. So pass false for files that others may write to. Native
   * backend only.
   */
  mmap?: boolean | undefined;
  /** False: skip the checksum. The structure is always validated. */
  verify?: boolean | undefined;
  /** The SIMD kernel to use, by name (see `crayon info`). Default: the fastest that the machine supports. */
  kernel?: string | undefined;
  /**
   * The most bytes, per thread, for caching pieces of texts with their ids. The cache speeds up similar texts and never changes
   * ids. Default: 16 MiB; for texts, batches and files of 512 KB and more, 32 times their size up to 256 MiB, limited to a sixteenth of
   * the process's available memory for the threads of all tokenizers together. Memory grows with the pieces that find no room, and memory beyond
   * 16 MiB is freed a few seconds after the last job; see {@link Tokenizer.trim}. A vocabulary opened by `swap` or `using`
   * inherits the limit unless given another. WebAssembly, which cannot free memory, uses at most 32 MiB, and calls cannot change
   * it.
   */
  cacheBytes?: number | undefined;
  /**
   * True: the tokenizer is for documents ({@link Tokenizer.document}), conversations and {@link PrefixCache} as well. Pages then load a
   * larger module (under gzip 140 KB more), because the usual one lacks them. Default false; elsewhere it makes no difference.
   */
  documents?: boolean | undefined;
  /** The view of the cartridge, by name. Default: the one named by the source, else the first. */
  view?: string | undefined;
  /**
   * For a version 2 file: the id of a character at which no token begins. Default: the id of `<UNK>`, `<unk>` or
   * `[UNK]` in the list beside it, else none, so that encoding such a character is an error. A cartridge contains its
   * own.
   */
  unknownId?: number | undefined;
  /**
   * For a version 2 file: whether the unknown id stands for each such character, or for each of its bytes. Default:
   * `'byte'`, as in CRAYON. A cartridge contains its own.
   */
  unknownUnit?: UnknownUnit | undefined;
  /** For a rank file (`.tiktoken`), required: how text is cut into pieces, as in `compileCartridge`. */
  pretokenizer?: string | undefined;
  /** For a rank file: special tokens and their ids. Default: none. */
  specialTokens?: Readonly<Record<string, number>> | undefined;
  /**
   * For a `tokenizer.json`, `tekken.json` or rank file: the content of the model's `tokenizer_config.json`, for its
   * chat templates. Default: in Node, any `tokenizer_config.json` and `chat_template.jinja` beside a `tokenizer.json`
   * or `tekken.json`; else none. False: none.
   */
  tokenizerConfig?: Readonly<Record<string, unknown>> | false | undefined;
  /**
   * The engine's WebAssembly module, for hosts that cannot compile bytes or that store it elsewhere: a `WebAssembly.Module`,
   * bytes, a URL or a `Response`. Default: the module set by `useWasm`, for DNA by `useDnaWasm`, else the
   * package's.
   */
  wasm?: WasmSource | undefined;
}

const LOAD_OPTIONS = optionNames<LoadOptions>({
  builtIn: true,
  backend: true,
  mmap: true,
  verify: true,
  kernel: true,
  cacheBytes: true,
  documents: true,
  view: true,
  unknownId: true,
  unknownUnit: true,
  pretokenizer: true,
  specialTokens: true,
  tokenizerConfig: true,
  wasm: true,
});

/**
 * A copy of the options, each read once, so that later changes by the caller have no effect. Throws a TypeError or RangeError for an
 * invalid option, and for a source that they do not allow.
 */
export function loadOptions(options: LoadOptions | undefined, source?: unknown): LoadOptions {
  if (options === undefined) return {};
  const copy = copiedOptions(options, LOAD_OPTIONS);
  checkTypes(copy, { builtIn: 'boolean', mmap: 'boolean', verify: 'boolean', kernel: 'string', documents: 'boolean', view: 'string' });
  checkOneOf(['native', 'wasm'], 'backend', copy.backend);
  checkedByteCount(copy.cacheBytes, 'cacheBytes');
  if (copy.unknownId !== undefined) checkUnknownId(copy.unknownId);
  checkUnknownUnit(copy.unknownUnit);
  if (copy.wasm !== undefined) checkWasmSource(copy.wasm);
  if (copy.builtIn) checkBuiltIn(source);
  return { ...copy, tokenizerConfig: checkedConfig(copy.tokenizerConfig) };
}

function checkBuiltIn(source: unknown): void {
  if (typeof source !== 'string') throw unexpected('a name, as builtIn is true,', 'source', source);
  if (!builtInNamed(source)) throw new TokenizerError(unknownName(source, undefined), { code: 'FILE_NOT_FOUND' });
}

/** Reads each option once. Throws a TypeError for what is no object of options, and for an unknown option. */
export function copiedOptions<Options extends object>(options: Options, names: readonly string[]): Options {
  checkOptionNames(options, names);
  return Object.fromEntries(names.map((name) => [name, (options as Record<string, unknown>)[name]])) as Options;
}

/** Throws a TypeError for an option that is there and has another type. */
export function checkTypes<Options extends object>(options: Options, types: Partial<Record<keyof Options, 'boolean' | 'string'>>): void {
  for (const [name, type] of Object.entries(types)) {
    const value = options[name as keyof Options];
    if (value !== undefined && typeof value !== type) throw unexpected(`a ${type}`, name, value);
  }
}

/** Throws a TypeError unless the value is undefined or one of these. */
export function checkOneOf(values: readonly (string | number)[], name: string, value: unknown): void {
  if (value === undefined || values.includes(value as never)) return;
  throw unexpected(`one of ${values.join(', ')}`, name, value);
}

/** The same for a vocabulary that replaces another, and inherits its memory limit. */
export function inPlaceOf(before: { cacheBytes: number | undefined } | undefined, options: LoadOptions): LoadOptions {
  const { cacheBytes = before?.cacheBytes } = options;
  return { ...options, cacheBytes };
}

/** The content of a configuration, copied: the caller may change it before it is read. */
export function checkedConfig(config: unknown): Record<string, unknown> | false | undefined {
  if (config === undefined || config === false) return config;
  checkPlainObject(config, 'tokenizerConfig', 'the content of a tokenizer_config.json, as an object, or false');
  try {
    return structuredClone(config) as Record<string, unknown>;
  } catch (cause) {
    throw new TypeError(`expected plain data for tokenizerConfig: ${(cause as Error).message}`, { cause });
  }
}

/** Throws for options about compiling, if the source is not compiled. */
export function checkNotCompiled(options: LoadOptions): void {
  checkLeftOut(options, ['pretokenizer', 'specialTokens', 'tokenizerConfig'], 'a cartridge contains it');
}

/** Throws if an unknown id or its unit is given for a file that contains both. */
export function checkNoUnknownId(options: LoadOptions): void {
  checkLeftOut(options, ['unknownId', 'unknownUnit'], 'a cartridge contains it');
}

/** Throws a TypeError for the first of some options that is there although `why` it is superfluous. */
export function checkLeftOut<Options>(options: Options, names: readonly (keyof Options & string)[], why: string): void {
  for (const name of names) if (options[name] !== undefined) throw new TypeError(`cannot use the option ${name}: ${why}; leave it out`);
}

/** The backend of a call in Node. `before`: what it replaces. Throws for a backend that the entry lacks. */
export type KindOf = (options: Pick<LoadOptions, 'backend'>, before?: { kind: 'native' | 'wasm' }) => 'native' | 'wasm';

/** Of the entries that use WebAssembly only. */
export const onlyWasm: KindOf = ({ backend }) => {
  if (backend === 'native') throw unexpected("'wasm'", 'backend', backend);
  return 'wasm';
};
