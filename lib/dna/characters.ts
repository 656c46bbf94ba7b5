// Strings that are not ASCII. A tokenizer of characters, such as HyenaDNA's, has one unknown id for each character that it
// does not know, however many bytes that has in UTF-8. One of bytes, such as Evo 2's, has ids for all of them.

import { utf16Position } from '../tokenizer/failures.js';
import { TokenizerError } from '../base/errors.js';
import { type DnaEngine, NO_ID } from './engine.js';

/** They stand for a character that is not ASCII, and for white space that is not. */
const OTHER = 0x80;
const SPACE = 0x20;
/** The white space of Python, by which tokenizers of Hugging Face divide and strip. */
const OTHER_SPACE = /[\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;

const answers = new WeakMap<DnaEngine, boolean>();
const spaceAnswers = new WeakMap<DnaEngine, 'own' | 'unknown' | 'none'>();

/** Whether letters without an id that follow one another have one unknown id together, and white space none. */
export function joinsUnknown(engine: DnaEngine): boolean {
  return engine.facts.unknownId !== undefined && idOfSpace(engine) === 'none';
}

/** Of an engine with an unknown id: which id white space has. */
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
export function bytesOfCharacters(text: string, engine: DnaEngine): Uint8Array {
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

/** The unit of `text` at which the byte begins that `engine` was given for it. */
export function unitOfByte(engine: DnaEngine, text: string, byte: number): number {
  if (!readsCharacters(engine)) return utf16Position(text, byte);
  let unit = 0;
  for (let character = 0; character < byte && unit < text.length; character++) unit += (text.codePointAt(unit) as number) > 0xffff ? 2 : 1;
  return unit;
}
