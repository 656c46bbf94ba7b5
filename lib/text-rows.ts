// The texts of a batch, checked: strings, or bytes that lie one behind the other. What a caller passed is read once, so
// that nothing it does meanwhile (a getter, a proxy) reaches the engine.

import { bytesOf, tagOf } from './arguments.js';
import { outOfRange, unexpected } from './errors.js';

/**
 * Texts as bytes, one behind the other: text i is bytes[offsets[i], offsets[i + 1]).
 *
 * @example
 * ```ts
 * const texts: TextRows = { bytes: new TextEncoder().encode('hellohello world'), offsets: Uint32Array.of(0, 5, 16) };
 * tokenizer.encodeBatch(texts).row(1); // Uint32Array [24912, 2375]
 * ```
 */
export interface TextRows {
  /** All texts, in UTF-8. */
  bytes: Uint8Array;
  /** Where each text begins, and the end of the last: one more than there are texts, ascending. */
  offsets: Uint32Array;
}

/** The texts of a batch; throws a TypeError that names the first one that is none. */
export function checkedRows(texts: unknown): readonly string[] | TextRows {
  return Array.isArray(texts) ? checkedStrings(texts) : checkedBytes(texts as TextRows);
}

function checkedStrings(texts: readonly unknown[]): readonly string[] {
  const strings: string[] = [];
  for (let index = 0; index < texts.length; index++) {
    const text = texts[index];
    if (typeof text !== 'string') throw unexpected('a string', `texts[${index}]`, text);
    strings.push(text);
  }
  return strings;
}

function checkedBytes(texts: TextRows): TextRows {
  if (typeof texts !== 'object' || texts === null) throw unexpected('an array of strings or { bytes, offsets }', 'texts', texts);
  const bytes = bytesOf(texts.bytes, 'texts.bytes');
  if (!bytes) throw unexpected('an array of strings, or { bytes: Uint8Array, offsets: Uint32Array }', 'texts', texts);
  const { offsets } = texts;
  if (tagOf(offsets) !== 'Uint32Array') throw unexpected('a Uint32Array', 'texts.offsets', offsets);
  if (offsets.length === 0) throw outOfRange('at least one element', 'texts.offsets', offsets);
  let before = 0;
  for (let index = 0; index < offsets.length; index++) {
    const offset = offsets[index] as number;
    if (offset < before || offset > bytes.length) {
      throw outOfRange(`ascending offsets up to ${bytes.length}`, `texts.offsets[${index}]`, offset);
    }
    before = offset;
  }
  return { bytes, offsets };
}

/** How many texts there are. */
export function rowCount(rows: readonly string[] | TextRows): number {
  return 'offsets' in rows ? rows.offsets.length - 1 : rows.length;
}

/** Text `index`. */
export function rowOf(rows: readonly string[] | TextRows, index: number): string | Uint8Array {
  return 'offsets' in rows ? rows.bytes.subarray(rows.offsets[index], rows.offsets[index + 1]) : (rows[index] as string);
}
