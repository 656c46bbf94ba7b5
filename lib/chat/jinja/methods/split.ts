// Methods of str that split it.

import { foresee, LONGEST_LIST, seek, spend } from '../budget.js';
import { raise } from '../errors.js';
import { rarely } from '../rarely.js';
import { spaceEnd, spaceStart, isSpace } from '../unicode/characters.js';
import { asIndex } from '../values/arguments.js';
import { bind, type Method, signature } from '../values/callable.js';
import { List } from '../values/containers.js';
import { type Value, typeName } from '../values/object.js';
import { Str } from '../values/str.js';

const SPLIT = signature('split(sep=, maxsplit=)');

/** Splits at white space. `most`: the most cuts. */
function atSpace(self: Str, most: number): Str[] {
  const { text } = self;
  const parts: Str[] = [];
  let from = spaceEnd(text);
  while (from < text.length) {
    spend(1);
    if (parts.length === most) {
      parts.push(self.part(from, text.length));
      break;
    }
    let to = from;
    while (to < text.length && !isSpace(text.charCodeAt(to))) to++;
    parts.push(self.part(from, to));
    from = spaceEnd(text, to);
  }
  return parts;
}

/** The same from the end, in the order of the text. */
function atSpaceFromEnd(self: Str, most: number): Str[] {
  const { text } = self;
  const parts: Str[] = [];
  let to = spaceStart(text);
  while (to > 0) {
    spend(1);
    if (parts.length === most) {
      parts.push(self.part(0, to));
      break;
    }
    let from = to;
    while (from > 0 && !isSpace(text.charCodeAt(from - 1))) from--;
    parts.push(self.part(from, to));
    to = spaceStart(text, from);
  }
  return parts.reverse();
}

function atText(self: Str, separator: string, most: number): Str[] {
  const { text } = self;
  const parts: Str[] = [];
  let from = 0;
  for (let at = text.indexOf(separator); at >= 0 && parts.length < most; at = text.indexOf(separator, from)) {
    spend(1);
    parts.push(self.part(from, at));
    from = at + separator.length;
  }
  parts.push(self.part(from, text.length));
  return parts;
}

function atTextFromEnd(self: Str, separator: string, most: number): Str[] {
  const { text } = self;
  const parts: Str[] = [];
  let to = text.length;
  while (parts.length < most && to >= separator.length) {
    const at = text.lastIndexOf(separator, to - separator.length);
    if (at < 0) break;
    spend(1);
    parts.push(self.part(at + separator.length, to));
    to = at;
  }
  parts.push(self.part(0, to));
  return parts.reverse();
}

function splitBy(self: Str, [separator, maximum]: readonly (Value | undefined)[], fromEnd: boolean): List {
  const count = asIndex(maximum, -1);
  const most = count < 0 ? Infinity : count;
  if (self.units > LONGEST_LIST) foresee(rarely().countParts(self.text, separator, most));
  if (separator === undefined || separator === null) return new List(fromEnd ? atSpaceFromEnd(self, most) : atSpace(self, most));
  if (!(separator instanceof Str)) return raise('TypeError', `must be str or None, not ${typeName(separator)}`);
  const { text } = separator;
  if (text === '') return raise('ValueError', 'empty separator');
  seek(self.units, text.length);
  return new List(fromEnd ? atTextFromEnd(self, text, most) : atText(self, text, most));
}

/** Splits at line ends as Python defines them. */
export function lines(self: Str, keepEnds: boolean): Str[] {
  const { text } = self;
  if (text.length > LONGEST_LIST) foresee(rarely().countLines(text));
  const parts: Str[] = [];
  let from = 0;
  for (const { 0: end, index } of text.matchAll(/\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/g)) {
    spend(1);
    parts.push(self.part(from, keepEnds ? index + end.length : index));
    from = index + end.length;
  }
  if (from < text.length) parts.push(self.part(from, text.length));
  return parts;
}

export const SPLIT_METHODS = new Map<string, Method<Str>>([
  ['split', (self, args, keywords) => splitBy(self, bind(SPLIT, args, keywords), false)],
  ['rsplit', (self, args, keywords) => splitBy(self, bind(SPLIT, args, keywords), true)],
]);
