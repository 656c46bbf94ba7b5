// Methods of str that strip, replace, pad, join and format.

import { seek, spend } from '../budget.js';
import { raise } from '../errors.js';
import { spaceEnd, spaceStart } from '../unicode/characters.js';
import { asIndex, asStr } from '../values/arguments.js';
import { bind, type Method, signature } from '../values/callable.js';
import { itemsOf } from '../values/containers.js';
import { type Value, typeName } from '../values/object.js';
import { Str, TextBuilder } from '../values/str.js';

export type Side = 'left' | 'right' | 'both';

/** `chars` undefined or None: white space. */
export function stripped(str: Str, chars: Value | undefined, side: Side, name = 'strip'): Str {
  const { text } = str;
  let [from, to] = [0, text.length];
  if (chars === undefined || chars === null) {
    if (side !== 'right') from = spaceEnd(text);
    if (side !== 'left') to = spaceStart(text, to, from);
  } else {
    if (!(chars instanceof Str)) return raise('TypeError', `${name} arg must be None or str, not ${typeName(chars)}`);
    spend(chars.units >>> 3);
    const set = new Set(chars.text);
    if (side !== 'right') {
      for (let width = widthAt(text, from); from < to && set.has(text.slice(from, from + width)); width = widthAt(text, from))
        from += width;
    }
    if (side !== 'left') {
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

const CHARS = signature('strip(chars=, /)');
const REPLACE = signature('replace(old, new, count=, /)');
const ONE = signature('str(value, /)');

export const TEXT_METHODS = new Map<string, Method<Str>>([
  ['strip', (self, args, keywords) => stripped(self, bind(CHARS, args, keywords)[0], 'both')],
  ['lstrip', (self, args, keywords) => stripped(self, bind(CHARS, args, keywords)[0], 'left', 'lstrip')],
  ['rstrip', (self, args, keywords) => stripped(self, bind(CHARS, args, keywords)[0], 'right', 'rstrip')],
  [
    'replace',
    (self, args, keywords) => {
      const [old, by, count] = bind(REPLACE, args, keywords);
      return replaced(self, asStr(old, 'replace() argument 1'), asStr(by, 'replace() argument 2'), asIndex(count, -1));
    },
  ],
  [
    'join',
    (self, args, keywords) => {
      const [iterable] = bind(ONE, args, keywords);
      const toText = (value: Value, index: number) => {
        return value instanceof Str ? value : raise('TypeError', `sequence item ${index}: expected str instance, ${typeName(value)} found`);
      };
      return joined(self, itemsOf(iterable as Value), toText);
    },
  ],
]);
