// Sequences as engines take them: bytes, stored back to back.

import { unexpected } from '../base/errors.js';
import type { Texts, TextRows } from '../engine/text-rows.js';
import { plainBytes, typedArrayKind } from '../base/views.js';
import { bytesOfCharacters, readsCharacters } from './characters.js';
import type { DnaEngine } from './engine.js';

/** Longer strings are not written to the scratch memory that calls share. */
const MOST_SCRATCH = 4 * 1024 * 1024;

const encoder = new TextEncoder();
let scratch = new Uint8Array(0);

/** The bytes of a sequence, for an engine or for any use. A string's bytes are valid until the next call. */
export function bytesOfSequence(sequence: unknown, engine?: DnaEngine): Uint8Array {
  if (typeof sequence !== 'string') {
    if (typedArrayKind(sequence) !== 'Uint8Array') throw unexpected('a string or a Uint8Array', 'sequence', sequence);
    return plainBytes(sequence as Uint8Array, 'sequence');
  }
  const { length } = sequence;
  const into = reserve(length);
  const { read, written } = encoder.encodeInto(sequence, into);
  return read === length && written === length ? into.subarray(0, length) : bytesBeyondAscii(sequence, engine);
}

/** The bytes of a non-ASCII string. */
export function bytesBeyondAscii(text: string, engine: DnaEngine | undefined): Uint8Array {
  return engine && readsCharacters(engine) ? bytesOfCharacters(text, engine) : encoder.encode(text);
}

/** All sequences of a batch; valid until the next call. */
export function rowsOf(sequences: Texts, engine: DnaEngine): TextRows {
  if ('offsets' in sequences) return sequences;
  const [first] = sequences;
  if (sequences.length === 1 && first instanceof Uint8Array) return { bytes: first, offsets: Uint32Array.of(0, first.length) };
  return rowsIn(reserve(unitsOf(sequences)), sequences, engine);
}

/** The same in unshared memory. */
export function ownRowsOf(sequences: Texts, engine: DnaEngine): TextRows {
  if ('offsets' in sequences) return { bytes: new Uint8Array(sequences.bytes), offsets: new Uint32Array(sequences.offsets) };
  return rowsIn(new Uint8Array(unitsOf(sequences)), sequences, engine);
}

function unitsOf(sequences: readonly (string | Uint8Array)[]): number {
  let size = 0;
  for (const { length } of sequences) size += length;
  return size;
}

function rowsIn(into: Uint8Array, sequences: readonly (string | Uint8Array)[], engine: DnaEngine): TextRows {
  const offsets = new Uint32Array(sequences.length + 1);
  let at = 0;
  for (let row = 0; row < sequences.length; row++) {
    const sequence = sequences[row] as string | Uint8Array;
    if (typeof sequence !== 'string') {
      if (sequence.length > into.length - at) return joined(sequences, engine);
      into.set(sequence, at);
      at += sequence.length;
    } else {
      const { read, written } = encoder.encodeInto(sequence, at === 0 ? into : into.subarray(at));
      if (read !== sequence.length || written !== read) return joined(sequences, engine);
      at += written;
    }
    offsets[row + 1] = at;
  }
  return { bytes: into.subarray(0, at), offsets };
}

/** The same for non-ASCII strings. */
function joined(sequences: readonly (string | Uint8Array)[], engine: DnaEngine): TextRows {
  const all = sequences.map((sequence) => (typeof sequence === 'string' ? bytesBeyondAscii(sequence, engine) : sequence));
  const offsets = new Uint32Array(all.length + 1);
  all.forEach(({ length }, row) => (offsets[row + 1] = (offsets[row] as number) + length));
  const bytes = new Uint8Array(offsets[all.length] as number);
  all.forEach((each, row) => bytes.set(each, offsets[row]));
  return { bytes, offsets };
}

/** At least that many bytes, valid until the next call of a function here. */
export function reserve(size: number): Uint8Array {
  if (size > MOST_SCRATCH) return new Uint8Array(size);
  if (scratch.length < size) scratch = new Uint8Array(Math.min(Math.max(2 * size, 64 * 1024), MOST_SCRATCH));
  return scratch;
}
