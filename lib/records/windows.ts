// Windows of sequences from the parser's parts: keeps no more of a sequence than one window.

import type { UnsharedUint8Array } from '../base/typed-arrays.js';
import type { Copies } from './copies.js';
import { headerOf, textOf } from './headers.js';
import type { CheckedOptions, CheckedWindow } from './options.js';
import { BEGINS, ENDS, PART_FLAGS, PART_HEADER, PART_QUALITY, PART_SEQUENCE, PART_WORDS, type ReadParts } from './parser.js';
import type { SequenceWindow } from './record.js';
import type { Items } from './records.js';

const EMPTY = new Uint8Array(0);
/** The initial capacity of a window, which grows to its length if the sequence does. */
const FIRST = 64 * 1024;

export class WindowItems implements Items<SequenceWindow<UnsharedUint8Array | string>> {
  readonly #window: CheckedWindow;
  readonly #text: boolean;
  readonly #copies: Copies;
  #header: Uint8Array = EMPTY;
  #name: string | undefined;
  #index = -1;
  /** The window being filled: its start in the sequence, its bytes, and their number. */
  #start = 0;
  #bytes: UnsharedUint8Array = new Uint8Array(0);
  #filled = 0;
  /** How many of its bytes are in no earlier window. */
  #fresh = 0;
  /** Bytes before it that belong to no window. */
  #skip = 0;

  constructor(window: CheckedWindow, { text }: CheckedOptions, copies: Copies) {
    this.#window = window;
    this.#text = text;
    this.#copies = copies;
  }

  get name(): string {
    return (this.#name ??= headerOf(this.#header).name);
  }

  *of({ bytes, parts, count }: ReadParts): Generator<SequenceWindow<UnsharedUint8Array | string>> {
    let at = 0;
    for (let word = 0; word < count * PART_WORDS; word += PART_WORDS) {
      const flags = parts[word + PART_FLAGS] as number;
      const sequenceAt = at + (parts[word + PART_HEADER] as number);
      const qualityAt = sequenceAt + (parts[word + PART_SEQUENCE] as number);
      if (flags & BEGINS) this.#begin();
      if (sequenceAt > at) this.#addHeader(bytes.subarray(at, sequenceAt));
      for (let from = sequenceAt; from < qualityAt; ) {
        from += this.#take(bytes, from, qualityAt);
        if (this.#filled === this.#window.length) yield this.#whole();
      }
      if (flags & ENDS && this.#window.keepsPartial && this.#fresh > 0) {
        yield this.#item(this.#copies.of(this.#bytes, 0, this.#filled));
      }
      at = qualityAt + (parts[word + PART_QUALITY] as number);
    }
  }

  #begin(): void {
    this.#index++;
    this.#header = EMPTY;
    this.#name = undefined;
    this.#start = this.#filled = this.#fresh = this.#skip = 0;
  }

  #addHeader(part: Uint8Array): void {
    const header = new Uint8Array(this.#header.length + part.length);
    header.set(this.#header);
    header.set(part, this.#header.length);
    this.#header = header;
  }

  /** Copies as many bytes into the window as fit, or skips them. Returns how many. */
  #take(bytes: Uint8Array, from: number, end: number): number {
    const skipped = Math.min(this.#skip, end - from);
    if (skipped > 0) {
      this.#skip -= skipped;
      return skipped;
    }
    const count = Math.min(this.#window.length - this.#filled, end - from);
    this.#grow(this.#filled + count);
    this.#bytes.set(bytes.subarray(from, from + count), this.#filled);
    this.#filled += count;
    this.#fresh += count;
    return count;
  }

  #grow(needed: number): void {
    const { length: most } = this.#window;
    const { length } = this.#bytes;
    if (needed <= length) return;
    const larger = this.#copies.allocate(Math.min(most, Math.max(needed, 2 * length, FIRST)));
    larger.set(this.#bytes.subarray(0, this.#filled));
    this.#bytes = larger;
  }

  /** The full window. The next one begins with the bytes they share. */
  #whole(): SequenceWindow<UnsharedUint8Array | string> {
    const { length, stride } = this.#window;
    const item = this.#item(this.#bytes);
    const next = this.#copies.allocate(length);
    if (stride < length) next.set(this.#bytes.subarray(stride));
    this.#bytes = next;
    this.#filled = Math.max(length - stride, 0);
    this.#skip = Math.max(stride - length, 0);
    this.#fresh = 0;
    this.#start += stride;
    return item;
  }

  #item(bytes: UnsharedUint8Array): SequenceWindow<UnsharedUint8Array | string> {
    const sequence = this.#text ? textOf(bytes) : bytes;
    return { name: this.name, index: this.#index, start: this.#start, sequence };
  }
}
