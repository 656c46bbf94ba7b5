// Rarely used methods of str: padding, formatting, translating.

import { raise } from '../errors.js';
import { formatFields } from '../format/fields.js';
import { asIndex, asStr } from '../values/arguments.js';
import { bind, type Method, signature } from '../values/callable.js';
import { type Keywords, type Value, valueOr } from '../values/object.js';
import { concatenated, derived, literal, quotedText, repeated, type Str, TextBuilder } from '../values/str.js';
import { widthAt } from './text.js';

/** Pads a text to a width in characters; `share` gives how much of the padding goes before the text. */
export function justified(str: Str, [width, fill]: readonly (Value | undefined)[], share: (missing: number, width: number) => number): Str {
  const size = asIndex(width, 0);
  const filler = fill === undefined ? literal(' ') : asStr(fill, 'The fill character');
  if (filler.length() !== 1) raise('TypeError', 'The fill character must be exactly one character long');
  const missing = size - str.length();
  if (missing <= 0) return str;
  const before = share(missing, size);
  return concatenated(concatenated(repeated(filler, before), str), repeated(filler, missing - before));
}

export const centered = (missing: number, width: number): number => (missing >> 1) + (missing & width & 1);

function zeroFilled(str: Str, width: number): Str {
  const missing = width - str.length();
  if (missing <= 0) return str;
  const sign = /^[+-]/.test(str.text) ? 1 : 0;
  return concatenated(concatenated(str.part(0, sign), repeated(literal('0'), missing)), str.part(sign, str.units));
}

function expandedTabs(str: Str, size: number): Str {
  const out = new TextBuilder();
  const { text } = str;
  let from = 0;
  let column = 0;
  for (let at = 0; at < text.length; at += widthAt(text, at)) {
    const character = text.charAt(at);
    if (character === '\t') {
      out.addPart(str, from, at);
      from = at + 1;
      const spaces = size > 0 ? size - (column % size) : 0;
      out.add(repeated(derived(' ', str.part(at, at + 1)), spaces));
      column += spaces;
    } else {
      column = character === '\n' || character === '\r' ? 0 : column + 1;
    }
  }
  out.addPart(str, from, text.length);
  return out.finish();
}

function format(self: Str, args: readonly Value[], keywords: Keywords): Str {
  return formatFields(self, {
    byIndex: (index) =>
      valueOr(args[index], () => raise('IndexError', `Replacement index ${index} out of range for positional args tuple`)),
    byName: (name) => valueOr(keywords.getText(name), () => raise('KeyError', quotedText(name))),
  });
}

const WIDTH = signature('center(width, fillchar=, /)');
const TABS = signature('expandtabs(tabsize=)');
const ONE = signature('str(value, /)');

export const RARE_TEXT_METHODS: [string, Method<Str>][] = [
  ['center', (self, args, keywords) => justified(self, bind(WIDTH, args, keywords), centered)],
  ['ljust', (self, args, keywords) => justified(self, bind(WIDTH, args, keywords), () => 0)],
  ['rjust', (self, args, keywords) => justified(self, bind(WIDTH, args, keywords), (missing) => missing)],
  ['zfill', (self, args, keywords) => zeroFilled(self, asIndex(bind(ONE, args, keywords)[0], 0))],
  ['expandtabs', (self, args, keywords) => expandedTabs(self, asIndex(bind(TABS, args, keywords)[0], 8))],
  ['format', format],
];
