// Sequences as engines take them: bytes, stored back to back.

import { TokenizerError, unexpected } from '../base/errors.js';
import { plainBytes, typedArrayKind } from '../base/views.js';
import type { TextRows, Texts } from '../engine/text-rows.js';
import { utf16Position } from '../api/text-failures.js';
import { type DnaEngine, NO_ID } from '../engine/dna-engine.js';

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

/** All sequences of a batch, in unshared memory. */
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

/** All sequences of a batch, if some are non-ASCII strings. */
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

// Strings that are not ASCII: a character tokenizer, such as HyenaDNA's, gives each unknown character one unknown id, however many
// bytes it has in UTF-8. A byte tokenizer, such as Evo 2's, has ids for all bytes.

/** Stand-ins for a non-ASCII character, and for non-ASCII white space. */
const OTHER = 0x80;
const SPACE = 0x20;
/** Python's white space, at which Hugging Face tokenizers split and strip. */
const OTHER_SPACE = /[\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;

const answers = new WeakMap<DnaEngine, boolean>();
const spaceAnswers = new WeakMap<DnaEngine, 'own' | 'unknown' | 'none'>();

/** Whether adjacent letters without an id share one unknown id, and white space has none. */
export function joinsUnknown(engine: DnaEngine): boolean {
  return engine.facts.unknownId !== undefined && idOfSpace(engine) === 'none';
}

/** The id of white space, for an engine with an unknown id. */
function idOfSpace(engine: DnaEngine): 'own' | 'unknown' | 'none' {
  const { base = engine } = engine;
  let answer = spaceAnswers.get(base);
  if (answer === undefined) {
    const { unit, k, unknownId } = base.facts;
    const ids = unit === 'bpe' || unit === 'other' ? [NO_ID] : base.encode(new Uint8Array(k).fill(SPACE), 'int32', false);
    answer = ids.length === 0 ? 'none' : ids.every((id) => id === unknownId) ? 'unknown' : 'own';
    spaceAnswers.set(base, answer);
  }
  return answer;
}

/** Whether no byte beyond ASCII has its own id, so that a multi-byte character is passed as one byte. */
function readsCharacters(engine: DnaEngine): boolean {
  const { base = engine } = engine;
  let answer = answers.get(base);
  if (answer === undefined) answers.set(base, (answer = hasNoHighBytes(base)));
  return answer;
}

function hasNoHighBytes(engine: DnaEngine): boolean {
  const { unit, unknownId } = engine.facts;
  // The others read UTF-8 themselves; without an unknown id such a character is an error.
  if (unit === 'bpe' || unit === 'other' || unknownId === undefined) return false;
  const highBytes = Uint8Array.from({ length: 128 }, (_, index) => 0x80 + index);
  try {
    return engine.encode(highBytes, 'int32', false).every((id) => id === unknownId);
  } catch (error) {
    if (error instanceof TokenizerError && error.code === 'UNKNOWN_BASE') return false;
    throw error;
  }
}

/** One byte per character. */
function bytesOfCharacters(text: string, engine: DnaEngine): Uint8Array {
  const bytes = new Uint8Array(text.length);
  const isSpaceUnknown = idOfSpace(engine) !== 'own';
  let count = 0;
  for (let unit = 0; unit < text.length; unit++) {
    const code = text.codePointAt(unit) as number;
    if (code > 0xffff) unit++;
    bytes[count++] = code < 0x80 ? code : isSpaceUnknown && OTHER_SPACE.test(String.fromCodePoint(code)) ? SPACE : OTHER;
  }
  return bytes.subarray(0, count);
}

/** The index in `text` of the character for which `engine` was given this byte. */
export function unitOfByte(engine: DnaEngine, text: string, byte: number): number {
  if (!readsCharacters(engine)) return utf16Position(text, byte);
  let unit = 0;
  for (let character = 0; character < byte && unit < text.length; character++) unit += (text.codePointAt(unit) as number) > 0xffff ? 2 : 1;
  return unit;
}
