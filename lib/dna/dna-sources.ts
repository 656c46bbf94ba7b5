// Resolves the source of `DnaTokenizer.load`: a built-in vocabulary, plain data, or a cartridge. Names no engine: the entry
// provides it.

import { printable } from '../base/text-encodings.js';
import { quotedName, TokenizerError, unexpected } from '../base/errors.js';
import { checkOptionNames, nearNames, optionNames } from '../base/option-objects.js';
import type { UnsharedUint8Array } from '../base/typed-arrays.js';
import { bytesOf, tagOf } from '../base/views.js';
import type { CompilerInput } from '../engine/compiler.js';
import type { EngineTokenizer } from '../engine/engine.js';
import { type LoadOptions, loadOptions } from '../vocabularies/open/load-options.js';
import { arrived, isLate, type LateSource, type Source } from '../vocabularies/open/source.js';
import { openDnabert2 } from './dnabert2.js';
import type { DnaEngine, DnaParts, Maybe } from '../engine/dna-engine.js';
import { booleanOr, leaveOut } from './dna-options.js';
import { DNA_NAMES, type DnaName, presetNamed } from './presets.js';
import { type DnaPolicies, type DnaVocabulary, partsOf, policyNumbers } from './dna-vocabulary.js';

/**
 * The source of a DNA vocabulary: the name of a built-in one, plain data, or a cartridge as a path or URL, bytes, or a
 * `Response` or `Blob` of them.
 *
 * @example
 * ```ts
 * const source: DnaSource = 'hyenadna';
 * using dna = await DnaTokenizer.load(source);
 * dna.vocabularySize; // 12
 * ```
 */
export type DnaSource = DnaName | (string & {}) | DnaVocabulary | Exclude<Source, string> | LateSource;

/** Opens a source, synchronously where the host can. */
export function openDna(host: DnaHost, source: DnaSource, options?: DnaLoadOptions): Maybe<OpenedDna> {
  const checked = checkedLoad(options);
  const opened = (engine: DnaEngine): OpenedDna => ({ engine, around: checked.addSpecialTokens });
  const engine = engineOf(host, source, checked);
  return engine instanceof Promise ? engine.then(opened) : opened(engine);
}

function engineOf(host: DnaHost, source: DnaSource, options: CheckedLoad): Maybe<DnaEngine> {
  if (typeof source !== 'string' && (typeof source !== 'object' || source === null)) {
    throw unexpected(`one of ${DNA_NAMES.join(', ')}, a vocabulary as an object, or a cartridge (a path, URL or bytes)`, 'source', source);
  }
  if (source === 'dnabert2') return dnabert2(host, options);
  if (options.tokenizerJson !== undefined) throw leaveOut('tokenizerJson', "it is for 'dnabert2'");
  const preset = typeof source === 'string' ? presetNamed(source) : undefined;
  if (preset) return builtIn(host, preset, options);
  if (isVocabulary(source)) return compiled(host, source, options);
  for (const name of ['prefix', 'suffix'] as const) {
    if (options[name] !== undefined) throw leaveOut(name, 'a cartridge has its own');
  }
  if (typeof source === 'string' && !isPath(source)) throw unknownName(source);
  return opened(host, source, options);
}

function opened(host: DnaHost, source: Source | LateSource, { open, policies }: CheckedLoad): Maybe<DnaEngine> {
  if (!isLate(source)) return host.open(source, open, policies);
  return arrived(source).then((source) => host.open(source, open, policies));
}

/** Opens it from its cartridge file, if present, which holds the same bytes that compiling would give. */
function builtIn(host: DnaHost, preset: DnaVocabulary, options: CheckedLoad): Maybe<DnaEngine> {
  const isAsItIs = options.prefix === undefined && options.suffix === undefined;
  const file = isAsItIs ? host.builtIn?.(preset.name as string) : undefined;
  return file === undefined ? compiled(host, preset, options) : host.open(file, options.open, options.policies);
}

/** The engine of a vocabulary as plain data. */
export function compiled(host: DnaHost, vocabulary: DnaVocabulary, { open, policies, prefix, suffix }: CheckedLoad): Maybe<DnaEngine> {
  const parts = partsOf({ ...vocabulary, prefix: prefix ?? vocabulary.prefix, suffix: suffix ?? vocabulary.suffix });
  const bytes = host.compile(parts, open);
  return bytes instanceof Promise ? bytes.then((bytes) => host.open(bytes, open, policies)) : host.open(bytes, open, policies);
}

function dnabert2(host: DnaHost, { open, policies, prefix, suffix, tokenizerJson }: CheckedLoad): Maybe<DnaEngine> {
  if (prefix ?? suffix) throw leaveOut(prefix ? 'prefix' : 'suffix', 'the tokenizer.json has its own');
  const advice = `the model's tokenizer.json, parsed or as text${host.readText ? ', or its path' : ''}`;
  if (tokenizerJson === undefined) throw unexpected(advice, 'tokenizerJson', tokenizerJson);
  return openDnabert2(parsed(tokenizerJson, host), policies, (vocabulary) => host.openBpe(vocabulary, open));
}

function parsed(tokenizerJson: object | string | URL, { readText }: DnaHost): unknown {
  const isPath = tagOf(tokenizerJson) === 'URL' || (typeof tokenizerJson === 'string' && !tokenizerJson.trimStart().startsWith('{'));
  if (!isPath && typeof tokenizerJson === 'object') return tokenizerJson;
  if (isPath && !readText) throw new TypeError('`tokenizerJson` must be an object or its text: there are no files here');
  const text = isPath ? (readText as (path: string | URL) => string)(tokenizerJson as string | URL) : (tokenizerJson as string);
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    const message = `cannot read the tokenizer.json: it is not valid JSON (${printable((cause as Error).message)})`;
    throw new TokenizerError(message, { code: 'CORRUPT_STRUCTURE' }, { cause });
  }
}

/** Whether a source is plain data, judged by its fields: anything else is a URL, bytes or a promise of them. */
function isVocabulary(source: DnaSource): source is DnaVocabulary {
  if (typeof source !== 'object' || source === null) return false;
  return !isLate(source as Source) && tagOf(source) !== 'URL' && !bytesOf(source, 'source');
}

/** Whether a source that is not a built-in name is the path or URL of a cartridge. */
export function isPath(source: string): boolean {
  return /[/\\.:]/.test(source);
}

function unknownName(name: string): TokenizerError {
  const [near] = nearNames(name, DNA_NAMES);
  const advice = near === undefined ? `there are ${DNA_NAMES.join(', ')}` : `did you mean '${near}'?`;
  const message = `no vocabulary of DNA is called ${quotedName(name)} (${advice}); a cartridge is named by its path`;
  return new TokenizerError(message, { code: 'FILE_NOT_FOUND' });
}

/**
 * Why a discovered tokenizer calls the one it was made from.
 *
 * @example
 * ```ts
 * using dna = await DnaTokenizer.discover((sequence) => [sequence.length]);
 * const { reason, example } = dna.fallback as DnaFallback;
 * reason; // "it has no id for each base: 'AAA' are other than 3 ids"
 * example?.expected; // [3]
 * ```
 */
export interface DnaFallback {
  /** The reason, in words. */
  reason: string;
  /** The first sequence that showed it, with the other tokenizer's ids, and the tables' ids if there were tables. */
  example?: { sequence: string; expected: readonly number[]; received?: readonly number[] | undefined } | undefined;
}

/**
 * What {@link DnaTokenizer.discover} found, and where: in the object it was given, or by querying its tokenizer.
 *
 * @example
 * ```ts
 * const encode = (sequence: string) => Array.from(sequence, (base) => 2 + 'ACGTN'.indexOf(base));
 * using dna = await DnaTokenizer.discover({ tokenizer: { encode, pad_token_id: 0 }, model_max_length: 1024 });
 * const { padId, tokenLength, n, modelLength, reasons } = dna.discovery as DnaDiscovery;
 * [padId, tokenLength, n, modelLength]; // [0, 1, 'token', 1024]
 * reasons[0]; // 'padId 0: pad_token_id of the tokenizer'
 * ```
 */
export interface DnaDiscovery {
  /**
   * Where ids come from: generated tables, the tokenizer itself (see {@link DnaTokenizer.fallback}), or the fixed table of
   * `fallback: 'published'`.
   */
  ids: 'tables' | 'tokenizer' | 'published';
  /** The bases per token: 1, or k; undefined if tokens have no common length. */
  tokenLength: number | undefined;
  /** The padding id; undefined if neither the object nor the options give it. */
  padId: number | undefined;
  /** The id of unknown letters; undefined if the object does not give it and two non-base letters do not share an id. */
  unknownId: number | undefined;
  /**
   * How N is encoded: `'token'`, its own id; `'unknown'`, the unknown id; `'kmer'`, like any base in k-mers; `'refused'`, an
   * error; `'other'`, none of these.
   */
  n: 'token' | 'unknown' | 'kmer' | 'refused' | 'other';
  /**
   * The ids that the model takes: rows of batches are padded to it, unless `length` sets another number, or there is no padding
   * id. Undefined if neither the object nor the options give it.
   */
  modelLength: number | undefined;
  /** The object's padding side. */
  side: 'left' | 'right' | undefined;
  /** Special tokens named by the object. */
  specialTokens: ReadonlyMap<string, number>;
  /** The source of each finding, in words. */
  reasons: readonly string[];
}

/** The result of `load` or `discover`. */
export interface OpenedDna {
  engine: DnaEngine;
  /** Whether sequences get ids around them by default. */
  around: boolean;
  fallback?: DnaFallback | undefined;
  /** The tokenizer that the tables were made from, where tables are too large. */
  upstream?: (() => DnaEngine) | undefined;
  discovery?: DnaDiscovery | undefined;
}

/** What an entry provides. */
export interface DnaHost {
  /** The default backend. */
  kind: 'native' | 'wasm';
  /** Compiles a vocabulary to the bytes of a cartridge. */
  compile(parts: DnaParts, options: LoadOptions): Maybe<UnsharedUint8Array>;
  /** Opens a cartridge. `policies`: the numbers of crayon_dna_policies. */
  open(source: Source, options: LoadOptions, policies: Uint32Array): Maybe<DnaEngine>;
  /** Opens a byte-level BPE vocabulary. */
  openBpe(vocabulary: CompilerInput, options: LoadOptions): Maybe<EngineTokenizer>;
  /** The cartridge file of a built-in vocabulary; undefined if it does not exist. Not on every host. */
  builtIn?(name: string): string | undefined;
  /** Reads a text file. Not on every host. */
  readText?(path: string | URL): string;
}

/**
 * Options of {@link DnaTokenizer.load}.
 *
 * @example
 * ```ts
 * const options: DnaLoadOptions = { prefix: [], lowerCase: 'normalize' };
 * using dna = await DnaTokenizer.load('nt-v2', options);
 * dna.encode('acgtac', { addSpecialTokens: true }).length; // 1
 * ```
 */
export interface DnaLoadOptions extends DnaPolicies, Pick<LoadOptions, 'backend' | 'kernel' | 'mmap' | 'verify' | 'wasm'> {
  /** For a built-in vocabulary: other ids, or names of special tokens, to put before a sequence. */
  prefix?: readonly (number | string)[] | undefined;
  /** For a built-in vocabulary: other ids, or names of special tokens, to put after a sequence. */
  suffix?: readonly (number | string)[] | undefined;
  /** The default of calls that do not set it: add prefix and suffix to sequences. Default false. */
  addSpecialTokens?: boolean | undefined;
  /** For `'dnabert2'`: the model's `tokenizer.json`, parsed or as text; in Node also its path or `file:` URL. */
  tokenizerJson?: object | string | URL | undefined;
}

const LOAD_OPTIONS = optionNames<DnaLoadOptions>({
  backend: true,
  kernel: true,
  mmap: true,
  verify: true,
  wasm: true,
  prefix: true,
  suffix: true,
  addSpecialTokens: true,
  tokenizerJson: true,
  lowerCase: true,
  ambiguous: true,
  n: true,
  tail: true,
});

/** The options of `load`, each read once. */
export interface CheckedLoad {
  open: LoadOptions;
  policies: Uint32Array;
  prefix: readonly (number | string)[] | undefined;
  suffix: readonly (number | string)[] | undefined;
  addSpecialTokens: boolean;
  tokenizerJson: object | string | URL | undefined;
}

export function checkedLoad(options: DnaLoadOptions = {}): CheckedLoad {
  checkOptionNames(options, LOAD_OPTIONS);
  const { backend, kernel, mmap, verify, wasm, lowerCase, ambiguous, n, tail, prefix, suffix, tokenizerJson } = options;
  return {
    open: loadOptions({ backend, kernel, mmap, verify, wasm }),
    policies: policyNumbers({ lowerCase, ambiguous, n, tail }),
    prefix: listOrNone(prefix, 'prefix'),
    suffix: listOrNone(suffix, 'suffix'),
    addSpecialTokens: booleanOr(options.addSpecialTokens, false, 'addSpecialTokens'),
    tokenizerJson: jsonOrNone(tokenizerJson),
  };
}

function listOrNone(list: unknown, name: string): readonly (number | string)[] | undefined {
  if (list === undefined) return undefined;
  if (!Array.isArray(list)) throw unexpected('a list of ids or special tokens', name, list);
  return [...(list as (number | string)[])];
}

function jsonOrNone(json: unknown): object | string | URL | undefined {
  if (json === undefined || typeof json === 'string') return json;
  if (typeof json === 'object' && json !== null) return json;
  throw unexpected('an object, a text or a path', 'tokenizerJson', json);
}
