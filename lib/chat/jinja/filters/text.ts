// Filters from text to text.

import { spend } from '../budget.js';
import { raise } from '../errors.js';
import { capitalize, lower, upper } from '../methods/case.js';
import { lines } from '../methods/split.js';
import { joined, replaced, stripped } from '../methods/text.js';
import { asIndex } from '../values/arguments.js';
import { truthy } from '../values/compare.js';
import { itemsOf, List } from '../values/containers.js';
import { type Value, typeName } from '../values/object.js';
import { add } from '../values/operators.js';
import { escaped, Safe } from '../values/safe.js';
import { EMPTY, literal, repeated, Str, TextBuilder } from '../values/str.js';
import { softStr, toStr } from '../values/writer.js';
import { type Filter, filter } from './define.js';
import { attributeGetter } from './getters.js';

function replace(value: Value, old: Value, by: Value, count: Value | undefined): Str {
  const most = count === undefined || count === null ? -1 : asIndex(count, -1);
  return replaced(toStr(value), toStr(old), toStr(by), most);
}

function join(value: Value, separator: Value, attribute: Value | undefined): Str {
  let items = itemsOf(value);
  if (attribute !== undefined && attribute !== null) items = items.map(attributeGetter(attribute));
  return joined(toStr(separator), items, toStr);
}

function indent(value: Value, width: Value, first: Value, blank: Value): Value {
  const indentation = width instanceof Str ? width : repeated(literal(' '), asIndex(width, 4));
  const newline = literal('\n');
  // A list is extended by the characters of the line break.
  const text = value instanceof List ? value : add(value, newline);
  if (!(text instanceof Str)) return raise('AttributeError', `'${typeName(text)}' object has no attribute 'splitlines'`);
  const out = new TextBuilder();
  lines(text, false).forEach((line, index) => {
    spend(1);
    if (index > 0) out.add(newline);
    if (index > 0 ? line.units > 0 || truthy(blank) : truthy(first)) out.add(indentation);
    out.add(line);
  });
  return out.finish();
}

function escape(value: Value): Value {
  return escaped(value instanceof Safe ? value : toStr(value));
}

export const TEXT_FILTERS: [string, Filter][] = [
  ['e', filter('escape()', escape)],
  ['escape', filter('escape()', escape)],
  ['capitalize', filter('capitalize()', (value) => capitalize(softStr(value)))],
  [
    'indent',
    filter('indent(width=, first=, blank=)', (value, width = 4, first = false, blank = false) => indent(value, width, first, blank)),
  ],
  ['join', filter('join(d=, attribute=)', (value, separator = EMPTY, attribute) => join(value, separator, attribute))],
  ['lower', filter('lower()', (value) => lower(softStr(value)))],
  ['replace', filter('replace(old, new, count=)', (value, old, by, count) => replace(value, old as Value, by as Value, count))],
  ['safe', filter('safe()', (value) => (value instanceof Safe ? value : new Safe(toStr(value))))],
  ['string', filter('string()', (value) => (value instanceof Safe ? value : toStr(value)))],
  ['trim', filter('trim(chars=)', (value, chars) => stripped(softStr(value), chars, 'both'))],
  ['upper', filter('upper()', (value) => upper(softStr(value)))],
];
