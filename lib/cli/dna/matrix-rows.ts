// Turns sequences into rows of a matrix: windows, or as much of each sequence as a row can hold.

import { ByteQueue } from './byte-queue.js';
import type { Region } from './dna-failures.js';
import type { SequencePart } from './read-sequences.js';

/** Turns parts of sequences into rows. Their bases are valid until the next one. */
export interface Rows {
  of(part: SequencePart): Generator<Region>;
}

/** Windows of `length` bases, starting `stride` apart. The last one is shorter if it has bases that no other contains. */
export class Windows implements Rows {
  readonly #length: number;
  readonly #stride: number;
  /** The part of the next window that has arrived. */
  readonly #waiting = new ByteQueue();
  #start = 0;
  /** How many bases before the next window have not arrived yet. */
  #skip = 0;
  /** How many bases at the beginning of the next window were in the previous one. */
  #shared = 0;

  constructor(length: number, stride: number) {
    this.#length = length;
    this.#stride = stride;
  }

  *of({ record, name, bytes, begins, ends }: SequencePart): Generator<Region> {
    if (begins) {
      this.#waiting.clear();
      this.#start = this.#skip = this.#shared = 0;
    }
    const waiting = this.#waiting;
    const skipped = Math.min(this.#skip, bytes.length);
    this.#skip -= skipped;
    // Most windows lie within a part, and are not copied.
    let bases = bytes.subarray(skipped);
    const isWaiting = waiting.length > 0;
    if (isWaiting) {
      waiting.add(bases);
      bases = waiting.view;
    }
    while (bases.length >= this.#length) {
      yield { record, name, start: this.#start, bases: bases.subarray(0, this.#length) };
      this.#start += this.#stride;
      this.#shared = Math.max(this.#length - this.#stride, 0);
      this.#skip = Math.max(this.#stride - bases.length, 0);
      bases = bases.subarray(this.#stride);
    }
    if (ends && bases.length > this.#shared) yield { record, name, start: this.#start, bases };
    if (isWaiting) waiting.drop(waiting.length - bases.length);
    else waiting.add(bases);
  }
}

/** One row per sequence, with its first or last `most` bases. */
export class WholeSequences implements Rows {
  readonly #limit: number;
  readonly #fromEnd: boolean;
  readonly #waiting = new ByteQueue();
  #length = 0;

  constructor(limit: number, fromEnd: boolean) {
    this.#limit = limit;
    this.#fromEnd = fromEnd;
  }

  *of({ record, name, bytes, begins, ends }: SequencePart): Generator<Region> {
    const waiting = this.#waiting;
    if (begins) {
      waiting.clear();
      this.#length = 0;
    }
    this.#length += bytes.length;
    if (this.#fromEnd) {
      waiting.add(bytes);
      waiting.drop(waiting.length - this.#limit);
    } else {
      waiting.add(bytes.subarray(0, this.#limit - waiting.length));
    }
    if (ends) yield { record, name, start: this.#fromEnd ? this.#length - waiting.length : 0, bases: waiting.view };
  }
}
