// What of sequences becomes rows of a matrix: windows, or as much of each sequence as a row can hold.

import { ByteQueue } from '../output/byte-queue.js';
import type { Region } from './failures.js';
import type { SequencePart } from './sequences.js';

/** Bases of a row, good until the next one. */
export type Row = Region;

/** Makes rows of the parts of sequences. */
export interface Rows {
  of(part: SequencePart): Generator<Row>;
}

/** Windows of `length` bases, `stride` from one to the next. The last one is shorter if bases are in no other. */
export class Windows implements Rows {
  readonly #length: number;
  readonly #stride: number;
  /** The beginning of the next window, as far as it has come. */
  readonly #waiting = new ByteQueue();
  #start = 0;
  /** Bases before the next window that have not come yet. */
  #skip = 0;
  /** Bases at the beginning of the next window that were in the one before. */
  #shared = 0;

  constructor(length: number, stride: number) {
    this.#length = length;
    this.#stride = stride;
  }

  *of({ record, name, bytes, begins, ends }: SequencePart): Generator<Row> {
    if (begins) {
      this.#waiting.clear();
      this.#start = this.#skip = this.#shared = 0;
    }
    const waiting = this.#waiting;
    const skipped = Math.min(this.#skip, bytes.length);
    this.#skip -= skipped;
    // Most windows are within a part, and are not copied.
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

/** A row for each sequence, of its first `most` bases, or of its last ones. */
export class WholeSequences implements Rows {
  readonly #most: number;
  readonly #fromEnd: boolean;
  readonly #waiting = new ByteQueue();
  #length = 0;

  constructor(most: number, fromEnd: boolean) {
    this.#most = most;
    this.#fromEnd = fromEnd;
  }

  *of({ record, name, bytes, begins, ends }: SequencePart): Generator<Row> {
    const waiting = this.#waiting;
    if (begins) {
      waiting.clear();
      this.#length = 0;
    }
    this.#length += bytes.length;
    if (this.#fromEnd) {
      waiting.add(bytes);
      waiting.drop(waiting.length - this.#most);
    } else {
      waiting.add(bytes.subarray(0, this.#most - waiting.length));
    }
    if (ends) yield { record, name, start: this.#fromEnd ? this.#length - waiting.length : 0, bases: waiting.view };
  }
}
