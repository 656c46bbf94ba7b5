// Upper and lower case, by Python's tables.

import { CASE_IGNORABLE, CASED, flagsOf, lowerOf, LOWERCASE, titleOf, TITLECASE, upperOf, UPPERCASE } from '../unicode/characters.js';
import { bind, type Method, signature } from '../values/callable.js';
import { mapped, recased, type Str } from '../values/str.js';

const ASCII = /^[\0-\x7f]*$/;
const SIGMA = 'Σ';

/** The lower-case letter; a sigma at the end of a word has its own form. */
export function lowerAt(text: string, character: string, at: number): string {
  if (character !== SIGMA) return lowerOf(character);
  return isFinal(text, at) ? 'ς' : 'σ';
}

function isFinal(text: string, at: number): boolean {
  let before = at - 1;
  while (before >= 0 && flagsOf(codeBefore(text, before)) & CASE_IGNORABLE) before -= codeBefore(text, before) > 0xffff ? 2 : 1;
  if (before < 0 || !(flagsOf(codeBefore(text, before)) & CASED)) return false;
  let after = at + 1;
  while (after < text.length && flagsOf(text.codePointAt(after) as number) & CASE_IGNORABLE)
    after += (text.codePointAt(after) as number) > 0xffff ? 2 : 1;
  return after >= text.length || !(flagsOf(text.codePointAt(after) as number) & CASED);
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
  return mapped(str, upperOf);
}

export function capitalize(str: Str): Str {
  const { text } = str;
  return mapped(str, (character, at) => (at === 0 ? titleOf(character) : lowerAt(text, character, at)));
}

/** Whether the text has cased characters and all are of the wanted case. */
export function isCase(str: Str, wanted: number): boolean {
  let found = false;
  for (const character of str.text) {
    const flags = flagsOf(character.codePointAt(0) as number);
    if (flags & (LOWERCASE | UPPERCASE | TITLECASE) & ~wanted) return false;
    if (flags & wanted) found = true;
  }
  return found;
}

const NONE = signature('method()');
/** A method without arguments. */
export const simple =
  <Result extends Str | boolean>(of: (str: Str) => Result): Method<Str> =>
  (self, args, keywords) => {
    bind(NONE, args, keywords);
    return of(self);
  };

export const CASE_METHODS = new Map<string, Method<Str>>([
  ['lower', simple(lower)],
  ['upper', simple(upper)],
  ['capitalize', simple(capitalize)],
]);
