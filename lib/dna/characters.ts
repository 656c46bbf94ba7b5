// Strings that are not ASCII. A character tokenizer, such as HyenaDNA's, gives each unknown character one unknown id,
// however many bytes it has in UTF-8. A byte tokenizer, such as Evo 2's, has ids for all bytes.

import { utf16Position } from '../tokenizer/failures.js';
import { TokenizerError } from '../base/errors.js';
import { type DnaEngine, NO_ID } from './engine.js';

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
export function readsCharacters(engine: DnaEngine): boolean {
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

/** The index in `text` of the character for which `engine` was given this byte. */
export function unitOfByte(engine: DnaEngine, text: string, byte: number): number {
  if (!readsCharacters(engine)) return utf16Position(text, byte);
  let unit = 0;
  for (let character = 0; character < byte && unit < text.length; character++) unit += (text.codePointAt(unit) as number) > 0xffff ? 2 : 1;
  return unit;
}
