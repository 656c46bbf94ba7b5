// Methods of str that look for other texts.

import { scan } from '../budget.js';
import { raise } from '../errors.js';
import { asBound, asStr, within } from '../values/arguments.js';
import { bind, type Method, signature } from '../values/callable.js';
import { Tuple } from '../values/containers.js';
import { type Keywords, type Value, typeName } from '../values/object.js';
import { Str } from '../values/str.js';

const SEARCH = signature('find(sub, start=, end=, /)');

/** The argument, and the part of the text to look in, in UTF-16 units; no part if it begins behind the end. */
function search(self: Str, args: readonly Value[], keywords: Keywords): { sub: Value; from: number; to: number } | undefined {
  const [sub, start, end] = bind(SEARCH, args, keywords);
  scan(self.text.length);
  if (args.length === 1) return { sub: sub as Value, from: 0, to: self.text.length };
  const length = self.length();
  const [from, to] = within(asBound(start, 0), asBound(end, Infinity), length);
  return from > length || from > to ? undefined : { sub: sub as Value, from: self.unit(from), to: self.unit(to) };
}

/** The character index of a text; -1 if it is not there. */
function find(self: Str, args: readonly Value[], keywords: Keywords, last: boolean): number {
  asStr(args[0], `${last ? 'rfind' : 'find'}() argument 1`);
  const where = search(self, args, keywords);
  if (!where) return -1;
  const { text } = where.sub as Str;
  const { from, to } = where;
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
  const { text } = where.sub as Str;
  const { from, to } = where;
  if (text === '') return self.indexOfUnit(to) - self.indexOfUnit(from) + 1;
  let found = 0;
  for (let at = self.text.indexOf(text, from); at >= 0 && at + text.length <= to; at = self.text.indexOf(text, at + text.length)) found++;
  return found;
}

function hasAtEdge(self: Str, args: readonly Value[], keywords: Keywords, edge: 'start' | 'end'): boolean {
  const where = search(self, args, keywords);
  const sub = args[0] as Value;
  const affixes = sub instanceof Tuple ? sub.items : [sub];
  for (const affix of affixes) {
    if (!(affix instanceof Str)) {
      const what = sub instanceof Tuple ? `tuple for ${edge}swith must only contain str` : `${edge}swith first arg must be str or a tuple of str`;
      return raise('TypeError', `${what}, not ${typeName(affix)}`);
    }
    if (!where || affix.text.length > where.to - where.from) continue;
    if (edge === 'start' ? self.text.startsWith(affix.text, where.from) : self.text.slice(0, where.to).endsWith(affix.text)) return true;
  }
  return false;
}

export const SEARCH_METHODS = new Map<string, Method<Str>>([
  ['find', (self, args, keywords) => find(self, args, keywords, false)],
  ['rfind', (self, args, keywords) => find(self, args, keywords, true)],
  ['index', (self, args, keywords) => index(self, args, keywords, false)],
  ['rindex', (self, args, keywords) => index(self, args, keywords, true)],
  ['count', count],
  ['startswith', (self, args, keywords) => hasAtEdge(self, args, keywords, 'start')],
  ['endswith', (self, args, keywords) => hasAtEdge(self, args, keywords, 'end')],
]);
