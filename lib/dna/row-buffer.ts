// A number of sequences from a source, stored back to back as an engine takes them.

import { headerOf } from './records/record.js';
import { PART_HEADER, PART_SEQUENCE, PART_WORDS } from '../engine/record-parser.js';
import type { Rows } from './records/record-rows.js';
import { TokenizerError } from '../base/errors.js';
import { textAt, type TextRows } from '../engine/text-rows.js';
import { reverseRows, turnedBack } from './bases.js';
import type { DnaEngine } from '../engine/dna-engine.js';
import { bytesBeyondAscii } from './sequence-bytes.js';

/** Initial room for rows and bytes. */
const ROWS = 512;
const BYTES = 64 * 1024;
const MOST_BYTES = 0xffffffff;

const encoder = new TextEncoder();

export class RowBuffer implements Rows {
  /** The index in the source of the first sequence. */
  readonly first: number;
  readonly #size: number;
  readonly #engine: () => DnaEngine;
  count = 0;
  #bytes: Uint8Array;
  #used = 0;
  #offsets = new Uint32Array(ROWS + 1);
  /** Names of items; records have headers instead. */
  readonly #names: (string | undefined)[] = [];
  readonly #strings: (string | undefined)[] = [];
  #headers: Uint8Array = new Uint8Array(0);
  #headersUsed = 0;
  #headerCount = 0;
  /** Where each header begins and its length, and the header of each row. */
  #begins = new Uint32Array(0);
  #lengths = new Uint32Array(0);
  #headerOfRow = new Uint32Array(0);
  #isReversed = false;

  /** `size`: the number of sequences wanted. `engine`: the engine that will encode them. `spare`: memory to reuse. */
  constructor(first: number, size: number, engine: () => DnaEngine, spare: Uint8Array = new Uint8Array(BYTES)) {
    this.first = first;
    this.#size = size;
    this.#engine = engine;
    this.#bytes = spare;
  }

  get isFull(): boolean {
    return this.count === this.#size;
  }

  get rows(): TextRows {
    return { bytes: this.#bytes.subarray(0, this.#used), offsets: this.#offsets.subarray(0, this.count + 1) };
  }

  /** The memory, for reuse once the rows are no longer needed. */
  get memory(): Uint8Array {
    return this.#bytes;
  }

  /** Row `row` in its original form. */
  sequence(row: number): string | Uint8Array {
    return this.#strings[row] ?? (this.#isReversed ? turnedBack : textAt)(this.rows, row);
  }

  /** Turns each row into its reverse complement. */
  reverse(): void {
    reverseRows(this.rows, (row) => this.sequence(row), this.#engine().bases);
    this.#isReversed = true;
  }

  name(row: number): string | undefined {
    if (this.#headerCount === 0) return this.#names[row];
    const header = this.#headerOfRow[row] as number;
    const begin = this.#begins[header] as number;
    return headerOf(this.#headers.subarray(begin, begin + (this.#lengths[header] as number))).name;
  }

  addItem(sequence: string | Uint8Array, name: string | undefined): void {
    if (typeof sequence === 'string') {
      this.#reserve(sequence.length);
      const { read, written } = encoder.encodeInto(sequence, this.#bytes.subarray(this.#used));
      if (read === sequence.length && written === read) this.#used += written;
      else this.add(bytesBeyondAscii(sequence, this.#engine()));
      this.#strings[this.count] = sequence;
    } else {
      this.add(sequence);
    }
    this.#names[this.count] = name;
    this.#end();
  }

  add(bytes: Uint8Array, begin = 0, end = bytes.length): void {
    this.#reserve(end - begin);
    // A view of each sequence is work for the garbage collector.
    this.#bytes.set(end - begin === bytes.length ? bytes : bytes.subarray(begin, end), this.#used);
    this.#used += end - begin;
  }

  repeat(count: number): void {
    this.#reserve(count);
    this.#bytes.copyWithin(this.#used, this.#used - count, this.#used);
    this.#used += count;
  }

  last(count: number): Uint8Array {
    return this.#bytes.slice(this.#used - count, this.#used);
  }

  endRow(header: number): void {
    this.#reserveHeaders(0, 0);
    this.#headerOfRow[this.count] = header;
    this.#end();
  }

  dropRow(): void {
    this.#used = this.#offsets[this.count] as number;
  }

  header(bytes: Uint8Array, begin: number, end: number): number {
    this.#reserveHeaders(1, end - begin);
    this.#headers.set(bytes.subarray(begin, end), this.#headersUsed);
    this.#begins[this.#headerCount] = this.#headersUsed;
    this.#lengths[this.#headerCount] = end - begin;
    this.#headersUsed += end - begin;
    return this.#headerCount++;
  }

  addAll(bytes: Uint8Array, at: number, headerEnd: number, parts: Uint32Array, firstWord: number, limit: number): number {
    const count = Math.min(limit, this.#size - this.count);
    const endWord = firstWord + count * PART_WORDS;
    let sequences = 0;
    let headers = 0;
    for (let word = firstWord; word < endWord; word += PART_WORDS) {
      sequences += parts[word + PART_SEQUENCE] as number;
      headers += parts[word + PART_HEADER] as number;
    }
    this.#reserve(sequences);
    this.#reserveRows(count);
    this.#reserveHeaders(count, headers);
    this.#bytes.set(bytes.subarray(at, at + sequences), this.#used);
    this.#headers.set(bytes.subarray(headerEnd - headers, headerEnd), this.#headersUsed);
    let header = this.#headersUsed + headers;
    for (let word = firstWord; word < endWord; word += PART_WORDS) {
      const length = parts[word + PART_HEADER] as number;
      this.#used += parts[word + PART_SEQUENCE] as number;
      header -= length;
      this.#headerOfRow[this.count] = this.#headerCount;
      this.#begins[this.#headerCount] = header;
      this.#lengths[this.#headerCount++] = length;
      this.#offsets[++this.count] = this.#used;
    }
    this.#headersUsed += headers;
    return count;
  }

  #end(): void {
    this.#reserveRows(1);
    this.#offsets[++this.count] = this.#used;
  }

  #reserve(more: number): void {
    const needed = this.#used + more;
    if (needed <= this.#bytes.length) return;
    if (needed > MOST_BYTES) {
      throw new TokenizerError('the sequences that are read together have more than 4 GiB: a smaller batchSize is needed', {
        code: 'TEXT_TOO_LONG',
      });
    }
    this.#bytes = grown(this.#bytes, needed, this.#used);
  }

  #reserveRows(more: number): void {
    const needed = this.count + more + 1;
    if (needed > this.#offsets.length) this.#offsets = grown(this.#offsets, needed, this.count + 1);
  }

  #reserveHeaders(more: number, bytes: number): void {
    const rows = this.count + Math.max(more, 1);
    if (rows > this.#headerOfRow.length) this.#headerOfRow = grown(this.#headerOfRow, Math.max(rows, ROWS), this.count);
    const headers = this.#headerCount + more;
    if (headers > this.#begins.length) {
      this.#begins = grown(this.#begins, headers, this.#headerCount);
      this.#lengths = grown(this.#lengths, headers, this.#headerCount);
    }
    const needed = this.#headersUsed + bytes;
    if (needed > this.#headers.length) this.#headers = grown(this.#headers, needed, this.#headersUsed);
  }
}

/** A larger array with the first `used` elements of another. */
function grown<Kind extends Uint8Array | Uint32Array>(array: Kind, needed: number, used: number): Kind {
  const larger = new (array.constructor as new (length: number) => Kind)(Math.max(needed, Math.min(2 * array.length, MOST_BYTES)));
  larger.set(array.subarray(0, used));
  return larger;
}
