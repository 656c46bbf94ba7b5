// What users pass, checked and made plain for the engine: texts, ids and policies. Each function throws a TypeError that
// names the argument, or a TokenizerError where the value is well formed and the vocabulary lacks it.

import type { OffsetUnit, Policy } from './backend.js';
import { TokenizerError, unexpected } from './errors.js';

export const SPECIAL_AS_TEXT = 0;
export const SPECIAL_ALLOW = 1;
export const SPECIAL_FORBID = 2;

/**
 * What becomes of special tokens that stand in a text: ordinary text (`'text'`), their ids (`'allow'`), an error
 * (`'forbid'`), or the ids of those listed while others are ordinary text.
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
  /** Default `'text'`: special tokens in the text are ordinary text, which is safe for what users type. */
  special?: SpecialPolicy | undefined;
  /** Apply the cartridge's post-processor (BOS, [CLS] …). The vocabularies of this release have none. Default false. */
  addSpecialTokens?: boolean | undefined;
}

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
  /** What offsets count. Default: what the text has, `'utf16'` units of a string and `'bytes'` of bytes. */
  unit?: OffsetUnit | undefined;
}

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
  /** Leave special tokens out. Default false. */
  skipSpecialTokens?: boolean | undefined;
}

/**
 * A list of token ids: numbers, or integers of a typed array, of bigints too.
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

/** A buffer that another thread has taken is an empty one to JavaScript: say so instead of answering for no bytes. */
function refuseDetached(view: ArrayBufferView, name: string): void {
  if (view.byteLength > 0) return;
  try {
    new Uint8Array(view.buffer);
  } catch {
    throw new TypeError(`expected ${name} with its memory but received one whose buffer has been transferred`);
  }
}

/** The name of a built-in class, also for an object of another realm (a `vm` context, as some test runners use). */
export function tagOf(value: unknown): string {
  return Object.prototype.toString.call(value).slice(8, -1);
}

/** The bytes of an argument that may be a view or a buffer; undefined for anything else. */
export function bytesOf(value: unknown, name: string): Uint8Array | undefined {
  let bytes: Uint8Array;
  if (ArrayBuffer.isView(value)) {
    bytes = value instanceof Uint8Array ? value : new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  } else if (tagOf(value) === 'ArrayBuffer' || tagOf(value) === 'SharedArrayBuffer') {
    bytes = new Uint8Array(value as ArrayBuffer);
  } else {
    return undefined;
  }
  refuseDetached(bytes, name);
  return bytes;
}

/** The bytes of a text that is no string. */
export function textBytes(value: unknown, name: string): Uint8Array {
  if (!(value instanceof Uint8Array) && tagOf(value) !== 'Uint8Array') {
    throw unexpected('a string or a Uint8Array', name, value);
  }
  const bytes = value as Uint8Array;
  if (bytes.length === 0) refuseDetached(bytes, name);
  return bytes;
}

/** The ids as the engine takes them; a Uint32Array is passed as it is. `name` is what the caller knows them by. */
export function idArray(ids: unknown, name = 'ids'): Uint32Array {
  if (ids instanceof Uint32Array) {
    if (ids.length === 0) refuseDetached(ids, name);
    return ids;
  }
  if (!Array.isArray(ids) && !(ArrayBuffer.isView(ids) && !(ids instanceof DataView))) {
    throw unexpected('an array or typed array of token ids', name, ids);
  }
  if (ArrayBuffer.isView(ids)) refuseDetached(ids, name);
  const list = ids as ArrayLike<unknown>;
  const { length } = list;
  const out = new Uint32Array(length);
  for (let index = 0; index < length; index++) out[index] = checkId(list[index], name, index);
  return out;
}

function checkId(value: unknown, name: string, index: number): number {
  const id = typeof value === 'bigint' ? Number(value) : value;
  if (typeof id !== 'number' || !Number.isInteger(id) || id < 0) {
    throw unexpected('a token id (an integer of 0 or more)', `${name}[${index}]`, value);
  }
  if (id > 0xffffffff) {
    throw new TokenizerError(`the id ${id} at index ${index} is not in the vocabulary`, {
      code: 'INVALID_ID',
      position: index,
    });
  }
  return id;
}

/** The engine's policy for the options of a call to a tokenizer with these special tokens. */
export function policyOf(
  options: EncodeOptions | undefined,
  tokenizer: { readonly specialTokens: ReadonlyMap<string, number> },
): Policy {
  if (options === undefined) return SPECIAL_AS_TEXT;
  if (typeof options !== 'object' || options === null) throw unexpected('an object', 'options', options);
  const { special, addSpecialTokens } = options;
  if (addSpecialTokens !== undefined && typeof addSpecialTokens !== 'boolean') {
    throw unexpected('a boolean', 'addSpecialTokens', addSpecialTokens);
  }
  switch (special) {
    case undefined:
    case 'text':
      return SPECIAL_AS_TEXT;
    case 'allow':
      return SPECIAL_ALLOW;
    case 'forbid':
      return SPECIAL_FORBID;
  }
  if (!Array.isArray(special)) throw unexpected("'text', 'allow', 'forbid' or a list of special tokens", 'special', special);
  const known = tokenizer.specialTokens;
  const ids = new Uint32Array(special.length);
  for (let index = 0; index < special.length; index++) ids[index] = specialId(special[index], index, known);
  return ids;
}

/** The unit of offsets into the text. */
export function unitOf(options: OffsetOptions | undefined, text: unknown): OffsetUnit {
  const unit: unknown = options?.unit;
  if (unit === undefined) return typeof text === 'string' ? 'utf16' : 'bytes';
  if (unit === 'utf16' || unit === 'bytes') return unit;
  throw unexpected("'utf16' or 'bytes'", 'unit', unit);
}

function specialId(text: unknown, index: number, known: ReadonlyMap<string, number>): number {
  if (typeof text !== 'string') throw unexpected('a string', `special[${index}]`, text);
  const id = known.get(text);
  if (id !== undefined) return id;
  throw new TokenizerError(
    `${JSON.stringify(text)} is no special token of this tokenizer (it has ${listed([...known.keys()])}); ` +
      `it is special[${index}]`,
    { code: 'UNKNOWN_SPECIAL', position: index },
  );
}

/** The first few names of a list that may have a thousand. */
function listed(names: string[]): string {
  const shown = names.slice(0, 12).join(', ');
  return names.length > 12 ? `${shown} and ${names.length - 12} more` : shown || 'none';
}

/** Whether special tokens are left out. */
export function skipsSpecial(options: DecodeOptions | undefined): boolean {
  if (options === undefined) return false;
  if (typeof options !== 'object' || options === null) throw unexpected('an object', 'options', options);
  const { skipSpecialTokens = false } = options;
  if (typeof skipSpecialTokens !== 'boolean') throw unexpected('a boolean', 'skipSpecialTokens', skipSpecialTokens);
  return skipSpecialTokens;
}

/** Lists of token ids, not yet looked at. */
export function checkedIdRows(rows: unknown): Iterable<TokenIds> {
  if (typeof rows === 'object' && rows !== null && Symbol.iterator in rows) return rows as Iterable<TokenIds>;
  throw unexpected('a TokenBatch, or an array or iterable of token ids', 'rows', rows);
}
