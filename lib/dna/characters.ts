// Strings that are not ASCII. A tokenizer of characters, such as HyenaDNA's, has one unknown id for each character that it
// does not know, however many bytes that has in UTF-8. One of bytes, such as Evo 2's, has ids for all of them.

import { utf16Position } from '../tokenizer/failures.js';
import { TokenizerError } from '../tokenizer/errors.js';
import type { DnaEngine } from './engine.js';

/** Stands for a character that is not ASCII. */
const OTHER = 0x80;

const answers = new WeakMap<DnaEngine, boolean>();

/** Whether no byte beyond ASCII has an id of its own, so that a character of several bytes is given as one. */
export function readsCharacters(engine: DnaEngine): boolean {
  const { base = engine } = engine;
  let answer = answers.get(base);
  if (answer === undefined) answers.set(base, (answer = hasNoHighBytes(base)));
  return answer;
}

function hasNoHighBytes(engine: DnaEngine): boolean {
  const { unit, unknownId } = engine.facts;
  // Others read UTF-8 themselves, and without an unknown id such a character is an error.
  if (unit === 'bpe' || unit === 'other' || unknownId === undefined) return false;
  const highBytes = Uint8Array.from({ length: 128 }, (_, index) => 0x80 + index);
  try {
    return engine.encode(highBytes, 'int32', false).every((id) => id === unknownId);
  } catch (error) {
    if (error instanceof TokenizerError && error.code === 'UNKNOWN_BASE') return false;
    throw error;
  }
}

/** A byte for each character. */
export function bytesOfCharacters(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  let count = 0;
  for (let unit = 0; unit < text.length; unit++) {
    const code = text.codePointAt(unit) as number;
    if (code > 0xffff) unit++;
    bytes[count++] = code < 0x80 ? code : OTHER;
  }
  return bytes.subarray(0, count);
}

/** The unit of `text` at which the byte begins that `engine` was given for it. */
export function unitOfByte(engine: DnaEngine, text: string, byte: number): number {
  if (!readsCharacters(engine)) return utf16Position(text, byte);
  let unit = 0;
  for (let character = 0; character < byte && unit < text.length; character++) unit += (text.codePointAt(unit) as number) > 0xffff ? 2 : 1;
  return unit;
}
