// Reverse complement and two bits per base, without a vocabulary.

import { textBytes } from '../api/arguments.js';
import { atCaller, refused, TokenizerError, unexpected } from '../base/errors.js';
import type { UnsharedUint8Array } from '../base/typed-arrays.js';
import { textAt, type TextRows } from '../engine/text-rows.js';
import { basesInScript } from '../engine/bases-in-script.js';
import type { OnBases } from '../engine/dna-engine.js';
import { failureInBases, type SequenceAt } from './sequence-failures.js';
import { countOrNone } from './dna-options.js';
import { bytesOfSequence, reserve } from './sequence-bytes.js';

/**
 * The type of `reverseComplement`.
 *
 * @example
 * ```ts
 * const complement: ReverseComplement = reverseComplement;
 * complement('AAC'); // 'GTT'
 * ```
 */
export interface ReverseComplement {
  (sequence: string): string;
  (sequence: Uint8Array): UnsharedUint8Array;
  (sequence: string | Uint8Array): string | UnsharedUint8Array;
}

/**
 * The type of `packBases`.
 *
 * @example
 * ```ts
 * const pack: PackBases = packBases;
 * pack('TTTT'); // Uint8Array [255]
 * ```
 */
export type PackBases = (sequence: string | Uint8Array) => UnsharedUint8Array;

/**
 * The type of `unpackBases`.
 *
 * @example
 * ```ts
 * const unpack: UnpackBases = unpackBases;
 * unpack(Uint8Array.of(255), 2); // Uint8Array [84, 84]
 * ```
 */
export type UnpackBases = (packed: Uint8Array, length: number) => UnsharedUint8Array;

const FOUR = 4;
const NO_COMPLEMENT = 'which is not a base and has no complement';

/** The public functions for a host. */
export function reverseComplementOn(work: OnBases): ReverseComplement {
  function reverseComplement(sequence: string): string;
  function reverseComplement(sequence: Uint8Array): UnsharedUint8Array;
  function reverseComplement(sequence: string | Uint8Array): string | UnsharedUint8Array;
  function reverseComplement(sequence: string | Uint8Array): string | UnsharedUint8Array {
    return atCaller(reverseComplement, () => {
      const bytes = bytesOfSequence(sequence);
      const out = new Uint8Array(bytes.length);
      done(() => work('reverseComplement', bytes, out), sequence, NO_COMPLEMENT);
      return typeof sequence === 'string' ? new TextDecoder().decode(out) : out;
    });
  }
  return reverseComplement;
}

export function packBasesOn(work: OnBases): PackBases {
  return function packBases(sequence) {
    return atCaller(packBases, () => {
      const bytes = bytesOfSequence(sequence);
      const out = new Uint8Array(Math.ceil(bytes.length / FOUR));
      done(() => work('packBases', bytes, out), sequence, 'which is none of the bases A, C, G and T');
      return out;
    });
  };
}

export function unpackBasesOn(work: OnBases): UnpackBases {
  return function unpackBases(packed, length) {
    return atCaller(unpackBases, () => {
      const count = countOrNone(length, 'length', 0);
      if (count === undefined) throw unexpected('a number', 'length', length);
      const bytes = textBytes(packed, 'packed');
      if (count > FOUR * bytes.length) throw refused(`\`length\` must be at most ${FOUR * bytes.length}, the bases of \`packed\``, length);
      const out = new Uint8Array(count);
      work('unpackBases', bytes, out);
      return out;
    });
  };
}

/** Turns each row into its reverse complement, in its memory, which must be no scratch. */
export function reverseRows({ bytes, offsets }: TextRows, sequenceAt: SequenceAt, onBases: OnBases = basesInScript): void {
  const [first = 0] = offsets;
  const end = offsets.at(-1) as number;
  const all = bytes.subarray(first, end);
  const turned = reserve(all.length).subarray(0, all.length);
  try {
    onBases('reverseComplement', all, turned);
  } catch (error) {
    if (!(error instanceof TokenizerError) || error.code !== 'UNKNOWN_BASE') throw error;
    const at = first + error.position;
    const row = offsets.findIndex((offset) => offset > at) - 1;
    const failure = { code: error.code, position: at - (offsets[row] as number), row };
    throw failureInBases(new TokenizerError(error.message, failure), sequenceAt(row), NO_COMPLEMENT);
  }
  // The rows are complements now, but the last one comes first.
  for (let row = 1; row < offsets.length; row++) {
    const [begin, next] = [offsets[row - 1] as number, offsets[row] as number];
    bytes.set(turned.subarray(end - next, end - begin), begin);
  }
}

/** Row `row` of these as the caller had it. (Its U is A now, which is as good in a message about another letter.) */
export function turnedBack(rows: TextRows, row: number): Uint8Array {
  const bytes = textAt(rows, row).slice() as Uint8Array;
  reverseRows({ bytes, offsets: Uint32Array.of(0, bytes.length) }, () => bytes);
  return bytes;
}

function done(work: () => void, sequence: string | Uint8Array, why: string): void {
  try {
    work();
  } catch (error) {
    throw failureInBases(error, sequence, why);
  }
}
