// Filters from text to text.

import { autoescapes } from '../autoescape.js';
import { checkLength, reserve, spend } from '../budget.js';
import { raise } from '../errors.js';
import { capitalize, lower, upper } from '../methods/case.js';
import { lines } from '../methods/split.js';
import { joined, replaced, stripped } from '../methods/text.js';
import { asIndex } from '../values/arguments.js';
import { truthy } from '../values/compare.js';
import { itemsOf, List } from '../values/containers.js';
import { escape } from '../values/markup.js';
import { type Value, typeName } from '../values/object.js';
import { add } from '../values/operators.js';
import { EMPTY, literal, Str, TextBuilder } from '../values/str.js';
import { softStr, toStr } from '../values/writer.js';
import { type Filter, filter } from './define.js';
import { attributeGetter } from './getters.js';

function replace(value: Value, old: Value, by: Value, count: Value | undefined): Str {
  const most = count === undefined || count === null ? -1 : asIndex(count, -1);
  if (!autoescapes()) return replaced(toStr(value), toStr(old), toStr(by), most);
  const isMarkup = (each: Value) => each instanceof Str && each.markup;
  const text = isMarkup(old) || (isMarkup(by) && !isMarkup(value)) ? escape(value) : softStr(value);
  return replaced(text, softStr(old), text.markup ? escape(softStr(by)) : softStr(by), most);
}

function join(value: Value, separator: Value, attribute: Value | undefined): Str {
  let items = itemsOf(value);
  if (attribute !== undefined && attribute !== null) items = items.map(attributeGetter(attribute));
  if (!autoescapes()) return joined(toStr(separator), items, toStr);
  const isMarkup = (each: Value) => each instanceof Str && each.markup;
  if (!isMarkup(separator) && !items.some(isMarkup)) return joined(toStr(separator), items, toStr);
  const between = isMarkup(separator) || items.some(isMarkup) ? escape(separator) : toStr(separator);
  return joined(between, items, escape);
}

function indent(value: Value, width: Value, first: Value, blank: Value): Value {
  let indentation: Str;
  if (width instanceof Str) indentation = width;
  else {
    const count = Math.max(0, asIndex(width, 4));
    checkLength(count);
    indentation = literal(' '.repeat(count));
  }
  const isMarkup = value instanceof Str && value.markup;
  const newline = new Str('\n', EMPTY.origin, isMarkup);
  indentation = indentation.as(isMarkup);
  // A list is extended by the characters of the line break.
  const text = value instanceof List ? value : add(value, newline);
  if (!(text instanceof Str)) return raise('AttributeError', `'${typeName(text)}' object has no attribute 'splitlines'`);
  const out = new TextBuilder();
  lines(text, false).forEach((line, index) => {
    spend(1);
    reserve(indentation.text.length);
    if (index > 0) out.add(newline);
    if (index > 0 ? line.text !== '' || truthy(blank) : truthy(first)) out.add(indentation);
    out.add(line);
  });
  return out.finish(isMarkup);
}

export const TEXT_FILTERS: [string, Filter][] = [
  ['capitalize', filter('capitalize()', (value) => capitalize(softStr(value)))],
  ['e', filter('escape()', escape)],
  ['escape', filter('escape()', escape)],
  [
    'indent',
    filter('indent(width=, first=, blank=)', (value, width = 4, first = false, blank = false) => indent(value, width, first, blank)),
  ],
  ['join', filter('join(d=, attribute=)', (value, separator = EMPTY, attribute) => join(value, separator, attribute))],
  ['lower', filter('lower()', (value) => lower(softStr(value)))],
  ['replace', filter('replace(old, new, count=)', (value, old, by, count) => replace(value, old as Value, by as Value, count))],
  ['safe', filter('safe()', (value) => softStr(value).as(true))],
  ['string', filter('string()', softStr)],
  ['trim', filter('trim(chars=)', (value, chars) => stripped(softStr(value), chars, 'both'))],
  ['upper', filter('upper()', (value) => upper(softStr(value)))],
];
