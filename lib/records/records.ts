// Assembles records from the parser's parts.

import { concatenated, type UnsharedUint8Array } from '../base/typed-arrays.js';
import type { Copies } from './copies.js';
import { headerOf, textOf } from './headers.js';
import type { CheckedOptions } from './options.js';
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
} from './parser.js';
import type { FastaRecord, FastqRecord } from './record.js';
import { tooLong } from './record-failures.js';

/** The result of a parser call, item by item. The parts are valid until the next call. */
export interface Items<Item> {
  of(read: ReadParts): Iterator<Item>;
  /** The name of the latest record begun. */
  readonly name: string;
}

/** Collects bytes that arrive in parts. */
class Gathered {
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
  readonly #most: number;
  readonly #where: string;
  readonly #copies: Copies;
  readonly #header = new Gathered();
  readonly #sequence = new Gathered();
  readonly #quality = new Gathered();
  #index = -1;
  #byteOffset = 0;
  #name: string | undefined;

  /** `where`: the source's name, for errors. */
  constructor(format: Format, { text, maxRecordLength }: CheckedOptions, where: string, copies: Copies) {
    this.#hasQuality = format === FASTQ;
    this.#text = text;
    this.#most = maxRecordLength;
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
      if (this.#sequence.length + qualityAt - sequenceAt > this.#most) {
        this.#header.add(bytes.subarray(at, sequenceAt));
        throw tooLong(this.#where, this.#index, this.name, this.#most, this.#byteOffset);
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
