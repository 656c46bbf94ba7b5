// Methods of str for upper and lower case, and that test the kinds of characters, by Python's tables.

import * as unicode from '../unicode/characters.js';
import { type Method, taking } from '../values/callable.js';
import { mapped, recased, type Str } from '../values/text.js';

const ASCII = /^[\0-\x7f]*$/;
const SIGMA = 'Σ';

/** The lower-case letter; a sigma at the end of a word has its own form. */
function lowerAt(text: string, character: string, at: number): string {
  if (character !== SIGMA) return unicode.lowerOf(character);
  return isFinal(text, at) ? 'ς' : 'σ';
}

function isFinal(text: string, at: number): boolean {
  let before = at - 1;
  while (before >= 0 && unicode.flagsOf(codeBefore(text, before)) & unicode.CASE_IGNORABLE)
    before -= codeBefore(text, before) > 0xffff ? 2 : 1;
  if (before < 0 || !(unicode.flagsOf(codeBefore(text, before)) & unicode.CASED)) return false;
  let after = at + 1;
  while (after < text.length && unicode.flagsOf(text.codePointAt(after) as number) & unicode.CASE_IGNORABLE)
    after += (text.codePointAt(after) as number) > 0xffff ? 2 : 1;
  return after >= text.length || !(unicode.flagsOf(text.codePointAt(after) as number) & unicode.CASED);
}

/** The code point that ends at this unit. */
function codeBefore(text: string, last: number): number {
  const code = text.codePointAt(last) as number;
  return code >= 0xdc00 && code < 0xe000 && last > 0 ? (text.codePointAt(last - 1) as number) : code;
}

export function lower(str: Str): Str {
  const { text } = str;
  if (ASCII.test(text)) return recased(str, text.toLowerCase());
  return mapped(str, (character, at) => lowerAt(text, character, at));
}

export function upper(str: Str): Str {
  const { text } = str;
  if (ASCII.test(text)) return recased(str, text.toUpperCase());
  return mapped(str, unicode.upperOf);
}

export function capitalize(str: Str): Str {
  const { text } = str;
  return mapped(str, (character, at) => (at === 0 ? unicode.titleOf(character) : lowerAt(text, character, at)));
}

/** Whether the text has cased characters and all are of the wanted case. */
export function isCase(str: Str, wanted: number): boolean {
  let found = false;
  for (const character of str.text) {
    const flags = unicode.flagsOf(character.codePointAt(0) as number);
    if (flags & (unicode.LOWERCASE | unicode.UPPERCASE | unicode.TITLECASE) & ~wanted) return false;
    if (flags & wanted) found = true;
  }
  return found;
}

/** The first letter of each run of letters in title case, others in lower case. */
function title(str: Str): Str {
  const { text } = str;
  let inWord = false;
  return mapped(str, (character, at) => {
    const result = inWord ? lowerAt(text, character, at) : unicode.titleOf(character);
    inWord = (unicode.flagsOf(character.codePointAt(0) as number) & unicode.CASED) !== 0;
    return result;
  });
}

/** Whether every character has one of the flags. */
function all({ text }: Str, flags: number, whenEmpty = false): boolean {
  if (text === '') return whenEmpty;
  for (const character of text) if (!(unicode.flagsOf(character.codePointAt(0) as number) & flags)) return false;
  return true;
}

export const CASE_METHODS: [string, Method<Str>][] = taking<Str>({
  lower,
  upper,
  capitalize,
  title,
  islower: (str) => isCase(str, unicode.LOWERCASE),
  isupper: (str) => isCase(str, unicode.UPPERCASE),
  isalpha: (str) => all(str, unicode.ALPHA),
  isalnum: (str) => all(str, unicode.ALPHANUMERIC),
  isdecimal: (str) => all(str, unicode.DECIMAL),
  isdigit: (str) => all(str, unicode.DIGIT),
  isnumeric: (str) => all(str, unicode.NUMERIC),
  isspace: (str) => all(str, unicode.SPACE),
  isprintable: (str) => all(str, unicode.PRINTABLE, true),
  isascii: ({ text }) => ASCII.test(text),
});
