// Methods of str that strip, replace, join, search, split, pad, format, change upper and lower case, and test kinds of characters.

import { foresee, LONGEST_LIST, seek, spend } from '../budget.js';
import { raise } from '../template-errors.js';
import { formatFields } from '../format.js';
import * as unicode from '../unicode/characters.js';
import { isSpace, spaceEnd, spaceStart } from '../unicode/characters.js';
import { asBound, asIndex, asStr, type Method, taking, within } from '../values/callable.js';
import { itemsOf, List, Tuple } from '../values/list.js';
import { typeName, type Value } from '../values/object.js';
import { concatenated, literal, mapped, padded, recased, Str, TextBuilder } from '../values/text.js';

/** `chars` undefined or None: white space. */
export function stripped(str: Str, chars: Value | undefined, sides: 'left' | 'right' | 'both', name = 'strip'): Str {
  const { text } = str;
  let [from, to] = [0, text.length];
  if (chars === undefined || chars === null) {
    if (sides !== 'right') from = spaceEnd(text);
    if (sides !== 'left') to = spaceStart(text, to, from);
  } else {
    if (!(chars instanceof Str)) return raise('TypeError', `${name} arg must be None or str, not ${typeName(chars)}`);
    spend(chars.units >>> 3);
    const set = new Set(chars.text);
    if (sides !== 'right') {
      for (let width = widthAt(text, from); from < to && set.has(text.slice(from, from + width)); width = widthAt(text, from))
        from += width;
    }
    if (sides !== 'left') {
      for (let width = widthBefore(text, to); to > from && set.has(text.slice(to - width, to)); width = widthBefore(text, to)) to -= width;
    }
  }
  return str.part(from, to);
}

export function widthAt(text: string, at: number): number {
  return at < text.length && (text.codePointAt(at) as number) > 0xffff ? 2 : 1;
}

function widthBefore(text: string, at: number): number {
  return at >= 2 && (text.codePointAt(at - 2) as number) > 0xffff ? 2 : 1;
}

/** `count` below 0: all. */
export function replaced(str: Str, old: Str, by: Str, count: number): Str {
  const { text } = str;
  const { text: sought } = old;
  seek(text.length, sought.length);
  if (count === 0 || (sought !== '' && !text.includes(sought))) return str;
  const out = new TextBuilder();
  let from = 0;
  let left = count < 0 ? Infinity : count;
  const put = (at: number, end: number) => {
    spend(1);
    out.addPart(str, from, at);
    out.add(by);
    from = end;
    left--;
  };
  if (sought === '') {
    for (let at = 0; at <= text.length && left > 0; at += widthAt(text, at)) put(at, at);
  } else {
    for (let at = text.indexOf(sought); at >= 0 && left > 0; at = text.indexOf(sought, from)) put(at, at + sought.length);
  }
  out.addPart(str, from, text.length);
  return out.finish();
}

/** The texts of an iterable, joined by this one. */
export function joined(separator: Str, items: readonly Value[], toText: (value: Value, index: number) => Str): Str {
  const out = new TextBuilder();
  for (let index = 0; index < items.length; index++) {
    spend(1);
    if (index > 0) out.add(separator);
    out.add(toText(items[index] as Value, index));
  }
  return out.finish();
}

function strAt(value: Value, index: number): Str {
  return value instanceof Str ? value : raise('TypeError', `sequence item ${index}: expected str instance, ${typeName(value)} found`);
}

/** The range of a text to search, in UTF-16 units; undefined if it begins past the end. */
function rangeOf(self: Str, start: Value | undefined, end: Value | undefined): [from: number, to: number] | undefined {
  if (start === undefined && end === undefined) return [0, self.units];
  const length = self.length();
  const [from, to] = within(asBound(start, 0), asBound(end, Infinity), length);
  return from > length || from > to ? undefined : [self.unit(from), self.unit(to)];
}

/** `startswith` and `endswith` */
function hasAtEdge(self: Str, edge: 'start' | 'end', sub: Value, start: Value | undefined, end: Value | undefined): boolean {
  const [from, to] = rangeOf(self, start, end) ?? [0, -1];
  for (const affix of sub instanceof Tuple ? sub.items : [sub]) {
    if (!(affix instanceof Str)) return raise('TypeError', `${edge}swith takes a str or a tuple of str, not a ${typeName(affix)}`);
    if (affix.units > to - from) continue;
    if (edge === 'start' ? self.text.startsWith(affix.text, from) : self.text.endsWith(affix.text, to)) return true;
  }
  return false;
}

/** The character index of a text; -1 if it does not occur. */
function find(self: Str, fromEnd: boolean, sub: Value, start: Value | undefined, end: Value | undefined): number {
  const { text } = asStr(sub, `${fromEnd ? 'rfind' : 'find'}() argument 1`);
  const range = rangeOf(self, start, end);
  if (!range) return -1;
  const [from, to] = range;
  seek(to - from, text.length);
  const at = fromEnd ? self.text.lastIndexOf(text, to - text.length) : self.text.indexOf(text, from);
  return at < from || at + text.length > to ? -1 : self.indexOfUnit(at);
}

function index(found: number): number {
  return found < 0 ? raise('ValueError', 'substring not found') : found;
}

function count(self: Str, sub: Value, start?: Value, end?: Value): number {
  const { text } = asStr(sub, 'count() argument 1');
  const range = rangeOf(self, start, end);
  if (!range) return 0;
  const { text: all } = self;
  const [from, to] = range;
  seek(to - from, text.length);
  if (text === '') return self.indexOfUnit(to) - self.indexOfUnit(from) + 1;
  let found = 0;
  for (let at = all.indexOf(text, from); at >= 0 && at + text.length <= to; at = all.indexOf(text, at + text.length)) {
    spend(1);
    found++;
  }
  return found;
}

function partition(self: Str, fromEnd: boolean, value: Value): Tuple {
  const { text: separator } = asStr(value, 'partition() argument');
  if (separator === '') raise('ValueError', 'empty separator');
  const { text } = self;
  seek(text.length, separator.length);
  const at = fromEnd ? text.lastIndexOf(separator) : text.indexOf(separator);
  const none = self.part(0, 0);
  if (at < 0) return new Tuple(fromEnd ? [none, none, self] : [self, none, none]);
  const end = at + separator.length;
  return new Tuple([self.part(0, at), self.part(at, end), self.part(end, text.length)]);
}

function withoutPrefix(self: Str, value: Value): Str {
  const { text } = asStr(value, 'removeprefix() argument');
  return self.text.startsWith(text) ? self.part(text.length, self.units) : self;
}

function withoutSuffix(self: Str, value: Value): Str {
  const { text } = asStr(value, 'removesuffix() argument');
  return text !== '' && self.text.endsWith(text) ? self.part(0, self.units - text.length) : self;
}

/** Splits at a text, or at white space; `maximum`: the most cuts. */
export function split(self: Str, fromEnd: boolean, separator: Value = null, maximum: Value = -1): List {
  const count = asIndex(maximum, -1);
  const limit = count < 0 ? Infinity : count;
  if (separator === null) return new List(words(self, fromEnd, limit));
  if (!(separator instanceof Str)) return raise('TypeError', `must be str or None, not ${typeName(separator)}`);
  const { text: sought } = separator;
  if (sought === '') return raise('ValueError', 'empty separator');
  const { text } = self;
  seek(text.length, sought.length);
  // All cuts are found before any part is made: they may be too many.
  const cuts: number[] = [];
  for (let at = fromEnd ? text.length : 0; cuts.length < limit; ) {
    const isOver = fromEnd && at < sought.length;
    const cut = isOver ? -1 : fromEnd ? text.lastIndexOf(sought, at - sought.length) : text.indexOf(sought, at);
    if (cut < 0) break;
    cuts.push(cut);
    foresee(cuts.length + 1);
    at = fromEnd ? cut : cut + sought.length;
  }
  if (fromEnd) cuts.reverse();
  spend(cuts.length);
  let from = 0;
  const parts = [...cuts, text.length].map((cut) => {
    const part = self.part(from, cut);
    from = cut + sought.length;
    return part;
  });
  return new List(parts);
}

/** The words between white space. If there are more than `limit` cuts make, the last word has the rest; from the end, the first one. */
function words(self: Str, fromEnd: boolean, limit: number): Str[] {
  const { text } = self;
  const starts: number[] = [];
  const ends: number[] = [];
  for (let at = spaceEnd(text); at < text.length; at = spaceEnd(text, at)) {
    starts.push(at);
    foresee(starts.length);
    while (at < text.length && !isSpace(text.charCodeAt(at))) at++;
    ends.push(at);
  }
  spend(starts.length);
  const rest = starts.length - 1 - limit;
  if (rest >= 0 && fromEnd) {
    starts.splice(0, rest + 1, 0);
    ends.splice(0, rest);
  } else if (rest >= 0) {
    starts.splice(limit + 1);
    ends.splice(limit, rest + 1, text.length);
  }
  return starts.map((from, index) => self.part(from, ends[index] as number));
}

/** Splits at line ends as Python defines them. */
export function lines(self: Str, keepEnds: boolean): Str[] {
  const { text } = self;
  if (text.length > LONGEST_LIST) foresee(text.split('\n', LONGEST_LIST + 1).length);
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

/** Pads a text to a width in characters; `share`: how much of the padding goes before the text. */
export function justified(str: Str, share: (missing: number, width: number) => number, width: Value, fill: Value = literal(' ')): Str {
  const size = asIndex(width, 0);
  const filler = asStr(fill, 'The fill character');
  if (filler.length() !== 1) raise('TypeError', 'The fill character must be exactly one character long');
  return padded(str, size, share, filler);
}

function zeroFilled(str: Str, width: Value): Str {
  const sign = str.part(0, /^[+-]/.test(str.text) ? 1 : 0);
  const digits = str.part(sign.units, str.units);
  return concatenated(sign, padded(digits, asIndex(width, 0) - sign.units, before, literal('0')));
}

/** How much of the padding goes before a text: all, nothing, or about half, as `center` has it. */
export const before = (missing: number): number => missing;
export const after = (): number => 0;
export const centered = (missing: number, width: number): number => (missing >> 1) + (missing & width & 1);

const ASCII = /^[\0-\x7f]*$/;

/** The lower-case letter; a sigma at the end of a word has its own form. */
function lowerAt(text: string, character: string, at: number): string {
  if (character !== 'Σ') return unicode.lowerOf(character);
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

export const TEXT_METHODS: [string, Method<Str>][] = [
  ...taking<Str>({
    'strip(chars=, /)': (self, chars) => stripped(self, chars, 'both'),
    'lstrip(chars=, /)': (self, chars) => stripped(self, chars, 'left', 'lstrip'),
    'rstrip(chars=, /)': (self, chars) => stripped(self, chars, 'right', 'rstrip'),
    'replace(old, new, count=, /)': (self, old, by, count) =>
      replaced(self, asStr(old, 'replace() argument 1'), asStr(by, 'replace() argument 2'), asIndex(count, -1)),
    'join(iterable, /)': (self, iterable) => joined(self, itemsOf(iterable), strAt),
    'startswith(prefix, start=, end=, /)': (self, sub, start, end) => hasAtEdge(self, 'start', sub, start, end),
    'endswith(suffix, start=, end=, /)': (self, sub, start, end) => hasAtEdge(self, 'end', sub, start, end),
    'find(sub, start=, end=, /)': (self, sub, start, end) => find(self, false, sub, start, end),
    'rfind(sub, start=, end=, /)': (self, sub, start, end) => find(self, true, sub, start, end),
    'index(sub, start=, end=, /)': (self, sub, start, end) => index(find(self, false, sub, start, end)),
    'rindex(sub, start=, end=, /)': (self, sub, start, end) => index(find(self, true, sub, start, end)),
    'count(sub, start=, end=, /)': (self, sub, start, end) => count(self, sub, start, end),
    'partition(sep, /)': (self, value) => partition(self, false, value),
    'rpartition(sep, /)': (self, value) => partition(self, true, value),
    'removeprefix(prefix, /)': (self, value) => withoutPrefix(self, value),
    'removesuffix(suffix, /)': (self, value) => withoutSuffix(self, value),
    'split(sep=, maxsplit=)': (self, separator, limit) => split(self, false, separator, limit),
    'rsplit(sep=, maxsplit=)': (self, separator, limit) => split(self, true, separator, limit),
    'splitlines(keepends=)': (self, keepEnds) => new List(lines(self, asIndex(keepEnds, 0) !== 0)),
    'center(width, fillchar=, /)': (self, width, fill) => justified(self, centered, width, fill),
    'ljust(width, fillchar=, /)': (self, width, fill) => justified(self, after, width, fill),
    'rjust(width, fillchar=, /)': (self, width, fill) => justified(self, before, width, fill),
    'zfill(width, /)': (self, width) => zeroFilled(self, width),
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
  }),
  ['format', formatFields],
];
