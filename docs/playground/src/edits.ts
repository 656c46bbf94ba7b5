// Edits of a long text: what has changed from one text to the next, and which tokens.

import type { Tokens } from './units.js';

/** Text [start, end) has become `inserted`. */
export interface Edit {
  start: number;
  end: number;
  inserted: string;
}

/** What an edit has changed of the tokens. Offsets after the `offsets` that are given have moved by `shift`. */
export interface TokensEdited {
  /** Tokens [from, from + removed) have become those of `ids`, with `offsets`. */
  from: number;
  removed: number;
  ids: Uint32Array;
  offsets: Uint32Array;
  shift: number;
}

/** What has changed. Parts of texts are compared as strings: that is many times as fast as one unit after the other. */
export function editBetween(before: string, after: string): Edit {
  const most = Math.min(before.length, after.length);
  const start = longest(most, (length) => before.slice(0, length) === after.slice(0, length));
  const kept = longest(most - start, (length) => length === 0 || before.slice(-length) === after.slice(-length));
  return { start, end: before.length - kept, inserted: after.slice(start, after.length - kept) };
}

/** The largest number up to `most` for which something holds that holds for all smaller ones. */
function longest(most: number, holds: (length: number) => boolean): number {
  let [low, high] = [0, most];
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (holds(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The tokens after an edit, in the memory of those before if there is room: a new array for each key would be megabytes a key. */
export function editedTokens({ ids, offsets }: Tokens, { from, removed, ids: own, offsets: places, shift }: TokensEdited): Tokens {
  const nextOffsets = spliced(offsets as Uint32Array, 2 * from, 2 * removed, places);
  const behind = 2 * (from + own.length);
  for (let at = behind; at < nextOffsets.length && shift !== 0; at++) nextOffsets[at] = (nextOffsets[at] as number) + shift;
  return { ids: spliced(ids as Uint32Array, from, removed, own), offsets: nextOffsets };
}

/** Memory that has been allocated here, with room behind what is used. */
const roomy = new WeakSet<ArrayBufferLike>();

function spliced(array: Uint32Array, from: number, removed: number, inserted: Uint32Array): Uint32Array {
  const length = array.length - removed + inserted.length;
  let all = new Uint32Array(array.buffer);
  if (!roomy.has(array.buffer) || all.length < length) {
    all = new Uint32Array(length + (length >> 4) + 1024);
    all.set(array);
    roomy.add(all.buffer);
  }
  all.copyWithin(from + inserted.length, from + removed, array.length);
  all.set(inserted, from);
  return all.subarray(0, length);
}
