// Texts and token limits: counting up to a limit, truncating to it, splitting into parts within it.
//
// A text is cut only where one of its tokens ends, never inside a character. The result is then counted alone, as it will
// be encoded, since its tokens may differ from those it had in the text.

import { type EncodeOptions, SPECIAL_ALLOW, SPECIAL_FORBID } from './arguments.js';
import type { EngineTokenizer, Policy } from '../engine/engine.js';
import { outOfRange, TokenizerError, unexpected } from '../base/errors.js';
import { checkOptionNames, optionNames } from '../base/options.js';
import type { Separators } from './split/separators.js';
import { isShared } from '../base/views.js';

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

export const TRUNCATE_OPTIONS = optionNames<TruncateOptions>({ special: true, addSpecialTokens: true, side: true });

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
   * The cuts are the same on every host: nothing depends on the host's Unicode data. Grapheme clusters stay whole where tokens
   * allow. Sentences end at full stops and their equivalents in Latin, CJK and Indic scripts, but not after initials and common
   * abbreviations, nor before a lower-case letter.
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

export const SPLIT_OPTIONS = optionNames<SplitOptions>({
  special: true,
  addSpecialTokens: true,
  maxTokens: true,
  overlap: true,
  separators: true,
  withOffsets: true,
});

export type Text = string | Uint8Array;

/** How much text to read first for each token to keep: bytes, or UTF-16 units. Most tokens are shorter. */
const EXPECTED_LENGTH = 6;
/** Bytes of a long string to split at a time, and the least number of parts that this should give, roughly. */
const SPLIT_WINDOW = 256 * 1024;
const PARTS_OF_WINDOW = 16;
/** How many tokens before a tail may differ from the whole text's. */
const UNSETTLED_TOKENS = 64;
/** Steps of one token before they grow. */
const SINGLE_STEPS = 8;

/** Checks a caller's limit in tokens. */
export function checkedLimit(value: unknown, name: string, least: number): number {
  if (typeof value !== 'number') throw unexpected('a number', name, value);
  if (!Number.isSafeInteger(value) || value < least) throw outOfRange(`an integer of ${least} or more`, name, value);
  return value;
}

/** Checks `maxTokens` and `overlap`, and the names of the options. */
export function checkedSplit(options: SplitOptions): Limits {
  checkOptionNames(options, SPLIT_OPTIONS);
  const { maxTokens: most, overlap: repeated = 0 } = options;
  const maxTokens = checkedLimit(most, 'maxTokens', 1);
  const overlap = checkedLimit(repeated, 'overlap', 0);
  if (overlap >= maxTokens) throw outOfRange(`less than maxTokens (${maxTokens})`, 'overlap', overlap);
  return { maxTokens, overlap, around: 0 };
}

/** The limits for the text's own tokens, after subtracting `size` others. */
export function limitsWithin(limits: Limits, size: number): Limits {
  if (size === 0) return limits;
  const maxTokens = limits.maxTokens - size;
  if (maxTokens > limits.overlap) return { ...limits, maxTokens, around: size };
  const least = limits.overlap + size + 1;
  throw outOfRange(`at least ${least} (${size} of them are around each part)`, 'maxTokens', limits.maxTokens);
}

/** The side to cut off. The options are already checked. */
export function checkedSide(options: TruncateOptions | undefined): 'left' | 'right' {
  const side: unknown = options?.side;
  if (side === undefined || side === 'right') return 'right';
  if (side === 'left') return 'left';
  throw unexpected("'left' or 'right'", 'side', side);
}

/** The number of tokens if it is within the limit, else false. */
export function countWithin(engine: EngineTokenizer, text: Text, limit: number, policy: Policy): number | false {
  const most = limit + 1;
  const count = typeof text === 'string' ? engine.countUpTo(text, most, policy) : engine.countBytesUpTo(text, most, policy);
  return count <= limit && count;
}

/** The longest beginning of the text within the limit. */
export function keepStart<T extends Text>(engine: EngineTokenizer, text: T, limit: number, policy: Policy): T {
  if (typeof text !== 'string') {
    return cut(text, 0, engine.fit(unshared(text), true, limit, 'bytes', policy) as number);
  }
  // Convert only as much of a string as the limit needs.
  const encoder = new TextEncoder();
  for (let size = EXPECTED_LENGTH * limit + 256; ; size *= 4) {
    const buffer = new Uint8Array(Math.min(size, 3 * text.length));
    const { read, written } = encoder.encodeInto(beginning(text, 0, size), buffer);
    const fits = engine.fit(buffer.subarray(0, written), read === text.length, limit, 'utf16', policy);
    if (fits !== undefined) return cut(text, 0, fits);
  }
}

/** The longest end of the text within the limit that begins at a token boundary. */
export function keepEnd<T extends Text>(engine: EngineTokenizer, text: T, limit: number, policy: Policy): T {
  if (limit === 0) return cut(text, text.length, text.length);
  // A forbidden token matters only if it would be kept.
  const reading = policy === SPECIAL_FORBID ? SPECIAL_ALLOW : policy;
  for (let length = EXPECTED_LENGTH * limit + 256; ; length *= 2) {
    const from = Math.max(text.length - length, 0);
    const end = cut(text, from, text.length);
    const tail = typeof end === 'string' ? end : unshared(end);
    const tokens = from > 0 ? unlessUnknown(() => tokensOf(engine, tail, reading)) : tokensOf(engine, tail, reading);
    if (tokens === undefined || (from > 0 && tokens.ids.length < limit + UNSETTLED_TOKENS)) continue;

    const { ids, starts, inside } = tokens;
    const first = firstKept(ids.length, limit, (token) => {
      if (inside(token)) return undefined;
      return unlessUnknown(() => tokenCount(engine, cut(tail, starts(token), tail.length), reading));
    });
    if (policy === SPECIAL_FORBID) refuseSpecial(engine, text, ids, first, (token) => from + starts(token));
    return first === 0 ? text : cut(text, first < ids.length ? from + starts(first) : text.length, text.length);
  }
}

/** Undefined for a text that begins inside a token, and therefore with an unknown character. */
function unlessUnknown<T>(ask: () => T): T | undefined {
  try {
    return ask();
  } catch (error) {
    if (error instanceof TokenizerError && error.code === 'UNKNOWN_CHARACTER') return undefined;
    throw error;
  }
}

/** The whole text in parts within `maxTokens`, each beginning with the last `overlap` tokens of the previous part. */
export function splitText<T extends Text>(engine: EngineTokenizer, text: T, limits: Limits, policy: Policy): T[] {
  const parts: T[] = [];
  visitParts(engine, text, limits, policy, (start, end) => parts.push(cut(text, start, end)));
  return parts;
}

/** A part of a text, and its number of tokens. */
export interface Part {
  start: number;
  end: number;
  tokens: number;
}

/** The same as start and end positions, with the number of tokens. */
export function splitParts(engine: EngineTokenizer, text: Text, limits: Limits, policy: Policy): Part[] {
  const own = typeof text === 'string' ? text : unshared(text);
  const parts: Part[] = [];
  visitParts(engine, own, limits, policy, (start, end) => {
    parts.push({ start, end, tokens: tokenCount(engine, cut(own, start, end), policy) });
  });
  return parts;
}

function visitParts(engine: EngineTokenizer, text: Text, limits: Limits, policy: Policy, take: TakePart): void {
  if (typeof text === 'string') {
    splitString(engine, text, limits, policy, take);
  } else {
    eachPart(engine.split(unshared(text), true, limits.maxTokens, limits.overlap, 'bytes', policy), limits, 0, take);
  }
}

/** `around`: how many of the caller's tokens go around each part; `maxTokens` excludes them. */
export type Limits = { maxTokens: number; overlap: number; around: number };
type TakePart = (start: number, end: number) => void;

/** Long strings are converted one window at a time; the next window begins with the undecided end of the previous one. */
function splitString(engine: EngineTokenizer, text: string, limits: Limits, policy: Policy, take: TakePart): void {
  const { maxTokens, overlap } = limits;
  const encoder = new TextEncoder();
  let size = Math.max(SPLIT_WINDOW, PARTS_OF_WINDOW * EXPECTED_LENGTH * maxTokens);
  let buffer = new Uint8Array(0);
  for (let at = 0; at < text.length; ) {
    const room = Math.min(size, 3 * (text.length - at));
    if (buffer.length < room) buffer = new Uint8Array(room);
    const { read, written } = encoder.encodeInto(beginning(text, at, buffer.length), buffer);
    const last = at + read === text.length;
    let bounds: Uint32Array;
    try {
      bounds = engine.split(buffer.subarray(0, written), last, maxTokens, overlap, 'utf16', policy);
    } catch (error) {
      throw failureBehind(error, text.slice(0, at));
    }
    eachPart(bounds, limits, at, take, last || overlap === 0);
    if (last) return;
    // Overlapping parts continue from the last one, which is found again, because the next begins inside it.
    const next = bounds.at(overlap === 0 ? -1 : -2) ?? 0;
    if (next === 0) size *= 4;
    at += next;
  }
}

/** Takes the parts, including the last one if it is `complete`. */
function eachPart(bounds: Uint32Array, { maxTokens, around }: Limits, from: number, take: TakePart, complete = true): void {
  const { length } = bounds;
  if (length % 2 === 1) {
    const position = from + (bounds.at(-2) ?? 0);
    const least = around + (bounds[length - 1] as number);
    const needed = `at least ${least}, which the character at position ${position} of the text needs,`;
    throw outOfRange(needed, 'maxTokens', maxTokens + around);
  }
  const end = complete ? length : length - 2;
  for (let i = 0; i < end; i += 2) take(from + (bounds[i] as number), from + (bounds[i + 1] as number));
}

/** The first of `count` tokens to keep such that the rest, counted alone by `alone`, is within the limit. */
function firstKept(count: number, limit: number, alone: (token: number) => number | undefined): number {
  if (count <= limit) return 0;
  let tries = 0;
  let step: number;
  let token = count - limit;
  for (; token < count; token += step) {
    step = 1;
    const tokens = alone(token);
    if (tokens === undefined) continue;
    if (tokens <= limit) break;
    // Steps grow to limit how often a text is counted.
    if (++tries > SINGLE_STEPS) step = Math.max(tokens - limit, 2 ** (tries - SINGLE_STEPS));
  }
  return Math.min(token, count);
}

/** The tokens of a text: where each begins, and whether that is inside a character. */
function tokensOf(engine: EngineTokenizer, text: Text, policy: Policy) {
  const isString = typeof text === 'string';
  // The spans of tokens that share a character overlap.
  const { ids, offsets } = isString
    ? engine.encodeWithOffsets(text, 'utf16', policy)
    : engine.encodeBytesWithOffsets(text, 'utf16', policy);
  const ownOffsets = isString ? offsets : engine.encodeBytesWithOffsets(text, 'bytes', policy).offsets;
  return {
    ids,
    starts: (token: number) => ownOffsets[2 * token] as number,
    inside: (token: number) => token > 0 && (offsets[2 * token] as number) < (offsets[2 * token - 1] as number),
  };
}

export function tokenCount(engine: EngineTokenizer, text: Text, policy: Policy): number {
  return typeof text === 'string' ? engine.count(text, policy) : engine.countBytes(text, policy);
}

/** Fails like the engine, at the first special token from token `first` on. */
function refuseSpecial(engine: EngineTokenizer, text: Text, ids: Uint32Array, first: number, startOf: (token: number) => number): void {
  const special = new Set(engine.describe().addedTokens.flatMap(({ id, special }) => (special ? [id] : [])));
  const found = ids.findIndex((id, token) => token >= first && special.has(id));
  if (found < 0) return;
  const failure = new TokenizerError('the text holds a special token', { code: 'SPECIAL_FORBIDDEN' });
  throw failureBehind(failure, cut(text, 0, startOf(found)));
}

/** Shifts a failure's byte position from the text after `before` to the whole text. */
export function failureBehind(error: unknown, before: Text): unknown {
  if (!(error instanceof TokenizerError) || !(error.code === 'SPECIAL_FORBIDDEN' || error.code === 'UNKNOWN_CHARACTER')) return error;
  const bytes = typeof before === 'string' ? new TextEncoder().encode(before) : before;
  return new TokenizerError(error.message, { code: error.code, position: bytes.length + error.position });
}

export function cut<T extends Text>(text: T, start: number, end: number): T {
  if (start === 0 && end === text.length) return text;
  return (typeof text === 'string' ? text.slice(start, end) : text.subarray(start, end)) as T;
}

/** The text from `start` on, up to `units` units, or one less to keep a surrogate pair whole. */
function beginning(text: string, start: number, units: number): string {
  const end = Math.min(start + units, text.length);
  const isPair = (text.charCodeAt(end - 1) & 0xfc00) === 0xd800 && (text.charCodeAt(end) & 0xfc00) === 0xdc00;
  return cut(text, start, isPair ? end - 1 : end);
}

/** Bytes that no other thread can change between two reads. */
export function unshared(bytes: Uint8Array): Uint8Array {
  return isShared(bytes.buffer) ? new Uint8Array(bytes) : bytes;
}
