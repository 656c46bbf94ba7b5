// Where any text can be cut: between paragraphs, sentences, lines, words, and grapheme clusters.
//
// At a line break, the break stays with the part before. At spaces, the spaces go with the part after, since tokens
// begin with their space.

import {
  isAsciiBlank,
  isAsciiLetter,
  isBlank,
  isCloser,
  isDigit,
  isExtending,
  isHan,
  isHiragana,
  isKatakana,
  isLineBreak,
  isLineStart,
  isLowerCase,
  isNonStarter,
  isOpener,
  isRegional,
  isSpace,
  isStop,
  isUnspaced,
  isUnspacedStop,
  isWordCharacter,
  joinsNext,
} from './characters.js';
import { holdsAt, type Units, unitsOf } from './units.js';

/** Whether a text has such a boundary at a position inside it. Costs at most one line. */
export type Boundary = (text: Units, at: number) => boolean;

/** How many spaces, closing quotes or letters to examine beside a boundary. */
const NEAR = 64;

const ABBREVIATIONS = new Set(
  'mr mrs ms dr prof rev hon gen sen gov capt lt col sgt st mt vs fig figs eq cf approx hr nr bzw ca abb bspw sr sra'.split(' '),
);

/** The beginning of a non-empty line after an empty one. */
export const paragraph: Boundary = (text, at) =>
  isLineStart(text.unit(at - 1), text.unit(at)) && !isLineBreak(text.unit(pastBlanks(text, at))) && followsBlankLine(text, at);

/** Whether the line before a line's beginning is empty. */
export function followsBlankLine(text: Units, lineStart: number): boolean {
  let at = lineStart - 1;
  if (text.unit(at) === 0x0a && text.unit(at - 1) === 0x0d) at--;
  while (at > 0 && isAsciiBlank(text.unit(at - 1))) at--;
  return at === 0 || isLineBreak(text.unit(at - 1));
}

/** The first position from `at` on that is past ASCII blanks. */
export function pastBlanks(text: Units, at: number): number {
  while (isAsciiBlank(text.unit(at))) at++;
  return at;
}

/** The beginning of a non-empty line. */
export const line: Boundary = (text, at) => isLineStart(text.unit(at - 1), text.unit(at)) && !isLineBreak(text.unit(at));

/** The end of a sentence: before the space that follows, or after the line break. */
export const sentence: Boundary = (text, at) => {
  const before = text.unit(at - 1);
  const after = text.unit(at);
  if (isLineBreak(before)) {
    if (isLineBreak(after)) return false;
    let end = at;
    while (end > at - NEAR && (isAsciiBlank(text.unit(end - 1)) || isLineBreak(text.unit(end - 1)))) end--;
    return endsSentence(text, end, at);
  }
  if (after < 0x80 && before < 0x80) return isBlank(after) && !isBlank(before) && endsSentence(text, at, at);
  if (!text.isCharacterBoundary(at)) return false;
  const next = text.after(at);
  const last = text.before(at);
  if (isBlank(next)) return !isSpace(last) && endsSentence(text, at, at);
  // Without a space.
  if (isNonStarter(next) || isLineBreak(next) || isStop(next)) return false;
  return isUnspacedStop(text.before(beforeClosers(text, at)));
};

/** Whether a sentence ends at `end`; the text after it begins past spaces, at `at`. */
function endsSentence(text: Units, end: number, at: number): boolean {
  const stopEnd = beforeClosers(text, end);
  const stop = text.before(stopEnd);
  if (!isStop(stop)) return false;
  if (isUnspacedStop(stop)) return true;
  // "e.g. this", "“Really?” she said"
  let next = at;
  while (next < at + NEAR && isSpace(text.after(next))) next++;
  if (isLowerCase(text.after(next))) return false;
  return stop !== 0x2e || !isAbbreviation(text, stopEnd - 1);
}

function beforeClosers(text: Units, at: number): number {
  let end = at;
  for (let near = 0; near < NEAR; near++) {
    const code = text.before(end);
    if (!isCloser(code)) break;
    end--;
    while (!text.isCharacterBoundary(end)) end--;
  }
  return end;
}

/** Whether the full stop at `at` belongs to an initial ("J. Smith", "e.g."), a title, or the number of an item ("1."). */
function isAbbreviation(text: Units, at: number): boolean {
  let begin = at;
  let isNumber = true;
  for (; begin > 0 && at - begin < NEAR; begin--) {
    const unit = text.unit(begin - 1);
    if (!isDigit(unit)) {
      if (!isAsciiLetter(unit)) break;
      isNumber = false;
    }
  }
  const length = at - begin;
  if (length === 0 || text.unit(begin - 1) >= 0x80) return false;
  if (isNumber) {
    while (begin > 0 && isAsciiBlank(text.unit(begin - 1))) begin--;
    return length <= 3 && (begin === 0 || isLineBreak(text.unit(begin - 1)));
  }
  if (length === 1) return true;
  let word = '';
  for (let letter = begin; letter < at; letter++) word += String.fromCharCode(text.unit(letter) | 0x20);
  return ABBREVIATIONS.has(word);
}

/** The end of a word, before spaces; in scripts without spaces, between characters that do not belong together. */
export const word: Boundary = (text, at) => {
  const before = text.unit(at - 1);
  const after = text.unit(at);
  if (isLineBreak(before)) return isLineStart(before, after) && !isLineBreak(after);
  if (before < 0x80 && after < 0x80) return isBlank(after) && !isBlank(before);
  if (!text.isCharacterBoundary(at)) return false;
  const next = text.after(at);
  const last = text.before(at);
  if (isBlank(next)) return !isSpace(last);
  if (!(isUnspaced(next) || isUnspaced(last)) || isSpace(last) || isNonStarter(next) || isOpener(last)) return false;
  if (isHiragana(next) && (isHan(last) || isHiragana(last))) return false; // inflections
  if (isKatakana(next) && isKatakana(last)) return false;
  return cluster(text, at);
};

/** Where a word meets punctuation: for text without spaces, such as URLs. */
export const wordEdge: Boundary = (text, at) => {
  if (!text.isCharacterBoundary(at)) return false;
  const next = text.after(at);
  const last = text.before(at);
  return isWordCharacter(next) !== isWordCharacter(last) && !isSpace(last) && cluster(text, at);
};

/** Between two grapheme clusters, close to Unicode's definition (UAX #29), so that each visible character stays whole. */
export const cluster: Boundary = (text, at) => {
  if (!text.isCharacterBoundary(at)) return false;
  const next = text.after(at);
  if (next < 0x300) return !(next === 0x0a && text.unit(at - 1) === 0x0d);
  const last = text.before(at);
  if (isExtending(next) || joinsNext(last)) return false;
  if (!isRegional(next) || !isRegional(last)) return true;
  // Flags are pairs, counted from the first letter.
  const size = text.unit(at - 1) >= 0xd800 ? 2 : 4;
  let letters = 0;
  for (let begin = at; letters < NEAR && isRegional(text.before(begin)); begin -= size) letters++;
  return letters % 2 === 0;
};

/** Matches a separator from the user's list: see `separators` of {@link SplitOptions}. */
export function separator(text: string, isBytes: boolean): Boundary {
  const units = unitsOf(text, isBytes);
  const offset = unitsOf(text.slice(0, cutOffset(text)), isBytes).length;
  return (within, at) => at >= offset && holdsAt(within, units, at - offset);
}

/** After leading line breaks; before leading or trailing spaces; otherwise after the separator. */
function cutOffset(text: string): number {
  const [leading] = /^\s*/.exec(text) as RegExpExecArray;
  const breaks = Math.max(leading.lastIndexOf('\n'), leading.lastIndexOf('\r')) + 1;
  if (breaks > 0 || leading !== '') return breaks;
  return text.replace(/[^\S\r\n]+$/, '').length;
}
