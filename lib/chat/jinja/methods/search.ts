// Methods of str that check for another text.

import { raise } from '../errors.js';
import { asBound, within } from '../values/arguments.js';
import { bind, type Method, signature } from '../values/callable.js';
import { Tuple } from '../values/containers.js';
import { type Keywords, type Value, typeName } from '../values/object.js';
import { Str } from '../values/str.js';

const SEARCH = signature('find(sub, start=, end=, /)');

/** The argument, and the range of the text to search, in UTF-16 units; no range if it begins past the end. */
export function search(self: Str, args: readonly Value[], keywords: Keywords): { sub: Value; from: number; to: number } | undefined {
  const [sub, start, end] = bind(SEARCH, args, keywords);
  if (args.length === 1) return { sub: sub as Value, from: 0, to: self.units };
  const length = self.length();
  const [from, to] = within(asBound(start, 0), asBound(end, Infinity), length);
  return from > length || from > to ? undefined : { sub: sub as Value, from: self.unit(from), to: self.unit(to) };
}

function hasAtEdge(self: Str, args: readonly Value[], keywords: Keywords, edge: 'start' | 'end'): boolean {
  const where = search(self, args, keywords);
  const sub = args[0] as Value;
  const affixes = sub instanceof Tuple ? sub.items : [sub];
  for (const affix of affixes) {
    if (!(affix instanceof Str)) {
      const what =
        sub instanceof Tuple ? `tuple for ${edge}swith must only contain str` : `${edge}swith first arg must be str or a tuple of str`;
      return raise('TypeError', `${what}, not ${typeName(affix)}`);
    }
    if (!where || affix.units > where.to - where.from) continue;
    if (edge === 'start' ? self.text.startsWith(affix.text, where.from) : self.text.endsWith(affix.text, where.to)) return true;
  }
  return false;
}

export const SEARCH_METHODS = new Map<string, Method<Str>>([
  ['startswith', (self, args, keywords) => hasAtEdge(self, args, keywords, 'start')],
  ['endswith', (self, args, keywords) => hasAtEdge(self, args, keywords, 'end')],
]);
