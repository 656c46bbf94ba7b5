// Filters of texts.

import { spend } from '../budget.js';
import { raise } from '../template-errors.js';
import * as texts from '../methods/text-methods.js';
import { formatPercent } from '../format.js';
import { SPACES } from '../unicode/characters.js';
import { getSlice } from '../values/attributes.js';
import { asIndex, asStr, type Filter, taking } from '../values/callable.js';
import { truthy } from '../values/compare.js';
import type { Dict } from '../values/dict.js';
import { itemsOf, List, Tuple } from '../values/list.js';
import { type Keywords, typeName, type Value } from '../values/object.js';
import { add } from '../values/operators.js';
import { Safe } from '../values/safe.js';
import { EMPTY, literal, repeated, Str, TextBuilder } from '../values/text.js';
import { softStr, toStr } from '../values/writer.js';
import { attributeGetter, lengthOf } from './collection-filters.js';

function replace(value: Value, old: Value, by: Value, count: Value = null): Str {
  return texts.replaced(toStr(value), toStr(old), toStr(by), count === null ? -1 : asIndex(count, -1));
}

function join(value: Value, separator: Value = EMPTY, attribute: Value = null): Str {
  const items = itemsOf(value);
  return texts.joined(toStr(separator), attribute === null ? items : items.map(attributeGetter(attribute)), toStr);
}

function indent(value: Value, width: Value = 4, first: Value = false, blank: Value = false): Str {
  const indentation = width instanceof Str ? width : repeated(literal(' '), asIndex(width, 4));
  const newline = literal('\n');
  // A list is extended by the characters of the line break.
  const text = value instanceof List ? value : add(value, newline);
  if (!(text instanceof Str)) return raise('AttributeError', `'${typeName(text)}' object has no attribute 'splitlines'`);
  const out = new TextBuilder();
  texts.lines(text, false).forEach((line, index) => {
    spend(1);
    if (index > 0) out.add(newline);
    if (index > 0 ? line.units > 0 || truthy(blank) : truthy(first)) out.add(indentation);
    out.add(line);
  });
  return out.finish();
}

const BEFORE_WORDS = new RegExp(`[-({[<${SPACES}]+`, 'g');

/** Capitalizes each word; words begin after white space, hyphens and opening brackets. */
function title(value: Value): Str {
  const str = softStr(value);
  const { text } = str;
  const out = new TextBuilder();
  let from = 0;
  const word = (to: number) => {
    if (from >= to) return;
    const first = from + texts.widthAt(text, from);
    out.add(texts.upper(str.part(from, first)));
    out.add(texts.lower(str.part(first, to)));
  };
  for (const { 0: separator, index } of text.matchAll(BEFORE_WORDS)) {
    spend(1);
    word(index);
    from = index + separator.length;
    out.addPart(str, index, from);
  }
  word(text.length);
  return out.finish();
}

function truncate(value: Value, length: Value = 255, killWords: Value = false, end: Value = literal('...'), leeway: Value = null): Value {
  const limit = asIndex(length, 255);
  const ending = asStr(end, 'end');
  const slack = leeway === null ? 5 : asIndex(leeway, 5);
  if (limit < ending.length()) raise('AssertionError', `expected length >= ${ending.length()}, got ${limit}`);
  if (slack < 0) raise('AssertionError', `expected leeway >= 0, got ${slack}`);
  if (value instanceof Safe) value.refuse();
  if (lengthOf(value) <= limit + slack) return value;
  const cut = getSlice(value, null, limit - ending.length(), null);
  if (truthy(killWords)) return add(cut, ending);
  if (!(cut instanceof Str)) return raise('AttributeError', `'${typeName(cut)}' object has no attribute 'rsplit'`);
  return add(texts.split(cut, true, literal(' '), 1).items[0] as Value, ending);
}

function format(value: Value, args: readonly Value[], keywords: Keywords): Value {
  if (args.length > 0 && keywords.length() > 0) raise('FilterArgumentError', 'expected either values or names');
  if (keywords.length() === 0) return formatPercent(softStr(value), new Tuple(args));
  return formatPercent(softStr(value), keywords as Dict);
}

export const TEXT_FILTERS: [string, Filter][] = [
  ...taking<Value>({
    capitalize: (value) => texts.capitalize(softStr(value)),
    'center(width=)': (value, width = 80) => texts.justified(softStr(value), texts.centered, width),
    'indent(width=, first=, blank=)': indent,
    'join(d=, attribute=)': join,
    lower: (value) => texts.lower(softStr(value)),
    'replace(old, new, count=)': replace,
    safe: (value) => (value instanceof Safe ? value : new Safe(toStr(value))),
    string: (value) => (value instanceof Safe ? value : toStr(value)),
    title,
    'trim(chars=)': (value, chars) => texts.stripped(softStr(value), chars, 'both'),
    'truncate(length=, killwords=, end=, leeway=)': truncate,
    upper: (value) => texts.upper(softStr(value)),
  }),
  ['format', format],
];
