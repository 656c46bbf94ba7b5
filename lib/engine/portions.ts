// Cuts a batch into portions of similar size, so that nothing waits long for one: runs of short texts, and long texts,
// each alone, to be cut further.

import { plainBytes } from '../base/views.js';
import { type Texts, textCount } from './text-rows.js';

/** Empty texts take time too. */
const MOST_ROWS = 4096;

/** The texts of a batch from `first` up to `end`. */
export interface Portion {
  first: number;
  end: number;
  /** UTF-16 units or bytes; exceeds the requested size for a single long text. */
  size: number;
}

/** Cuts a batch into portions of at most `size`, or a single longer text. */
export function* portionsOf(texts: Texts, size: number): Generator<Portion, undefined, undefined> {
  const count = textCount(texts);
  for (let first = 0; first < count; ) {
    let end = first;
    let sum = 0;
    for (; end < count && end - first < MOST_ROWS; end++) {
      const length = textLength(texts, end);
      if (end > first && sum + length > size) break;
      sum += length;
    }
    yield { first, end, size: sum };
    first = end;
  }
}

/** Whether a batch fits in a single portion of this size. */
export function isWithin(texts: Texts, size: number): boolean {
  const { value: portion } = portionsOf(texts, size).next();
  return !portion || (portion.end === textCount(texts) && portion.size <= size);
}

function textLength(texts: Texts, index: number): number {
  if (!('offsets' in texts)) return (texts[index] as string | Uint8Array).length;
  return (texts.offsets[index + 1] as number) - (texts.offsets[index] as number);
}

/** The part [from, to) of a text. Throws a TypeError if the memory of bytes is gone. */
export function partOf(text: string | Uint8Array, from: number, to: number): string | Uint8Array {
  return typeof text === 'string' ? text.slice(from, to) : plainBytes(text, 'the text').subarray(from, to);
}
