// Sequences as engines take them: bytes, one sequence behind the other.

import { unexpected } from '../tokenizer/errors.js';
import type { Texts, TextRows } from '../tokenizer/text-rows.js';
import { plainBytes, typedArrayKind } from '../tokenizer/views.js';

/** Strings of more are not written to the scratch memory that calls share. */
const MOST_SCRATCH = 4 * 1024 * 1024;

const encoder = new TextEncoder();
let scratch = new Uint8Array(0);

/** The bytes of a sequence; those of a string are good until the next call. */
export function bytesOfSequence(sequence: unknown, name = 'sequence'): Uint8Array {
  if (typeof sequence !== 'string') {
    if (typedArrayKind(sequence) !== 'Uint8Array') throw unexpected('a string or a Uint8Array', name, sequence);
    return plainBytes(sequence as Uint8Array, name);
  }
  const { length } = sequence;
  if (length > MOST_SCRATCH) return encoder.encode(sequence);
  reserve(length);
  const { read, written } = encoder.encodeInto(sequence, scratch);
  // A sequence is ASCII, and what is not may need more.
  return read === length ? scratch.subarray(0, written) : encoder.encode(sequence);
}

/** All sequences of a batch; good until the next call. */
export function rowsOf(sequences: Texts): TextRows {
  if ('offsets' in sequences) return sequences;
  const [first] = sequences;
  if (sequences.length === 1 && first instanceof Uint8Array) return { bytes: first, offsets: Uint32Array.of(0, first.length) };
  const size = unitsOf(sequences);
  return rowsIn(size > MOST_SCRATCH ? new Uint8Array(size) : reserve(size), sequences);
}

/** The same in memory that nobody else has. */
export function ownRowsOf(sequences: Texts): TextRows {
  if ('offsets' in sequences) return { bytes: Uint8Array.from(sequences.bytes), offsets: Uint32Array.from(sequences.offsets) };
  return rowsIn(new Uint8Array(unitsOf(sequences)), sequences);
}

function unitsOf(sequences: readonly (string | Uint8Array)[]): number {
  let size = 0;
  for (const { length } of sequences) size += length;
  return size;
}

function rowsIn(into: Uint8Array, sequences: readonly (string | Uint8Array)[]): TextRows {
  const offsets = new Uint32Array(sequences.length + 1);
  let at = 0;
  for (let row = 0; row < sequences.length; row++) {
    const sequence = sequences[row] as string | Uint8Array;
    if (typeof sequence !== 'string') {
      if (sequence.length > into.length - at) return joined(sequences);
      into.set(sequence, at);
      at += sequence.length;
    } else {
      const { read, written } = encoder.encodeInto(sequence, at === 0 ? into : into.subarray(at));
      if (read !== sequence.length) return joined(sequences);
      at += written;
    }
    offsets[row + 1] = at;
  }
  return { bytes: into.subarray(0, at), offsets };
}

/** The same for strings that are not ASCII. */
function joined(sequences: readonly (string | Uint8Array)[]): TextRows {
  const all = sequences.map((sequence) => (typeof sequence === 'string' ? encoder.encode(sequence) : sequence));
  const offsets = new Uint32Array(all.length + 1);
  all.forEach(({ length }, row) => (offsets[row + 1] = (offsets[row] as number) + length));
  const bytes = new Uint8Array(offsets[all.length] as number);
  all.forEach((each, row) => bytes.set(each, offsets[row]));
  return { bytes, offsets };
}

function reserve(size: number): Uint8Array {
  if (scratch.length < size) scratch = new Uint8Array(Math.min(Math.max(2 * size, 64 * 1024), MOST_SCRATCH));
  return scratch;
}
