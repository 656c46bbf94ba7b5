// Compiles vocabularies. This folder names no engine and no entry: entries pass the compiler.
//
// compileCartridge is the same on every host: it copies the options and the source before it returns, so that later
// changes to them do not affect the result. The host decides how a job runs.

import type { LateSource, Source } from '../open/source.js';
import { atCaller, outOfRange, quotedName, unexpected } from '../../base/errors.js';
import type { UnsharedUint8Array } from '../../base/typed-arrays.js';
import { bytesOf, plainBytes, tagOf, typedArrayKind } from '../../base/views.js';
import { type KnownTokens, knownTokens } from '../compile/packed-tokens.js';
import { checkedConfig, checkLeftOut, checkOneOf, checkTypes, copiedOptions } from '../open/load-options.js';
import { checkUnknownId, checkUnknownUnit, type UnknownUnit } from '../open/dat.js';
import { checkId, checkPlainObject, optionNames } from '../../base/option-objects.js';
import type { Split } from '../patterns/compile-pattern.js';
import { FAMILY_NAMES, type Family } from '../patterns/families.js';
import type { CompileProgress } from './compile-job.js';
import { isPattern, type SplitPattern, splitsOf } from '../compile/split-pattern.js';

/** Compiles tokens, or any source, on a host. The options are already checked. */
export type CompileOnHost = (source: Source | LateSource | KnownTokens, options: CompileOptions) => Promise<UnsharedUint8Array>;

/** Public: see `compileCartridge` of the entries. */
export type CompileCartridge = (source: Source | LateSource | TokenList, options?: CompileOptions) => Promise<UnsharedUint8Array>;

/** The public function for a host. */
export function compileCartridgeOn(compile: CompileOnHost): CompileCartridge {
  return function compileCartridge(source, callOptions) {
    const work = async () => {
      const options = compileOptions(callOptions);
      options.signal?.throwIfAborted();
      return compile(copiedSource(source), options);
    };
    return atCaller(compileCartridge, work, callOptions);
  };
}

/** Lists, bytes and URLs are copied: they may change before the work begins. */
function copiedSource(source: Source | LateSource | TokenList): Source | LateSource | KnownTokens {
  if (Array.isArray(source)) return tokensOf(source);
  if (source === null || (typeof source !== 'string' && typeof source !== 'object')) {
    throw unexpected('a list of tokens, or what Tokenizer.load() takes (a name, a path or URL, bytes),', 'source', source);
  }
  if (tagOf(source) === 'URL') return new URL((source as URL).href);
  return bytesOf(source, 'source')?.slice() ?? (source as Source | LateSource);
}

/** Whether a source is an already parsed list of tokens. */
export function isTokens(source: Source | LateSource | KnownTokens): source is KnownTokens {
  return typeof source === 'object' && source !== null && 'offsets' in source;
}

// Checks the options of compiling. Every page loads this, so it needs no compiler code.

/** The default family for training; Llama 3's ranks use it too. */
export const DEFAULT_FAMILY = 'cl100k' satisfies Family;

/**
 * How text is split into pieces, which tokens never cross: the name of a family, which is fastest; or a pattern, or up to four of
 * them, each splitting the previous one's pieces. A string that is not a family's name is a pattern if it contains one of `\\ ^ $
 * . | ? * + ( ) [ ] { }`.
 *
 * @example
 * ```ts
 * const family: Pretokenizer = 'qwen2';
 * const pattern: Pretokenizer = String.raw` ?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+|\s+`;
 * const lines: Pretokenizer = { pattern: '\n', behavior: 'MergedWithPrevious' };
 * ```
 */
export type Pretokenizer = Family | (string & {}) | SplitPattern | readonly SplitPattern[];

/**
 * A vocabulary as a list: the token at index i, a string or bytes, has the id i. An empty string is an id without a
 * token.
 *
 * @example
 * ```ts
 * const tokens: TokenList = ['a', 'b', 'ab'];
 * using tokenizer = await Tokenizer.load(await compileCartridge(tokens));
 * tokenizer.encode('aab'); // Uint32Array [0, 2]
 * ```
 */
export type TokenList = readonly (string | Uint8Array)[];

/**
 * Options of {@link compileCartridge}.
 *
 * @example
 * ```ts
 * const options: CompileOptions = { slim: true };
 * const slim = await compileCartridge('r50k_base', options);
 * slim.length < 200_000; // true
 * ```
 */
export interface CompileOptions {
  /** Make a slim cartridge: small, and expanded in memory whenever it is opened. Default false. */
  slim?: boolean | undefined;
  /**
   * 2 makes a `.dat` from a longest-match vocabulary, for CRAYON's own loaders. It cannot hold special tokens, or an
   * unknown id unless its token is `<UNK>`, `<unk>` or `[UNK]`. Default 3, a cartridge.
   */
  version?: 2 | 3 | undefined;
  /** The compiler backend. Default: the addon, or WebAssembly if there is no addon. */
  backend?: 'native' | 'wasm' | undefined;
  /**
   * For a list, a rank file or a model's file: the name of the tokenizer. Default: the file's name without its extension, else
   * `'tokens'`; for a `tokenizer.json`, the model's name in its `tokenizer_config.json`, else, if that file is beside it, the
   * name of the folder, else `'tokenizer'`.
   */
  name?: string | undefined;
  /** For a list or a rank file: how pieces become ids. Default: `'bpe'` for a rank file, else `'longest-match'`. */
  model?: 'bpe' | 'longest-match' | undefined;
  /**
   * For a list or a rank file: how text is cut into pieces. `'none'` or null means not at all: BPE then merges across the
   * whole text between special tokens. Required for BPE; longest match defaults to `'none'`.
   */
  pretokenizer?: Pretokenizer | 'none' | null | undefined;
  /** For a list or a rank file: special tokens, of at most 1024 bytes in UTF-8, and their ids. Default: none. */
  specialTokens?: Readonly<Record<string, number>> | undefined;
  /**
   * For longest match, from a list, a rank file or a `.dat`: the id for a character at which no token begins. Default:
   * the id of the token `<UNK>`, `<unk>` or `[UNK]`; without one, encoding such a character is an error.
   */
  unknownId?: number | undefined;
  /**
   * For longest match, likewise: whether the unknown id stands for each such character, or for each of its bytes. Default:
   * `'byte'` for a `.dat`, as in CRAYON, else `'character'`.
   */
  unknownUnit?: UnknownUnit | undefined;
  /**
   * The content of the model's `tokenizer_config.json`, for the chat templates and token roles to store in the cartridge.
   * Default: in Node, for a file named `tokenizer.json` or `tekken.json`, any `tokenizer_config.json`,
   * `special_tokens_map.json` and `chat_template.jinja` beside it; else none. False: none.
   */
  tokenizerConfig?: Readonly<Record<string, unknown>> | false | undefined;
  /** Called with the progress. */
  onProgress?: ((progress: CompileProgress) => void) | undefined;
  /** Aborts the work; the promise is rejected with the signal's reason. */
  signal?: AbortSignal | undefined;
}

const COMPILE_OPTIONS = optionNames<CompileOptions>({
  slim: true,
  version: true,
  backend: true,
  name: true,
  model: true,
  pretokenizer: true,
  specialTokens: true,
  unknownId: true,
  unknownUnit: true,
  tokenizerConfig: true,
  onProgress: true,
  signal: true,
});

/** A copy of the options, each read once. Throws a TypeError or RangeError for an invalid one. */
export function compileOptions(options: CompileOptions | undefined): CompileOptions {
  if (options === undefined) return {};
  const copy = copiedOptions(options, COMPILE_OPTIONS);
  const { slim, version, name, unknownId, pretokenizer, onProgress, signal } = copy;
  const tokenizerConfig = checkedConfig(copy.tokenizerConfig);
  const specialTokens = copiedSpecialTokens(copy.specialTokens);
  checkTypes(copy, { slim: 'boolean', name: 'string' });
  checkOneOf([2, 3], 'version', version);
  if (version === 2) {
    if (slim) checkLeftOut(copy, ['slim'], 'version 2 has no slim form');
    checkLeftOut(copy, ['unknownId'], 'in version 2 the token <UNK>, <unk> or [UNK] says it');
    checkLeftOut(copy, ['unknownUnit'], 'the readers of version 2 say it');
    if (Object.keys(specialTokens ?? {}).length > 0) checkLeftOut(copy, ['specialTokens'], 'version 2 has no special tokens');
  }
  checkOneOf(['native', 'wasm'], 'backend', copy.backend);
  if (name === '') throw unexpected('a string that is not empty', 'name', name);
  checkOneOf(['bpe', 'longest-match'], 'model', copy.model);
  if (unknownId !== undefined) checkUnknownId(unknownId);
  checkUnknownUnit(copy.unknownUnit);
  if (onProgress !== undefined && typeof onProgress !== 'function') throw unexpected('a function', 'onProgress', onProgress);
  if (signal !== undefined && typeof signal?.addEventListener !== 'function') throw unexpected('an AbortSignal', 'signal', signal);
  const splits = pretokenizer === undefined ? undefined : copiedPretokenizer(pretokenizer, 'none');
  return { ...copy, pretokenizer: splits, specialTokens, tokenizerConfig };
}

/** A copy of a family's name, a pattern, or several patterns; `other` means none. Throws a TypeError for anything else. */
export function copiedPretokenizer<Other extends string | null>(pretokenizer: unknown, other: Other): string | Other | Split[] {
  if (pretokenizer === null || pretokenizer === 'none') return other;
  if (tagOf(pretokenizer) === 'RegExp') throw unexpected('a pattern of Oniguruma, which is a string,', 'pretokenizer', pretokenizer);
  if (typeof pretokenizer === 'object' && pretokenizer !== null) return splitsOf(pretokenizer, 'pretokenizer');
  if (typeof pretokenizer === 'string' && (isPattern(pretokenizer) || FAMILY_NAMES.some((name) => name === pretokenizer)))
    return pretokenizer;
  throw unexpected(`one of ${[...FAMILY_NAMES, String(other)].join(', ')}, or a pattern`, 'pretokenizer', pretokenizer);
}

function copiedSpecialTokens(specialTokens: CompileOptions['specialTokens']): Record<string, number> | undefined {
  if (specialTokens === undefined) return undefined;
  checkPlainObject(specialTokens, 'specialTokens', 'an object of tokens and their ids');
  const entries = Object.entries(specialTokens);
  for (const [text, id] of entries) {
    if (text === '') throw outOfRange('texts that are not empty', 'the keys of specialTokens', text);
    checkId(id, `specialTokens[${quotedName(text)}]`);
  }
  // A key may be "__proto__".
  return Object.assign(Object.create(null) as object, Object.fromEntries(entries));
}

/** A copy of the tokens in the caller's list. */
export function tokensOf(list: readonly unknown[]): KnownTokens {
  const { length } = list;
  const tokens: (string | Uint8Array)[] = [];
  for (let index = 0; index < length; index++) {
    const token = list[index];
    if (typeof token !== 'string' && typedArrayKind(token) !== 'Uint8Array') {
      throw unexpected('a string or a Uint8Array', `source[${index}]`, token);
    }
    tokens.push(token as string | Uint8Array);
  }
  // Only after reading the whole list: a getter element could detach the memory of an earlier one.
  return knownTokens(tokens.map((token, at) => (typeof token === 'string' ? token : plainBytes(token, 'source', at))));
}
