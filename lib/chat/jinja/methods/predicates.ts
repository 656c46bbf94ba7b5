// Methods of str that test the kinds of its characters.

import { ALPHA, ALPHANUMERIC, DECIMAL, DIGIT, flagsOf, isIdentifier, NUMERIC, PRINTABLE, SPACE } from '../unicode/characters.js';
import { bind, type Method, signature } from '../values/callable.js';
import type { Str } from '../values/str.js';

/** Whether every character has one of the flags. */
export function all({ text }: Str, flags: number, whenEmpty = false): boolean {
  if (text === '') return whenEmpty;
  for (const character of text) if (!(flagsOf(character.codePointAt(0) as number) & flags)) return false;
  return true;
}

const NONE = signature('method()');
const ask =
  (of: (str: Str) => boolean): Method<Str> =>
  (self, args, keywords) => {
    bind(NONE, args, keywords);
    return of(self);
  };

export const PREDICATES = new Map<string, Method<Str>>([
  ['isalpha', ask((str) => all(str, ALPHA))],
  ['isalnum', ask((str) => all(str, ALPHANUMERIC))],
  ['isdecimal', ask((str) => all(str, DECIMAL))],
  ['isdigit', ask((str) => all(str, DIGIT))],
  ['isnumeric', ask((str) => all(str, NUMERIC))],
  ['isspace', ask((str) => all(str, SPACE))],
  ['isprintable', ask((str) => all(str, PRINTABLE, true))],
  ['isascii', ask(({ text }) => /^[\0-\x7f]*$/.test(text))],
  ['isidentifier', ask(({ text }) => isIdentifier(text))],
]);
