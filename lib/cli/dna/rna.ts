// RNA in DNA files: `--rna` says how to treat U.

import { BaseError } from './dna-failures.js';
import { recordName, type SequencePart } from './read-sequences.js';

export type RnaPolicy = 'reject' | 'normalize';

const [UPPER_U, LOWER_U] = [0x55, 0x75];

/** Filters the parts of sequences, in order. */
export class RnaFilter {
  readonly #policy: RnaPolicy;
  /** Bases of the record before this part. */
  #position = 0;

  constructor(policy: RnaPolicy = 'reject') {
    this.#policy = policy;
  }

  /** The part with U replaced by T. Throws a BaseError if it contains U and that is rejected. */
  of(part: SequencePart): SequencePart {
    const { record, name, bytes, begins } = part;
    if (begins) this.#position = 0;
    const first = firstU(bytes);
    if (first >= 0 && this.#policy === 'reject') {
      const base = this.#position + first + 1;
      const letter = String.fromCharCode(bytes[first] as number);
      const message = `${recordName(record, name)} has "${letter}" at base ${base}, a base of RNA (--rna normalize makes it T)`;
      throw new BaseError(message, record + 1, name, base);
    }
    this.#position += bytes.length;
    return first < 0 ? part : { ...part, bytes: asDna(bytes, first) };
  }
}

/** Uses a Buffer, which is many times as fast as a loop. */
function firstU(bytes: Uint8Array): number {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const upper = buffer.indexOf(UPPER_U);
  const lower = (upper < 0 ? buffer : buffer.subarray(0, upper)).indexOf(LOWER_U);
  return lower < 0 ? upper : lower;
}

/** A copy: the parser's memory must not change. */
function asDna(bytes: Uint8Array, first: number): Uint8Array {
  const copy = bytes.slice();
  for (let at = first; at < copy.length; at++) {
    const byte = copy[at] as number;
    if (byte === UPPER_U || byte === LOWER_U) copy[at] = byte - 1;
  }
  return copy;
}
