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

/** The tokens after an edit. */
export function editedTokens({ ids, offsets }: Tokens, { from, removed, ids: own, offsets: places, shift }: TokensEdited): Tokens {
  const count = ids.length - removed + own.length;
  const [nextIds, nextOffsets] = [new Uint32Array(count), new Uint32Array(2 * count)];
  const [oldIds, oldOffsets] = [ids as Uint32Array, offsets as Uint32Array];
  nextIds.set(oldIds.subarray(0, from));
  nextIds.set(own, from);
  nextIds.set(oldIds.subarray(from + removed), from + own.length);
  nextOffsets.set(oldOffsets.subarray(0, 2 * from));
  nextOffsets.set(places, 2 * from);
  const moved = nextOffsets.subarray(2 * (from + own.length));
  moved.set(oldOffsets.subarray(2 * (from + removed)));
  for (let at = 0; at < moved.length && shift !== 0; at++) moved[at] = (moved[at] as number) + shift;
  return { ids: nextIds, offsets: nextOffsets };
}
