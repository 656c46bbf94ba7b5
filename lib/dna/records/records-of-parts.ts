// Records, and windows of their sequences, from the parser's parts.

import { concatenated, type UnsharedUint8Array } from '../../base/typed-arrays.js';
import type { CheckedOptions, CheckedWindow } from './record-options.js';
import {
  BEGINS,
  ENDS,
  FASTQ,
  type Format,
  PART_FLAGS,
  PART_HEADER,
  PART_POSITION,
  PART_POSITION_HIGH,
  PART_QUALITY,
  PART_SEQUENCE,
  PART_WORDS,
  type ReadParts,
} from '../../engine/record-parser.js';
import { type FastaRecord, type FastqRecord, headerOf, type SequenceWindow, textOf, tooLong } from './record.js';

/** The result of a parser call, item by item. The parts are valid until the next call. */
export interface Items<Item> {
  of(read: ReadParts): Iterator<Item>;
  /** The name of the latest record begun. */
  readonly name: string;
}

/** Collects bytes that arrive in parts. */
class ByteParts {
  #parts: UnsharedUint8Array[] = [];
  length = 0;

  /** Appends a copy. */
  add(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#parts.push(bytes.slice());
    this.length += bytes.length;
  }

  /** Returns all bytes, and empties it. */
  take(): UnsharedUint8Array {
    const [first] = this.#parts;
    const all = first && this.#parts.length === 1 ? first : concatenated(Uint8Array, this.#parts);
    this.clear();
    return all;
  }

  clear(): void {
    this.#parts = [];
    this.length = 0;
  }
}

type AnyRecord = FastaRecord<UnsharedUint8Array | string> & Partial<FastqRecord<UnsharedUint8Array | string>>;

export class RecordItems implements Items<AnyRecord> {
  readonly #hasQuality: boolean;
  readonly #text: boolean;
  readonly #limit: number;
  readonly #where: string;
  readonly #copies: Copies;
  readonly #header = new ByteParts();
  readonly #sequence = new ByteParts();
  readonly #quality = new ByteParts();
  #index = -1;
  #byteOffset = 0;
  #name: string | undefined;

  /** `where`: the source's name, for errors. */
  constructor(format: Format, { text, maxRecordLength }: CheckedOptions, where: string, copies: Copies) {
    this.#hasQuality = format === FASTQ;
    this.#text = text;
    this.#limit = maxRecordLength;
    this.#where = where;
    this.#copies = copies;
  }

  get name(): string {
    return this.#name ?? headerOf(this.#header.take()).name;
  }

  *of({ bytes, parts, count }: ReadParts): Generator<AnyRecord> {
    let at = 0;
    for (let word = 0; word < count * PART_WORDS; word += PART_WORDS) {
      const flags = parts[word + PART_FLAGS] as number;
      const sequenceAt = at + (parts[word + PART_HEADER] as number);
      const qualityAt = sequenceAt + (parts[word + PART_SEQUENCE] as number);
      const end = qualityAt + (parts[word + PART_QUALITY] as number);
      if (flags & BEGINS) this.#begin(parts, word);
      if (this.#sequence.length + qualityAt - sequenceAt > this.#limit) {
        this.#header.add(bytes.subarray(at, sequenceAt));
        throw tooLong(this.#where, this.#index, this.name, this.#limit, this.#byteOffset);
      }
      if (flags === (BEGINS | ENDS)) {
        // The common case: nothing needs collecting.
        const { name, description } = headerOf(bytes.subarray(at, sequenceAt));
        this.#name = name;
        const quality = this.#hasQuality ? this.#shown(bytes, qualityAt, end) : undefined;
        yield this.#record(name, description, this.#shown(bytes, sequenceAt, qualityAt), quality);
      } else {
        this.#header.add(bytes.subarray(at, sequenceAt));
        this.#sequence.add(bytes.subarray(sequenceAt, qualityAt));
        this.#quality.add(bytes.subarray(qualityAt, end));
        if (flags & ENDS) yield this.#gathered();
      }
      at = end;
    }
  }

  #begin(parts: Uint32Array, word: number): void {
    this.#index++;
    this.#byteOffset = (parts[word + PART_POSITION_HIGH] as number) * 2 ** 32 + (parts[word + PART_POSITION] as number);
    this.#name = undefined;
  }

  #gathered(): AnyRecord {
    const { name, description } = headerOf(this.#header.take());
    this.#name = name;
    const sequence = this.#sequence.take();
    const quality = this.#quality.take();
    if (!this.#text) return this.#record(name, description, sequence, this.#hasQuality ? quality : undefined);
    return this.#record(name, description, textOf(sequence), this.#hasQuality ? textOf(quality) : undefined);
  }

  #shown(bytes: Uint8Array, begin: number, end: number): UnsharedUint8Array | string {
    return this.#text ? textOf(bytes.subarray(begin, end)) : this.#copies.of(bytes, begin, end);
  }

  #record<Sequence extends UnsharedUint8Array | string>(
    name: string,
    description: string,
    sequence: Sequence,
    quality: Sequence | undefined,
  ): AnyRecord {
    const index = this.#index;
    const byteOffset = this.#byteOffset;
    return quality === undefined
      ? { name, description, sequence, index, byteOffset }
      : { name, description, sequence, quality, index, byteOffset };
  }
}

const EMPTY = new Uint8Array(0);
/** The initial capacity of a window, which grows to its length if the sequence does. */
const FIRST = 64 * 1024;

/** Keeps no more of a sequence than one window. */
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
      if (sequenceAt > at) this.#header = concatenated(Uint8Array, [this.#header, bytes.subarray(at, sequenceAt)]);
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
    const { length: limit } = this.#window;
    const { length } = this.#bytes;
    if (needed <= length) return;
    const larger = this.#copies.allocate(Math.min(limit, Math.max(needed, 2 * length, FIRST)));
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

// A short copy is a view of part of a slab: the buffer of an array of more than a few bytes lies outside JavaScript's heap, and
// allocating one takes half a microsecond, longer than parsing a short read.

/** The longest copy in a slab: at most this much of a slab is wasted. */
const POOLED = 2048;
/** Small, because keeping one copy keeps its whole slab. */
const SLAB = 32 * 1024;

export class Copies {
  readonly #protect: (slab: ArrayBuffer) => void;
  #slab = new ArrayBuffer(0);
  #used = 0;

  /** `protect`: makes a buffer untransferable, if the host can: transferring it would take other copies with it. */
  constructor(protect: (slab: ArrayBuffer) => void = () => undefined) {
    this.#protect = protect;
  }

  /** A copy of bytes[begin, end). */
  of(bytes: Uint8Array, begin: number, end: number): UnsharedUint8Array {
    if (end - begin > POOLED) return bytes.slice(begin, end);
    const copy = this.allocate(end - begin);
    copy.set(bytes.subarray(begin, end));
    return copy;
  }

  /** Unshared bytes, all 0. */
  allocate(length: number): UnsharedUint8Array {
    if (length > POOLED) return new Uint8Array(length);
    // A slab that was nevertheless transferred has length 0.
    if (this.#used + length > this.#slab.byteLength) {
      this.#slab = new ArrayBuffer(SLAB);
      this.#protect(this.#slab);
      this.#used = 0;
    }
    const part = new Uint8Array(this.#slab, this.#used, length);
    this.#used += length;
    return part;
  }
}
