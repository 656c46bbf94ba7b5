// The texts of a batch: a list of strings and bytes, or bytes stored back to back. The caller's values are read once, so that later
// changes (by a getter, a proxy) never reach the engine.

import type { TextSession } from './engine.js';
import { outOfRange, TokenizerError, unexpected } from '../base/errors.js';
import { concatenated, offsetsOf } from '../base/typed-arrays.js';
import { bytesOf, isShared, plainBytes, plainWords, typedArrayKind } from '../base/views.js';

/**
 * Texts as bytes, back to back: text i is bytes[offsets[i], offsets[i + 1]).
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
  /** Where each text begins, and the end of the last: one more entry than there are texts, ascending. */
  offsets: Uint32Array;
}

/**
 * The texts of a batch: a list of strings and bytes, or bytes back to back.
 *
 * @example
 * ```ts
 * const texts: Texts = ['hello world', new TextEncoder().encode('hello')];
 * tokenizer.countBatch(texts); // Uint32Array [2, 1]
 * ```
 */
export type Texts = readonly (string | Uint8Array)[] | TextRows;

/** The most bytes of short texts to copy together, so that they reach the engine in one call. */
const JOINED_BYTES = 64 * 1024;

/** The texts of a batch; throws a TypeError that names the first invalid one. `name`: the caller's name for them. */
export function checkedTexts(texts: unknown, name = 'texts'): Texts {
  return Array.isArray(texts) ? checkedList(texts, name) : checkedRows(texts, name);
}

function checkedList(texts: readonly unknown[], name: string): readonly (string | Uint8Array)[] {
  const { length } = texts;
  const list: (string | Uint8Array)[] = [];
  let strings = 0;
  for (let index = 0; index < length; index++) {
    const text = texts[index];
    if (typeof text === 'string') strings++;
    else if (typedArrayKind(text) !== 'Uint8Array') {
      throw Object.assign(unexpected('a string or a Uint8Array', `${name}[${index}]`, text), { row: index });
    }
    list.push(text as string | Uint8Array);
  }
  if (strings === length) return list;
  // Only after reading the whole list: a getter element could detach the memory of an earlier one.
  return list.map((text, index) => (typeof text === 'string' ? text : plainBytes(text, name, index)));
}

function checkedRows(texts: unknown, name: string): TextRows {
  const { bytes: source, offsets: words } = (typeof texts === 'object' ? (texts ?? {}) : {}) as Partial<TextRows>;
  const bytes = bytesOf(source, `${name}.bytes`);
  if (!bytes) throw unexpected('an array of strings and Uint8Arrays, or { bytes: Uint8Array, offsets: Uint32Array },', name, texts);
  if (typedArrayKind(words) !== 'Uint32Array') throw unexpected('a Uint32Array', `${name}.offsets`, words);
  const plain = plainWords(words as Uint32Array, `${name}.offsets`);
  const offsets = isShared(plain.buffer) ? plain.slice() : plain; // they are read again after they have been checked
  if (offsets.length === 0) throw outOfRange('at least one element', `${name}.offsets`, words);
  let before = 0;
  for (let index = 0; index < offsets.length; index++) {
    const offset = offsets[index] as number;
    if (offset < before || offset > bytes.length) {
      throw outOfRange(`ascending offsets up to ${bytes.length}`, `${name}.offsets[${index}]`, offset);
    }
    before = offset;
  }
  return { bytes, offsets };
}

/** The number of texts. */
export function textCount(texts: Texts): number {
  return 'offsets' in texts ? texts.offsets.length - 1 : texts.length;
}

/** Text `index`. */
export function textAt(texts: Texts, index: number): string | Uint8Array {
  if (!('offsets' in texts)) return texts[index] as string | Uint8Array;
  return texts.bytes.subarray(texts.offsets[index], texts.offsets[index + 1]);
}

/** Feeds the texts from `from` up to `to`, each as a separate text: totals[i + 1] becomes the session's total after text i. */
export function feedTexts(session: TextSession, texts: Texts, totals: Uint32Array, from = 0, to = textCount(texts)): void {
  if ('offsets' in texts) {
    session.feedRows(texts.bytes, texts.offsets.subarray(from, to + 1), totals, from);
    return;
  }
  // Each run of strings, and each run of bytes, is passed in as few calls as its length allows.
  for (let first = from; first < to; ) {
    const kind = typeof texts[first];
    let end = first + 1;
    while (end < to && typeof texts[end] === kind) end++;
    const run = first === 0 && end === texts.length ? texts : texts.slice(first, end);
    if (kind === 'string') session.feedStrings(run as readonly string[], totals, first);
    else feedBytes(session, run as readonly Uint8Array[], totals, first);
    first = end;
  }
}

/** Copying short texts together costs less than a call for each. */
function feedBytes(session: TextSession, texts: readonly Uint8Array[], totals: Uint32Array, row: number): void {
  for (const { first, end, size } of rowRangesOf(texts, JOINED_BYTES)) {
    if (size > JOINED_BYTES) totals[row + first + 1] = feedRow(session, texts[first] as Uint8Array, row + first);
    else {
      const group = texts.slice(first, end);
      session.feedRows(concatenated(Uint8Array, group), offsetsOf(group), totals, row + first);
    }
  }
}

/** Feeds a row that is too long to be joined with others. Returns the session's total; an error names the row. */
export function feedRow(session: TextSession, text: string | Uint8Array, row: number): number {
  try {
    return checkedTotal(session.feed(text, true));
  } catch (error) {
    throw failureInRow(error, row);
  }
}

/** The number of tokens of a batch; throws if an element of `totals` cannot hold it. */
export function checkedTotal(total: number): number {
  if (total <= 0xffffffff) return total;
  throw new TokenizerError('the batch has more than 4294967295 tokens', { code: 'TEXT_TOO_LONG' });
}

/** Adds the row of a batch to an error about it; anything but an engine failure stays as it is. */
export function failureInRow(error: unknown, row: number): unknown {
  if (!(error instanceof TokenizerError)) return error;
  const { code, position, message } = error;
  const sentence = message.replace(/^cannot encode texts\[\d+\]: /, ''); // it may name the row within a part of the batch
  return new TokenizerError(`cannot encode texts[${row}]: ${sentence}`, { code, position, row });
}

// A batch is encoded some rows at a time, so that nothing waits long for them.

/** Empty texts take time too. */
const MAX_ROWS = 4096;

/** The texts of a batch from `first` up to `end`. */
export interface RowRange {
  first: number;
  end: number;
  /** UTF-16 units or bytes; exceeds the requested size for a single long text. */
  size: number;
}

/** Divides a batch into ranges of at most `size`: several short texts, or a single longer one. */
export function* rowRangesOf(texts: Texts, size: number): Generator<RowRange, undefined, undefined> {
  const count = textCount(texts);
  for (let first = 0; first < count; ) {
    let end = first;
    let sum = 0;
    for (; end < count && end - first < MAX_ROWS; end++) {
      const length = textLength(texts, end);
      if (end > first && sum + length > size) break;
      sum += length;
    }
    yield { first, end, size: sum };
    first = end;
  }
}

/** Whether a batch is a single range of this size. */
export function isWithin(texts: Texts, size: number): boolean {
  const { value: range } = rowRangesOf(texts, size).next();
  return !range || (range.end === textCount(texts) && range.size <= size);
}

function textLength(texts: Texts, index: number): number {
  if (!('offsets' in texts)) return (texts[index] as string | Uint8Array).length;
  return (texts.offsets[index + 1] as number) - (texts.offsets[index] as number);
}
