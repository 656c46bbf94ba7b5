// Texts and token limits: counting up to a limit, truncating to it, splitting into parts within it. The engine decides where to cut, by
// one rule (native/src/limits/part_cutter.h).

import { checkedStrings, checkedText, type EncodeOptions, policyOf, textBytes } from './arguments.js';
import type { AsyncOptions } from './async-options.js';
import type { EngineTokenizer, PartForm, Policy, Separation, Side } from '../engine/engine.js';
import { outOfRange, refused, TokenizerError, unexpected } from '../base/errors.js';
import { checkedBoolean, checkedChoice, checkedInteger, checkOptionNames, optionNames } from '../base/option-objects.js';
import { isHighSurrogate, isLowSurrogate } from '../base/text-encodings.js';
import { drained } from '../base/time-slices.js';
import { concatenated } from '../base/typed-arrays.js';
import { isShared, partOf, viewsLike } from '../base/views.js';
import type { Vocabulary } from '../vocabularies/vocabulary.js';
import { failureInText, isAboutText } from './text-failures.js';
import { type Template, templateOf } from './id-template.js';

/**
 * Where parts of a text are cut: see `separators` of {@link SplitOptions}.
 *
 * @example
 * ```ts
 * const separators: Separators = ['\n\n', '\n', ' '];
 * tokenizer.split('one two\n\nthree four', { maxTokens: 4, separators }); // ['one two\n\n', 'three four']
 * ```
 */
export type Separators = 'text' | 'markdown' | 'code' | readonly string[];

/**
 * Options of {@link Tokenizer.truncate}.
 *
 * @example
 * ```ts
 * const options: TruncateOptions = { side: 'left' };
 * tokenizer.truncate('hello world', 1, options); // ' world'
 * ```
 */
export interface TruncateOptions extends EncodeOptions {
  /** The side to cut off. Default `'right'`: the beginning of the text is kept. */
  side?: 'left' | 'right' | undefined;
}

const TRUNCATE_OPTIONS = optionNames<TruncateOptions>({ special: true, addSpecialTokens: true, side: true });

/**
 * Options of {@link Tokenizer.split}.
 *
 * @example
 * ```ts
 * const options: SplitOptions = { maxTokens: 1 };
 * tokenizer.split('hello world', options); // ['hello', ' world']
 * ```
 */
export interface SplitOptions extends EncodeOptions {
  /** The most tokens per part. */
  maxTokens: number;
  /** How many of a part's last tokens the next part repeats, at most; less than `maxTokens`. Default 0. */
  overlap?: number | undefined;
  /**
   * Where parts should end: at the strongest separator in the last half of what `maxTokens` allows, and at the last one of
   * equal strength. So every part but the last has at least half of what it could have, and words stay whole if a word ends
   * in that half. By default parts end at any token boundary.
   *
   * - `'text'`: paragraphs, then sentences, lines, words.
   * - `'markdown'`: headings, the upper levels first, then blocks, list items, table rows, sentences, lines, words. Fenced
   *   code and tables that fit into a part are not cut.
   * - `'code'`: blank lines and the ends of indented blocks, the outer ones first, then lines and words.
   * - a list of strings, the strongest first, then words. Line breaks at the start of a string stay before the cut, spaces at its
   *   ends go after it, and any other string stays before it: `'\n## '` cuts before `## `, `'. '` after the dot.
   *
   * A cut is always between two tokens. The cuts are the same on every host: nothing depends on the host's Unicode data. Sentences
   * end at full stops and their equivalents in Latin, CJK and Indic scripts, but not after initials and common abbreviations, nor
   * before a lower-case letter.
   */
  separators?: Separators | undefined;
  /** Return `{text, start, end, tokens}` for each part: see {@link TextPart}. Default false. */
  withOffsets?: boolean | undefined;
}

/**
 * A part that {@link Tokenizer.split} returns with `withOffsets`.
 *
 * @example
 * ```ts
 * const [first]: TextPart[] = tokenizer.split('hello world', { maxTokens: 1, withOffsets: true });
 * first; // { text: 'hello', start: 0, end: 5, tokens: 1 }
 * ```
 */
export interface TextPart<T extends string | Uint8Array = string> {
  /** The part; for bytes, a view of them. */
  text: T;
  /** Where it begins in the text: in UTF-16 units of a string, in bytes of bytes. */
  start: number;
  /** Where it ends. */
  end: number;
  /** Its number of tokens when encoded alone with the same options: at most `maxTokens`. */
  tokens: number;
}

const SPLIT_OPTIONS = optionNames<SplitOptions>({
  special: true,
  addSpecialTokens: true,
  maxTokens: true,
  overlap: true,
  separators: true,
  withOffsets: true,
});

/**
 * Options of {@link Tokenizer.splitAsync} and {@link Tokenizer.splitBatch}.
 *
 * @example
 * ```ts
 * const options: SplitAsyncOptions = { maxTokens: 1, signal: AbortSignal.timeout(60_000) };
 * await tokenizer.splitAsync('hello world', options); // ['hello', ' world']
 * ```
 */
export interface SplitAsyncOptions extends SplitOptions, Pick<AsyncOptions, 'threads' | 'cacheBytes' | 'signal'> {}

export const SPLIT_ASYNC_OPTIONS = [...SPLIT_OPTIONS, 'threads', 'cacheBytes', 'signal'];

type Text = string | Uint8Array;

/** The most tokens that an engine takes as a limit. */
const MAX_TOKENS = 0xffffffff;
/** How much of a text is converted first: UTF-16 units or bytes for each token of the limit, and more. */
const UNITS_OF_TOKEN = 6;
const LEAST_UNITS = 288;
/** The kinds of cuts, in the order of the engine's numbers (CRAYON_CUT_…). */
const KINDS: readonly unknown[] = [undefined, 'text', 'markdown', 'code'];
const LISTED = 4;
/** Parts that are made at a time. */
const PARTS_AT_ONCE = 4096;

export function isWithinLimit(vocabulary: Vocabulary, text: Text, limit: number, options?: EncodeOptions): number | false {
  try {
    const maxTokens = checkedInteger(limit, 'limit', 0);
    const policy = policyOf(options, vocabulary);
    const { size } = templateOf(options, vocabulary);
    const plain = checkedText(text);
    if (maxTokens < size) return false;
    const count = size + vocabulary.engine.count(plain, policy, maxTokens - size + 1);
    return count <= maxTokens && count;
  } catch (error) {
    throw failureInText(error, text, vocabulary);
  }
}

export function truncate(vocabulary: Vocabulary, text: Text, limit: number, options?: TruncateOptions): Text {
  try {
    const maxTokens = checkedInteger(limit, 'limit', 0);
    const policy = policyOf(options, vocabulary, TRUNCATE_OPTIONS);
    const { side = 'right' } = options ?? {};
    checkedChoice(side, 'side', ['left', 'right']);
    const left = Math.max(0, maxTokens - templateOf(options, vocabulary).size);
    if (typeof text === 'string') return fitted(vocabulary.engine, text, left, side, policy);
    const plain = textBytes(text, 'text');
    const part = fitted(vocabulary.engine, plain, left, side, policy);
    return part === plain ? text : (viewsLike(text, plain, [part])[0] as Uint8Array);
  } catch (error) {
    throw failureInText(error, text, vocabulary);
  }
}

export function split(
  vocabulary: Vocabulary,
  text: Text,
  options: SplitOptions,
): string[] | Uint8Array[] | TextPart[] | TextPart<Uint8Array>[] {
  try {
    const call = checkedSplit(options, templateOf(options, vocabulary));
    const policy = policyOf(options, vocabulary, SPLIT_OPTIONS);
    const plain = checkedText(text);
    return drained(partsIn(text, plain, partNumbers(vocabulary.engine, plain, call.form, policy), call)) as string[];
  } catch (error) {
    throw failureInText(error, text, vocabulary);
  }
}

/** A checked call of `split`. */
interface SplitCall {
  form: Omit<PartForm, 'unit'>;
  /** How many of the caller's tokens go around each part; the limit of the form excludes them. */
  around: number;
  withOffsets: boolean;
}

/** Checks the options of `split` that `encode` does not have. `template`: the ids around each part. */
export function checkedSplit(options: SplitOptions, { size }: Template, names: readonly string[] = SPLIT_OPTIONS): SplitCall {
  checkOptionNames(options, names);
  const { maxTokens, overlap = 0, separators, withOffsets } = options;
  checkedInteger(maxTokens, 'maxTokens', 1);
  checkedInteger(overlap, 'overlap', 0);
  if (overlap >= maxTokens) throw refused(`\`overlap\` must be less than \`maxTokens\` (${maxTokens})`, overlap);
  const limit = Math.min(maxTokens - size, MAX_TOKENS);
  if (limit <= overlap) {
    throw refused(`\`maxTokens\` must be at least ${overlap + size + 1}, ${size} of which are around each part`, maxTokens);
  }
  const form = { limit, overlap, separation: checkedSeparators(separators) };
  return { form, around: size, withOffsets: checkedBoolean(withOffsets, 'withOffsets') };
}

function checkedSeparators(separators: unknown): Separation {
  const kind = KINDS.indexOf(separators);
  if (kind >= 0) return { kind, separators: new Uint8Array(0), numbers: new Uint32Array(0) };
  if (!Array.isArray(separators)) throw unexpected("'text', 'markdown', 'code' or a list of strings", 'separators', separators);
  const encoder = new TextEncoder();
  const list = checkedStrings(separators, 'separators', (separator, name, isLast) => {
    // An empty string may come last, as in LangChain, where it means a cut anywhere: that is always the last resort.
    if (separator === '' && !isLast) throw outOfRange('a string that is not empty', name, separator);
  }).filter((separator) => separator !== '');
  const encoded = list.map((separator) => encoder.encode(separator));
  const stays = list.map((separator) => encoder.encode(separator.slice(0, cutIn(separator))).length);
  const numbers = encoded.flatMap(({ length }, index) => [length, stays[index] as number]);
  return { kind: LISTED, separators: concatenated(Uint8Array, encoded), numbers: Uint32Array.from(numbers) };
}

/** Where a listed separator is cut: after leading line breaks; before leading or trailing spaces; otherwise after it. */
function cutIn(separator: string): number {
  const [leading] = /^\s*/.exec(separator) as RegExpExecArray;
  const breaks = Math.max(leading.lastIndexOf('\n'), leading.lastIndexOf('\r')) + 1;
  if (breaks > 0 || leading !== '') return breaks;
  return separator.replace(/[^\S\r\n]+$/, '').length;
}

/** The beginning or the end of a text within a limit. The other `side` is cut off. */
function fitted<T extends Text>(engine: EngineTokenizer, text: T, limit: number, side: Side, policy: Policy): T {
  const maxTokens = Math.min(limit, MAX_TOKENS);
  const { length } = text;
  // Only as much of a text is converted, or copied, as the limit needs.
  for (let size = UNITS_OF_TOKEN * maxTokens + LEAST_UNITS; ; size *= 4) {
    const from = side === 'right' ? 0 : boundary(text, length - size);
    const part = cut(text, from, side === 'right' ? boundary(text, size) : length);
    const stable = typeof part === 'string' ? part : unshared(part);
    try {
      const fitting = engine.fit(stable, part.length === length, maxTokens, side, policy);
      if (fitting !== undefined) return side === 'right' ? cut(text, 0, fitting) : cut(text, length - fitting, length);
    } catch (error) {
      throw failureBehind(error, cut(text, 0, from));
    }
  }
}

/** A position within a text, moved back out of a surrogate pair. */
function boundary(text: Text, at: number): number {
  if (at <= 0 || at >= text.length) return Math.min(Math.max(at, 0), text.length);
  return typeof text === 'string' && isHighSurrogate(text, at - 1) && isLowSurrogate(text, at) ? at - 1 : at;
}

/** The numbers of the parts of a text: three for each. */
function partNumbers(engine: EngineTokenizer, text: Text, form: SplitCall['form'], policy: Policy): Uint32Array {
  const session = engine.begin(policy, false, formFor(text, form));
  try {
    session.feed(text, true);
    return session.take();
  } finally {
    session.end();
  }
}

export function formFor(text: Text, form: SplitCall['form']): PartForm {
  return { ...form, unit: typeof text === 'string' ? 'utf16' : 'bytes' };
}

/** The parts of a text, a few at a time: what `split` returns. `plain`: the text, with its bytes plain. */
export function* partsIn(
  text: Text,
  plain: Text,
  numbers: Uint32Array,
  { form, around, withOffsets }: SplitCall,
): Generator<undefined, unknown[]> {
  const parts: unknown[] = [];
  for (let at = 0; at < numbers.length; at += 3) {
    const start = numbers[at] as number;
    const end = numbers[at + 1] as number;
    const tokens = (numbers[at + 2] as number) + around;
    if (start === end) {
      const rule = `\`maxTokens\` must be at least ${tokens}, for the character at position ${start} of the text`;
      throw refused(rule, form.limit + around);
    }
    const slice = cut(plain, start, end);
    const part = typeof slice === 'string' ? slice : viewsLike(text as Uint8Array, plain as Uint8Array, [slice])[0];
    parts.push(withOffsets ? { text: part, start, end, tokens } : part);
    if (parts.length % PARTS_AT_ONCE === 0) yield;
  }
  return parts;
}

/** Shifts a failure's byte position from the text after `before` to the whole text. */
function failureBehind(error: unknown, before: Text): unknown {
  if (!isAboutText(error)) return error;
  const bytes = typeof before === 'string' ? new TextEncoder().encode(before) : before;
  return new TokenizerError(error.message, { code: error.code, position: bytes.length + error.position });
}

function cut<T extends Text>(text: T, start: number, end: number): T {
  return start === 0 && end === text.length ? text : (partOf(text, start, end) as T);
}

/** Bytes that no other thread can change between two reads. */
function unshared(bytes: Uint8Array): Uint8Array {
  return isShared(bytes.buffer) ? new Uint8Array(bytes) : bytes;
}
