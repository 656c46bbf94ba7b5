// Documents that are encoded together: their texts in UTF-8, back to back, and where each began in its input.

import type { TextRows } from '../engine/text-rows.js';
import type { DamagedRecord } from './receipts.js';

/** Bytes of memory: pages that nobody writes to cost nothing. */
const CAPACITY = 4 * 1024 * 1024;
const ROWS = 1024;

export class TextBatch {
  readonly #usual = Buffer.allocUnsafeSlow(CAPACITY);
  #bytes = this.#usual;
  #offsets = new Uint32Array(ROWS + 1);
  /** The input of each document, and where its record begins there. */
  #inputs = new Uint32Array(ROWS);
  #begins = new Float64Array(ROWS);
  #count = 0;
  /** The input of the documents to come. */
  input = 0;
  /** Records that were left out: how many, and the first of them. */
  damagedCount = 0;
  damaged: DamagedRecord[] = [];
  /** Documents that were left out, since they have no text. */
  empty = 0;

  get count(): number {
    return this.#count;
  }

  /** Bytes of text. */
  get size(): number {
    return this.#offsets[this.#count] as number;
  }

  /** The texts, as long as nothing is added. */
  get rows(): TextRows {
    return { bytes: this.#bytes.subarray(0, this.size), offsets: this.#offsets.subarray(0, this.#count + 1) };
  }

  /** Where the record of a document begins. */
  beginOf(row: number): number {
    return this.#begins[row] as number;
  }

  /** The input of a document, in the plan. */
  inputOf(row: number): number {
    return this.#inputs[row] as number;
  }

  /** Empties it. Nobody uses its texts any more. */
  clear(): void {
    this.#bytes = this.#usual; // long documents are rare, and new memory for one costs less than encoding it
    this.#count = 0;
    this.damaged = [];
    this.damagedCount = 0;
    this.empty = 0;
  }

  /** Adds a document. `begin`: of its record, in its input. */
  addBytes(text: Uint8Array, begin: number): void {
    const at = this.#reserve(text.length);
    this.#bytes.set(text, at);
    this.#added(text.length, begin);
  }

  /** Lone surrogates become U+FFFD, as in any UTF-8. */
  addString(text: string, begin: number): void {
    const at = this.#reserve(text.length * 3);
    this.#added(this.#bytes.write(text, at), begin);
  }

  /** Memory behind the last document, of at least this many bytes, for `addRows`. */
  room(size: number): Uint8Array {
    const at = this.#reserve(size); // which may replace the memory
    return this.#bytes.subarray(at);
  }

  /** Adds documents that were written there: of each, where its record begins, from `begin` on, and its length. */
  addRows(rows: Uint32Array, begin: number): void {
    for (let row = 0; row < rows.length; row += 2) this.#added(rows[row + 1] as number, begin + (rows[row] as number));
  }

  /** Takes documents out. */
  remove(isRemoved: (row: number) => boolean): void {
    let count = 0;
    let begin = 0;
    for (let row = 0, from = 0; row < this.#count; row++) {
      const to = this.#offsets[row + 1] as number;
      if (!isRemoved(row)) {
        this.#bytes.copyWithin(begin, from, to);
        begin += to - from;
        this.#inputs[count] = this.#inputs[row] as number;
        this.#begins[count] = this.#begins[row] as number;
        count++;
        this.#offsets[count] = begin;
      }
      from = to;
    }
    this.#count = count;
  }

  /** Makes room behind the last document, and returns where that is. */
  #reserve(size: number): number {
    const at = this.size;
    if (at + size > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(at + size, 2 * this.#bytes.length));
      this.#bytes.copy(larger, 0, 0, at);
      this.#bytes = larger;
    }
    return at;
  }

  #added(size: number, begin: number): void {
    if (this.#count === this.#begins.length) {
      const rows = 2 * this.#count;
      this.#offsets = grown(this.#offsets, rows + 1);
      this.#inputs = grown(this.#inputs, rows);
      this.#begins = grown(this.#begins, rows);
    }
    this.#inputs[this.#count] = this.input;
    this.#begins[this.#count] = begin;
    this.#offsets[this.#count + 1] = this.size + size;
    this.#count++;
  }
}

function grown<Values extends Uint32Array | Float64Array>(values: Values, length: number): Values {
  const larger = new (values.constructor as new (length: number) => Values)(length);
  larger.set(values);
  return larger;
}

/** A record that has no document: where it begins, and why. */
export interface Damage {
  begin: number;
  reason: string;
  /** It is a record, whose keys are others. */
  hasOtherKeys?: boolean;
}

/** The batch is full, the range has no more documents, or the reader has passed a record that is damaged. */
export type FillResult = 'full' | 'end' | Damage;

/** Reads the documents of a range of an input. */
export interface DocumentReader extends AsyncDisposable {
  /** Adds documents until the batch has this many bytes. */
  fill(batch: TextBatch, size: number): Promise<FillResult>;
  /** Behind the last document added: where to go on. */
  readonly position: number;
  /** Bytes of the file that have been read, about. */
  readonly fileBytes: number;
}

/** The longest document in bytes: its offsets have 32 bits, and V8's strings half a gigabyte. */
export const LONGEST = 2 ** 29 - 25;
