// Rarely used methods of str: padding, formatting, translating.

import { checkLength, reserve, scan, spend } from '../budget.js';
import { raise } from '../errors.js';
import { formatFields } from '../format/fields.js';
import { asIndex, asStr } from '../values/arguments.js';
import { encoded } from '../values/bytes.js';
import { bind, type Method, signature } from '../values/callable.js';
import { Dict } from '../values/dict.js';
import { type Keywords, PyObject, type Value, valueOr, typeName } from '../values/object.js';
import { intOf } from '../values/operators.js';
import { literal, Str, TextBuilder } from '../values/str.js';
import { Undefined } from '../values/undefined.js';
import { repr } from '../values/writer.js';
import { asArgument } from './markup.js';
import { widthAt } from './text.js';

/** Pads a text to a width in characters; `share` gives how much of the padding goes before the text. */
export function justified(str: Str, [width, fill]: readonly (Value | undefined)[], share: (missing: number, width: number) => number): Str {
  const size = asIndex(width, 0);
  const filler = fill === undefined ? literal(' ') : asArgument(str, fill, 'The fill character');
  if (filler.length() !== 1) raise('TypeError', 'The fill character must be exactly one character long');
  const missing = size - str.length();
  if (missing <= 0) return str;
  checkLength(missing);
  reserve(missing);
  const before = share(missing, size);
  const out = new TextBuilder();
  const fillText = (count: number) => count > 0 && out.addText(filler.text.repeat(count), filler.part(0, filler.text.length).origin);
  fillText(before);
  out.add(str);
  fillText(missing - before);
  return out.finish(str.markup);
}

export const centered = (missing: number, width: number): number => (missing >> 1) + (missing & width & 1);

function zeroFilled(str: Str, width: number): Str {
  const missing = width - str.length();
  if (missing <= 0) return str;
  checkLength(missing);
  reserve(missing);
  const sign = /^[+-]/.test(str.text) ? 1 : 0;
  const out = new TextBuilder();
  out.addPart(str, 0, sign);
  out.add(literal('0'.repeat(missing)));
  out.addPart(str, sign, str.text.length);
  return out.finish(str.markup);
}

function expandedTabs(str: Str, size: number): Str {
  const out = new TextBuilder();
  const { text } = str;
  let from = 0;
  let column = 0;
  scan(text.length);
  for (let at = 0; at < text.length; at += widthAt(text, at)) {
    const character = text.charAt(at);
    if (character === '\t') {
      out.addPart(str, from, at);
      from = at + 1;
      const spaces = size > 0 ? size - (column % size) : 0;
      reserve(spaces);
      out.addText(' '.repeat(spaces), str.part(at, at + 1).origin);
      column += spaces;
    } else {
      column = character === '\n' || character === '\r' ? 0 : column + 1;
    }
  }
  out.addPart(str, from, text.length);
  return out.finish(str.markup);
}

function formatMap(self: Str, args: readonly Value[], keywords: Keywords): Str {
  if (keywords.size > 0) raise('TypeError', 'format_map() takes no keyword arguments');
  if (args.length !== 1) raise('TypeError', `format_map() takes exactly one argument (${args.length} given)`);
  const map = args[0] as Value;
  return formatFields(self, {
    byIndex: () => raise('IndexError', 'tuple index out of range'),
    byName: (name) => {
      if (map instanceof Dict) return valueOr(map.getText(name), () => raise('KeyError', repr(literal(name)).text));
      return raise('TypeError', `'${typeName(map)}' object is not subscriptable`);
    },
  });
}

function translated(self: Str, table: Value | undefined): Str {
  const out = new TextBuilder();
  const { text } = self;
  const isTable = table instanceof PyObject && table.hasItems() && !(table instanceof Undefined);
  for (let at = 0; at < text.length; at += widthAt(text, at)) {
    spend(1);
    const code = text.codePointAt(at) as number;
    const to = isTable ? table.item(code) : raise('TypeError', `'${typeName(table ?? null)}' object is not subscriptable`);
    const width = widthAt(text, at);
    if (to === undefined) out.addPart(self, at, at + width);
    else if (to instanceof Str) out.add(to);
    else if (to !== null)
      out.addText(
        String.fromCodePoint(Number(intOf(to) ?? raise('TypeError', 'character mapping must return integer, None or str'))),
        self.part(at, at + width).origin,
      );
  }
  return out.finish(self.markup);
}

function makeTable(args: readonly Value[]): Dict {
  const table = new Dict();
  const [from, to, without] = args;
  if (args.length === 1) {
    if (!(from instanceof Dict)) return raise('TypeError', 'if you give only one argument to maketrans it must be a dict');
    for (const { key, value } of from.entries()) {
      if (key instanceof Str && key.length() !== 1) return raise('ValueError', 'string keys in translate table must be of length 1');
      table.set(key instanceof Str ? (key.text.codePointAt(0) as number) : key, value);
    }
    return table;
  }
  const [a, b] = [asStr(from, 'first maketrans argument'), asStr(to, 'second maketrans argument')];
  if (a.length() !== b.length()) return raise('ValueError', 'the first two maketrans arguments must have equal length');
  const targets = Array.from(b.text);
  Array.from(a.text).forEach((character, index) =>
    table.set(character.codePointAt(0) as number, (targets[index] as string).codePointAt(0) as number),
  );
  if (without !== undefined)
    for (const character of asStr(without, 'third maketrans argument').text) table.set(character.codePointAt(0) as number, null);
  return table;
}

function format(self: Str, args: readonly Value[], keywords: Keywords): Str {
  return formatFields(self, {
    byIndex: (index) =>
      valueOr(args[index], () => raise('IndexError', `Replacement index ${index} out of range for positional args tuple`)),
    byName: (name) => valueOr(keywords.get(name), () => raise('KeyError', repr(literal(name)).text)),
  });
}

const WIDTH = signature('center(width, fillchar=, /)');
const ENCODE = signature('encode(encoding=, errors=)');
const TABS = signature('expandtabs(tabsize=)');
const ONE = signature('str(value, /)');

export const RARE_TEXT_METHODS: [string, Method<Str>][] = [
  ['center', (self, args, keywords) => justified(self, bind(WIDTH, args, keywords), centered)],
  ['ljust', (self, args, keywords) => justified(self, bind(WIDTH, args, keywords), () => 0)],
  ['rjust', (self, args, keywords) => justified(self, bind(WIDTH, args, keywords), (missing) => missing)],
  ['zfill', (self, args, keywords) => zeroFilled(self, asIndex(bind(ONE, args, keywords)[0], 0))],
  ['expandtabs', (self, args, keywords) => expandedTabs(self, asIndex(bind(TABS, args, keywords)[0], 8))],
  [
    'encode',
    (self, args, keywords) => {
      const [encoding, errors] = bind(ENCODE, args, keywords);
      return encoded(
        self,
        encoding === undefined ? 'utf-8' : asStr(encoding, 'encode() argument 1').text,
        errors === undefined ? 'strict' : asStr(errors, 'encode() argument 2').text,
      );
    },
  ],
  ['format_map', formatMap],
  ['translate', (self, args, keywords) => translated(self, bind(ONE, args, keywords)[0])],
  ['maketrans', (_self, args) => makeTable(args)],
  ['format', format],
];
