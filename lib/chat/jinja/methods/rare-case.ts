// Rarely used methods for upper and lower case.

import { CASED, flagsOf, foldOf, LOWERCASE, titleOf, TITLECASE, UPPERCASE, upperOf } from '../unicode/characters.js';
import type { Method } from '../values/callable.js';
import { mapped, type Str } from '../values/str.js';
import { isCase, lowerAt, simple } from './case.js';

/** The first letter of each run of letters in title case, others in lower case. */
function title(str: Str): Str {
  const { text } = str;
  let inWord = false;
  return mapped(str, (character, at) => {
    const result = inWord ? lowerAt(text, character, at) : titleOf(character);
    inWord = (flagsOf(character.codePointAt(0) as number) & CASED) !== 0;
    return result;
  });
}

function swapCase(str: Str): Str {
  const { text } = str;
  return mapped(str, (character, at) => {
    const flags = flagsOf(character.codePointAt(0) as number);
    if (flags & UPPERCASE) return lowerAt(text, character, at);
    return flags & LOWERCASE ? upperOf(character) : character;
  });
}

function isTitle(str: Str): boolean {
  let inWord = false;
  let found = false;
  for (const character of str.text) {
    const flags = flagsOf(character.codePointAt(0) as number);
    if (flags & (UPPERCASE | TITLECASE)) {
      if (inWord) return false;
      found = inWord = true;
    } else if (flags & LOWERCASE) {
      if (!inWord) return false;
    } else {
      inWord = false;
    }
  }
  return found;
}

export const RARE_CASE_METHODS: [string, Method<Str>][] = [
  ['title', simple(title)],
  ['swapcase', simple(swapCase)],
  ['casefold', simple((str) => mapped(str, foldOf))],
  ['islower', simple((str) => isCase(str, LOWERCASE))],
  ['isupper', simple((str) => isCase(str, UPPERCASE))],
  ['istitle', simple(isTitle)],
];
