// Methods of str that search for other texts, and split there.

import { seek, spend } from '../budget.js';
import { raise } from '../errors.js';
import { asIndex, asStr } from '../values/arguments.js';
import { bind, type Method, signature } from '../values/callable.js';
import { List, Tuple } from '../values/containers.js';
import type { Keywords, Value } from '../values/object.js';
import type { Str } from '../values/str.js';
import { search } from './search.js';
import { lines } from './split.js';

const LINES = signature('splitlines(keepends=)');
const ONE = signature('str(value, /)');

/** The character index of a text; -1 if it does not occur. */
function find(self: Str, args: readonly Value[], keywords: Keywords, last: boolean): number {
  asStr(args[0], `${last ? 'rfind' : 'find'}() argument 1`);
  const where = search(self, args, keywords);
  if (!where) return -1;
  const { text } = where.sub as Str;
  const { from, to } = where;
  seek(to - from, text.length);
  const at = last ? self.text.lastIndexOf(text, to - text.length) : self.text.indexOf(text, from);
  return at < from || at + text.length > to ? -1 : self.indexOfUnit(at);
}

function index(self: Str, args: readonly Value[], keywords: Keywords, last: boolean): number {
  const found = find(self, args, keywords, last);
  return found < 0 ? raise('ValueError', 'substring not found') : found;
}

function count(self: Str, args: readonly Value[], keywords: Keywords): number {
  asStr(args[0], 'count() argument 1');
  const where = search(self, args, keywords);
  if (!where) return 0;
  const { text: all } = self;
  const { text } = where.sub as Str;
  const { from, to } = where;
  seek(to - from, text.length);
  if (text === '') return self.indexOfUnit(to) - self.indexOfUnit(from) + 1;
  let found = 0;
  for (let at = all.indexOf(text, from); at >= 0 && at + text.length <= to; at = all.indexOf(text, at + text.length)) {
    spend(1);
    found++;
  }
  return found;
}

function partition(self: Str, args: readonly Value[], keywords: Keywords, last: boolean): Tuple {
  const { text: separator } = asStr(bind(ONE, args, keywords)[0], 'partition() argument');
  if (separator === '') raise('ValueError', 'empty separator');
  const { text } = self;
  seek(text.length, separator.length);
  const at = last ? text.lastIndexOf(separator) : text.indexOf(separator);
  const none = self.part(0, 0);
  if (at < 0) return new Tuple(last ? [none, none, self] : [self, none, none]);
  const end = at + separator.length;
  return new Tuple([self.part(0, at), self.part(at, end), self.part(end, text.length)]);
}

export const RARE_SEARCH_METHODS: [string, Method<Str>][] = [
  ['find', (self, args, keywords) => find(self, args, keywords, false)],
  ['rfind', (self, args, keywords) => find(self, args, keywords, true)],
  ['index', (self, args, keywords) => index(self, args, keywords, false)],
  ['rindex', (self, args, keywords) => index(self, args, keywords, true)],
  ['count', count],
  ['splitlines', (self, args, keywords) => new List(lines(self, asIndex(bind(LINES, args, keywords)[0], 0) !== 0))],
  ['partition', (self, args, keywords) => partition(self, args, keywords, false)],
  ['rpartition', (self, args, keywords) => partition(self, args, keywords, true)],
  [
    'removeprefix',
    (self, args, keywords) => {
      const { text } = asStr(bind(ONE, args, keywords)[0], 'removeprefix() argument');
      return self.text.startsWith(text) ? self.part(text.length, self.units) : self;
    },
  ],
  [
    'removesuffix',
    (self, args, keywords) => {
      const { text } = asStr(bind(ONE, args, keywords)[0], 'removesuffix() argument');
      return text !== '' && self.text.endsWith(text) ? self.part(0, self.units - text.length) : self;
    },
  ],
];
