// Checks callers' arguments and converts them for engines: texts, ids and policies for special tokens.
//
// Reading an option or a list element may run the caller's code (a getter, a proxy). So each is read once, options are
// read before texts, and typed arrays last: nothing can detach their memory between the check and the engine.

import { type AnyDevice, checkedDevice, type DeviceName } from '../engine/devices.js';
import type { OffsetUnit, Policy } from '../engine/engine.js';
import { quotedName, TokenizerError, unexpected } from '../base/errors.js';
import { checkedBoolean, checkedInteger, checkOptionNames, optionNames } from '../base/option-objects.js';
import { lengthOf, plainBytes, plainWords, typedArrayKind } from '../base/views.js';
import type { Vocabulary } from '../vocabularies/vocabulary.js';

export const SPECIAL_AS_TEXT = 0;
export const SPECIAL_ALLOW = 1;
export const SPECIAL_FORBID = 2;

/**
 * How special tokens in a text are treated: as ordinary text (`'text'`), as their ids (`'allow'`), as an error
 * (`'forbid'`), or, with a list, the listed ones as their ids and all others as ordinary text.
 *
 * @example
 * ```ts
 * const special: SpecialPolicy = ['<|endoftext|>'];
 * tokenizer.encode('<|endoftext|>', { special }); // Uint32Array [199999]
 * tokenizer.count('<|endofprompt|>', { special }); // 7
 * tokenizer.count('<|endoftext|>', { special: 'forbid' }); // throws TokenizerError (SPECIAL_FORBIDDEN)
 * ```
 */
export type SpecialPolicy = 'text' | 'allow' | 'forbid' | readonly string[];

/**
 * Options of every call that takes text.
 *
 * @example
 * ```ts
 * const options: EncodeOptions = { special: 'allow' };
 * tokenizer.count('<|endoftext|>', options); // 1
 * tokenizer.count('<|endoftext|>'); // 7
 * ```
 */
export interface EncodeOptions {
  /**
   * Default `'text'`: special tokens in the text are ordinary text, which is safe for user input. Applies to tokens flagged
   * special (`tokenizer.specialTokens`); other added tokens, such as Qwen's `<think>`, always match, as in Hugging Face.
   */
  special?: SpecialPolicy | undefined;
  /**
   * Wrap the text in the vocabulary's ids for that, such as `<|begin_of_text|>`. A `tokenizer.json` may define some; the
   * built-in vocabularies have none. They count: a limit of `isWithinLimit`, `truncate` and `split` includes them, for each
   * part, although the texts that the last two return do not. In a batch each row is wrapped, in a stream or file the whole.
   * Default false.
   */
  addSpecialTokens?: boolean | undefined;
}

export const ENCODE_OPTIONS = optionNames<EncodeOptions>({ special: true, addSpecialTokens: true });

/**
 * Options of {@link Tokenizer.encodeWithOffsets}.
 *
 * @example
 * ```ts
 * const options: OffsetOptions = { unit: 'bytes' };
 * tokenizer.encodeWithOffsets('né', options).offsets; // Uint32Array [0, 3]
 * ```
 */
export interface OffsetOptions extends EncodeOptions {
  /** The unit of offsets. Default: `'utf16'` (UTF-16 units) for a string, `'bytes'` for bytes. */
  unit?: OffsetUnit | undefined;
}

export const OFFSET_OPTIONS = optionNames<OffsetOptions>({ special: true, addSpecialTokens: true, unit: true });

/**
 * Options of {@link Tokenizer.decode}.
 *
 * @example
 * ```ts
 * const options: DecodeOptions = { skipSpecialTokens: true };
 * tokenizer.decode([24912, 199999], options); // 'hello'
 * ```
 */
export interface DecodeOptions {
  /** Skip special tokens. Default false. */
  skipSpecialTokens?: boolean | undefined;
}

const DECODE_OPTIONS = optionNames<DecodeOptions>({ skipSpecialTokens: true });

/**
 * How ids are decoded, and where.
 *
 * @example
 * ```ts
 * const options: DeviceDecodeOptions = { device: 'cpu', skipSpecialTokens: true };
 * tokenizer.decodeBatch([[24912, 199999], [2375]], options); // ['hello', ' world']
 * ```
 */
export interface DeviceDecodeOptions extends DecodeOptions {
  /**
   * An accelerator to decode on; the bytes are the same. Default the CPU, also with `'auto'`: the CPU finishes before a device
   * would have the ids. A missing device is an error (`DEVICE_UNAVAILABLE`), and so is a decoder that does more than join token
   * bytes (`DEVICE_UNSUPPORTED`). If a device fails later, the CPU takes over, with a warning.
   */
  device?: DeviceName | undefined;
}

const DEVICE_DECODE_OPTIONS = optionNames<DeviceDecodeOptions>({ skipSpecialTokens: true, device: true });

/**
 * A list of token ids: numbers, or a typed array of integers, including bigints.
 *
 * @example
 * ```ts
 * const ids: TokenIds = BigInt64Array.of(24912n, 2375n);
 * tokenizer.decode(ids); // 'hello world'
 * ```
 */
export type TokenIds =
  | Uint32Array
  | Int32Array
  | Uint16Array
  | Int16Array
  | Uint8Array
  | Int8Array
  | Float64Array
  | Float32Array
  | BigInt64Array
  | BigUint64Array
  | readonly number[];

/** A text: a string as it is, bytes as a plain array. `name`: the caller's name for it. */
export function checkedText(value: unknown, name = 'text'): string | Uint8Array {
  return typeof value === 'string' ? value : textBytes(value, name);
}

/** A text as bytes. */
export function textBytes(value: unknown, name: string): Uint8Array {
  if (typedArrayKind(value) !== 'Uint8Array') throw unexpected('a string or a Uint8Array', name, value);
  return plainBytes(value as Uint8Array, name);
}

/** Token ids as the engine takes them; a Uint32Array is not copied. `name` is the caller's name for them. */
export function idArray(ids: unknown, name = 'ids'): Uint32Array {
  const kind = typedArrayKind(ids);
  if (kind === 'Uint32Array') return plainWords(ids as Uint32Array, name);
  if (kind === undefined && !Array.isArray(ids)) throw unexpected('an array or typed array of token ids', name, ids);
  const list = ids as ArrayLike<unknown>;
  const length = kind === undefined ? list.length : lengthOf(ids as ArrayBufferView, name);
  const out = new Uint32Array(length);
  for (let index = 0; index < length; index++) out[index] = checkId(list[index], name, index);
  return out;
}

function checkId(value: unknown, name: string, index: number): number {
  const id = typeof value === 'bigint' ? Number(value) : value;
  if (typeof id !== 'number' || !Number.isInteger(id) || id < 0) {
    throw unexpected('a token id (an integer of 0 or more)', `${name}[${index}]`, value);
  }
  if (id <= 0xffffffff) return id;
  throw new TokenizerError(`the id ${id} at index ${index} is not in the vocabulary`, { code: 'INVALID_ID', position: index });
}

/** The engine's policy for the options of a call. `names`: the options that the call accepts. */
export function policyOf(options: EncodeOptions | undefined, vocabulary: Vocabulary, names: readonly string[] = ENCODE_OPTIONS): Policy {
  return policyFor(specialOf(options, names), vocabulary);
}

/** What options say about special tokens: a policy, or the names to be treated as tokens. */
export function specialOf(options: EncodeOptions | undefined, names: readonly string[]): Policy | readonly string[] {
  if (options === undefined) return SPECIAL_AS_TEXT;
  checkOptionNames(options, names);
  const { special, addSpecialTokens } = options;
  checkedBoolean(addSpecialTokens, 'addSpecialTokens');
  return checkedSpecial(special);
}

/** Checks the option `special`. */
export function checkedSpecial(special: unknown): Policy | readonly string[] {
  switch (special) {
    case undefined:
    case 'text':
      return SPECIAL_AS_TEXT;
    case 'allow':
      return SPECIAL_ALLOW;
    case 'forbid':
      return SPECIAL_FORBID;
  }
  if (Array.isArray(special)) return checkedStrings(special, 'special');
  throw unexpected("'text', 'allow', 'forbid' or a list of special tokens", 'special', special);
}

/** A copy of a list of strings. `check`: what else each must fulfil. */
export function checkedStrings(
  list: readonly unknown[],
  name: string,
  check?: (text: string, name: string, isLast: boolean) => void,
): string[] {
  const { length } = list;
  return Array.from({ length }, (_, index) => {
    const text = list[index];
    if (typeof text !== 'string') throw unexpected('a string', `${name}[${index}]`, text);
    check?.(text, `${name}[${index}]`, index === length - 1);
    return text;
  });
}

/** A policy, with the vocabulary's ids for the names of tokens. */
export function policyFor(special: Policy | readonly string[], vocabulary: Pick<Vocabulary, 'specialIds'>): Policy {
  if (typeof special === 'number' || special instanceof Uint32Array) return special;
  const known = vocabulary.specialIds;
  return Uint32Array.from(special, (name, index) => known.get(name) ?? refuseSpecialName(name, index, known));
}

function refuseSpecialName(name: string, index: number, known: ReadonlyMap<string, number>): never {
  throw new TokenizerError(
    `${quotedName(name)} is not a special token of this tokenizer (it has ${listed([...known.keys()])}); ` + `it is special[${index}]`,
    { code: 'UNKNOWN_SPECIAL', position: index },
  );
}

/** The first few names of a list that may have a thousand. */
function listed(names: string[]): string {
  const shown = names.slice(0, 12).join(', ');
  return names.length > 12 ? `${shown} and ${names.length - 12} more` : shown || 'none';
}

/** The unit of offsets into the text. The options are already checked. */
export function unitOf(options: OffsetOptions | undefined, text: unknown): OffsetUnit {
  const unit: unknown = options?.unit;
  if (unit === undefined) return typeof text === 'string' ? 'utf16' : 'bytes';
  if (unit === 'utf16' || unit === 'bytes') return unit;
  throw unexpected("'utf16' or 'bytes'", 'unit', unit);
}

/** Whether a call skips special tokens. */
export function skipsSpecial(options: DecodeOptions | undefined, names: readonly string[] = DECODE_OPTIONS): boolean {
  if (options === undefined) return false;
  checkOptionNames(options, names);
  return checkedBoolean(options.skipSpecialTokens, 'skipSpecialTokens');
}

/** How a call that may use a device decodes. */
export function decodingOf(options: DeviceDecodeOptions | undefined): { skip: boolean; device: AnyDevice | undefined } {
  return { skip: skipsSpecial(options, DEVICE_DECODE_OPTIONS), device: checkedDevice(options?.device) };
}

/** A place among ids, of which a negative one counts from the end, as in `Array.slice`. */
export function checkedPlace(value: unknown, name: string, count: number): number {
  const place = checkedInteger(value, name, Number.MIN_SAFE_INTEGER);
  return Math.min(count, place < 0 ? Math.max(0, count + place) : place);
}

/** Lists of token ids, not yet checked. */
export function checkedIdRows(rows: unknown): Iterable<TokenIds> {
  if (typeof rows === 'object' && rows !== null && Symbol.iterator in rows) return rows as Iterable<TokenIds>;
  throw unexpected('a TokenBatch, or an array or iterable of token ids', 'rows', rows);
}
