// Turns sequences into rows of a matrix: windows, or as much of each sequence as a row can hold.

import { ByteQueue } from './byte-queue.js';
import type { Region } from './dna-failures.js';
import type { SequencePart } from './read-sequences.js';

/** Turns parts of sequences into rows. Their bases are valid until the next one. */
export type RowsOf = (part: SequencePart) => Generator<Region>;

/** Windows of `length` bases, starting `stride` apart. The last one is shorter if it has bases that no other contains. */
export function windowsOf(length: number, stride: number): RowsOf {
  /** The part of the next window that has arrived. */
  const waiting = new ByteQueue();
  let start = 0;
  /** How many bases before the next window have not arrived yet. */
  let skip = 0;
  /** How many bases at the beginning of the next window were in the previous one. */
  let shared = 0;
  return function* ({ record, name, bytes, begins, ends }) {
    if (begins) {
      waiting.clear();
      start = skip = shared = 0;
    }
    const skipped = Math.min(skip, bytes.length);
    skip -= skipped;
    // Most windows lie within a part, and are not copied.
    let bases = bytes.subarray(skipped);
    const isWaiting = waiting.length > 0;
    if (isWaiting) {
      waiting.add(bases);
      bases = waiting.view;
    }
    while (bases.length >= length) {
      yield { record, name, start, bases: bases.subarray(0, length) };
      start += stride;
      shared = Math.max(length - stride, 0);
      skip = Math.max(stride - bases.length, 0);
      bases = bases.subarray(stride);
    }
    if (ends && bases.length > shared) yield { record, name, start, bases };
    if (isWaiting) waiting.drop(waiting.length - bases.length);
    else waiting.add(bases);
  };
}

/** One row per sequence, with its first or last `limit` bases. */
export function wholeSequences(limit: number, fromEnd: boolean): RowsOf {
  const waiting = new ByteQueue();
  let length = 0;
  return function* ({ record, name, bytes, begins, ends }) {
    if (begins) {
      waiting.clear();
      length = 0;
    }
    length += bytes.length;
    if (fromEnd) {
      waiting.add(bytes);
      waiting.drop(waiting.length - limit);
    } else {
      waiting.add(bytes.subarray(0, limit - waiting.length));
    }
    if (ends) yield { record, name, start: fromEnd ? length - waiting.length : 0, bases: waiting.view };
  };
}
