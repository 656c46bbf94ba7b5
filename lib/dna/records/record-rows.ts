// Turns the parser's parts into sequences and windows for matrices, without creating an object per record.

import { concatenated } from '../../base/typed-arrays.js';
import type { CheckedOptions, CheckedWindow } from './record-options.js';
import {
  BEGINS,
  ENDS,
  PART_FLAGS,
  PART_HEADER,
  PART_POSITION,
  PART_POSITION_HIGH,
  PART_SEQUENCE,
  PART_WORDS,
  type ReadParts,
} from '../../engine/record-parser.js';
import { headerOf, tooLong } from './record.js';

const EMPTY = new Uint8Array(0);
const NO_PARTS: ReadParts = { consumed: 0, more: false, bytes: EMPTY, parts: new Uint32Array(0), count: 0 };

/** The result of a parser call, with sequences apart, distributed to successive lists of rows. */
export class RecordRows {
  readonly #window: CheckedWindow | undefined;
  readonly #limit: number;
  readonly #where: string;
  #read = NO_PARTS;
  /** The next part, where its sequence begins, and where its header ends. */
  #part = 0;
  #at = 0;
  #headerEnd = 0;
  /** The current record. */
  #index = -1;
  #header: Uint8Array = EMPTY;
  #position = 0;
  /** The bytes of the open sequence; how many of them are in no earlier window; and how many to skip. */
  #filled = 0;
  #fresh = 0;
  #skip = 0;
  /** The part's bytes not yet in a window; -1 for a new part. */
  #left = -1;
  /** The beginning of the next window, if that belongs to the next rows. */
  #carried: Uint8Array = EMPTY;
  /** The rows that already have the record's header, and its number there. */
  #known: { rows: Rows; number: number } | undefined;

  /** `where`: the source's name, for errors. */
  constructor({ window, maxRecordLength }: CheckedOptions, where: string) {
    this.#window = window;
    this.#limit = maxRecordLength;
    this.#where = where;
  }

  /** The name of the latest record begun. */
  get name(): string {
    return headerOf(this.#header).name;
  }

  /** Sets the parts, which are valid until the next parser call. */
  of(read: ReadParts): void {
    this.#read = read;
    this.#part = this.#at = 0;
    this.#headerEnd = read.bytes.length;
  }

  /** Moves parts to rows; false if there are none left and more rows are wanted. */
  take(rows: Rows): boolean {
    const { bytes, parts, count } = this.#read;
    while (!rows.isFull) {
      if (this.#part === count) return false;
      if (this.#window) {
        this.#takeWindows(rows, this.#window);
        continue;
      }
      const whole = this.#filled === 0 ? this.#wholeParts() : 0;
      if (whole === 0) {
        this.#takePart(rows);
        continue;
      }
      const taken = rows.addAll(bytes, this.#at, this.#headerEnd, parts, this.#part * PART_WORDS, whole);
      for (let part = 0; part < taken; part++) this.#pass();
      this.#index += taken;
      const length = parts[(this.#part - 1) * PART_WORDS + PART_HEADER] as number;
      this.#header = bytes.slice(this.#headerEnd, this.#headerEnd + length);
    }
    return true;
  }

  /** How many of the next parts are whole records of an accepted length. */
  #wholeParts(): number {
    const { parts, count } = this.#read;
    let end = this.#part;
    for (; end < count; end++) {
      const word = end * PART_WORDS;
      if (parts[word + PART_FLAGS] !== (BEGINS | ENDS) || (parts[word + PART_SEQUENCE] as number) > this.#limit) break;
    }
    return end - this.#part;
  }

  #pass(): void {
    const word = this.#part++ * PART_WORDS;
    this.#headerEnd -= this.#read.parts[word + PART_HEADER] as number;
    this.#at += this.#read.parts[word + PART_SEQUENCE] as number;
  }

  /** The flags of the next part, whose header is appended to the record's. */
  #begin(): number {
    const { bytes, parts } = this.#read;
    const word = this.#part * PART_WORDS;
    const flags = parts[word + PART_FLAGS] as number;
    const length = parts[word + PART_HEADER] as number;
    if (flags & BEGINS) {
      this.#index++;
      this.#header = EMPTY;
      this.#position = (parts[word + PART_POSITION_HIGH] as number) * 2 ** 32 + (parts[word + PART_POSITION] as number);
      this.#filled = this.#fresh = this.#skip = 0;
      this.#known = undefined;
    }
    if (length > 0) {
      this.#header = concatenated(Uint8Array, [this.#header, bytes.subarray(this.#headerEnd - length, this.#headerEnd)]);
      this.#known = undefined;
    }
    return flags;
  }

  #headerIn(rows: Rows): number {
    if (this.#known?.rows !== rows) this.#known = { rows, number: rows.header(this.#header, 0, this.#header.length) };
    return this.#known.number;
  }

  /** Takes one part of a record that has several. */
  #takePart(rows: Rows): void {
    const flags = this.#begin();
    const end = this.#at + (this.#read.parts[this.#part * PART_WORDS + PART_SEQUENCE] as number);
    this.#filled += end - this.#at;
    if (this.#filled > this.#limit) throw tooLong(this.#where, this.#index, this.name, this.#limit, this.#position);
    rows.add(this.#read.bytes, this.#at, end);
    if (flags & ENDS) {
      rows.endRow(this.#headerIn(rows));
      this.#filled = 0;
    }
    this.#pass();
  }

  /** Takes windows from the next part, as many as are wanted. */
  #takeWindows(rows: Rows, { length, stride, keepsPartial }: CheckedWindow): void {
    const { bytes, parts } = this.#read;
    const word = this.#part * PART_WORDS;
    const isNew = this.#left < 0;
    const flags = isNew ? this.#begin() : (parts[word + PART_FLAGS] as number);
    if (isNew) this.#left = parts[word + PART_SEQUENCE] as number;
    if (this.#carried.length > 0) {
      rows.add(this.#carried, 0, this.#carried.length);
      this.#carried = EMPTY;
    }
    const end = this.#at + (parts[word + PART_SEQUENCE] as number);
    while (this.#left > 0) {
      if (rows.isFull) return;
      const from = end - this.#left;
      if (this.#skip > 0) {
        const skipped = Math.min(this.#skip, this.#left);
        this.#skip -= skipped;
        this.#left -= skipped;
        continue;
      }
      const count = Math.min(length - this.#filled, this.#left);
      rows.add(bytes, from, from + count);
      this.#left -= count;
      this.#filled += count;
      this.#fresh += count;
      if (this.#filled === length) this.#endWindow(rows, length, stride);
    }
    if (flags & ENDS) {
      if (this.#fresh > 0 && keepsPartial) {
        rows.endRow(this.#headerIn(rows));
      } else {
        rows.dropRow();
        this.#carried = EMPTY;
      }
      this.#filled = this.#fresh = this.#skip = 0;
    }
    this.#left = -1;
    this.#pass();
  }

  #endWindow(rows: Rows, length: number, stride: number): void {
    rows.endRow(this.#headerIn(rows));
    this.#filled = Math.max(length - stride, 0);
    this.#skip = Math.max(stride - length, 0);
    this.#fresh = 0;
    if (this.#filled === 0) return;
    if (rows.isFull) this.#carried = rows.last(this.#filled);
    else rows.repeat(this.#filled);
  }
}

/** Takes sequences and stores them back to back. Bytes are copied. */
export interface Rows {
  /** Whether it wants no more. Checked between sequences. */
  readonly isFull: boolean;
  /** Appends bytes to the open sequence, or begins a new one. */
  add(bytes: Uint8Array, begin: number, end: number): void;
  /** Repeats the last `count` bytes of the sequence that has just ended, as the beginning of the next. */
  repeat(count: number): void;
  /** A copy of the last `count` bytes. */
  last(count: number): Uint8Array;
  /** Ends the open sequence, or adds an empty one. `header`: a number returned by `header`. */
  endRow(header: number): void;
  /** Drops the open sequence. */
  dropRow(): void;
  /** Stores a header for the sequences that share it, and returns its number. */
  header(bytes: Uint8Array, begin: number, end: number): number;
  /**
   * Adds whole sequences, as many as are wanted. The sequences lie back to back from `at`; the headers lie before
   * `headerEnd`, in reverse order. For each, `words` from `word` on hold the lengths of its header and its sequence. Returns
   * how many were added.
   */
  addAll(bytes: Uint8Array, at: number, headerEnd: number, parts: Uint32Array, word: number, count: number): number;
}

/** A reader that fills rows instead of yielding items. */
export interface RowSource {
  /** Fills rows; false at the end of the source. Returns a promise if it must wait for bytes. */
  fill(rows: Rows): boolean | Promise<boolean>;
  end(): void;
}

/** The name of a reader's method that returns its row source, or undefined once items have been read. */
export const ROWS = Symbol.for('crayon-tokenizer.rows');

/** The row source of an object that may be a reader. */
export function rowSourceOf(source: object): RowSource | undefined {
  return (source as { [ROWS]?: () => RowSource | undefined })[ROWS]?.();
}
