// Text filters that few templates use.

import { spend } from '../budget.js';
import { raise } from '../errors.js';
import { formatPercent } from '../format/percent.js';
import { lower, upper } from '../methods/case.js';
import { centered, justified } from '../methods/rare-text.js';
import { SPLIT_METHODS } from '../methods/split.js';
import { widthAt } from '../methods/text.js';
import { ALPHANUMERIC, flagsOf } from '../unicode/characters.js';
import { asIndex, asStr } from '../values/arguments.js';
import { getSlice } from '../values/attributes.js';
import { NO_KEYWORDS } from '../values/callable.js';
import { truthy } from '../values/compare.js';
import { isIterable, itemsOf, type List, Tuple } from '../values/containers.js';
import { Dict } from '../values/dict.js';
import { type Keywords, PyObject, type Value, typeName } from '../values/object.js';
import { add } from '../values/operators.js';
import { Safe } from '../values/safe.js';
import { derived, literal, Str, TextBuilder } from '../values/str.js';
import { softStr, toStr } from '../values/writer.js';
import { type Filter, filter } from './define.js';

/** Capitalizes each word; words begin after white space, hyphens and opening brackets. */
function title(value: Value): Str {
  const str = softStr(value);
  const { text } = str;
  const out = new TextBuilder();
  let from = 0;
  const word = (to: number) => {
    if (from >= to) return;
    const first = from + widthAt(text, from);
    out.add(upper(str.part(from, first)));
    out.add(lower(str.part(first, to)));
  };
  for (const { 0: separator, index } of text.matchAll(/[-({[<\t-\r\x1c- \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/g)) {
    spend(1);
    word(index);
    from = index + separator.length;
    out.addPart(str, index, from);
  }
  word(text.length);
  return out.finish();
}

function truncate(value: Value, length: Value, killWords: Value, end: Value, leeway: Value): Value {
  const most = asIndex(length, 255);
  const ending = asStr(end, 'end');
  const slack = leeway === null ? 5 : asIndex(leeway, 5);
  if (most < ending.length()) raise('AssertionError', `expected length >= ${ending.length()}, got ${most}`);
  if (slack < 0) raise('AssertionError', `expected leeway >= 0, got ${slack}`);
  if (value instanceof Safe) value.refuse();
  const size = value instanceof PyObject ? value.length() : raise('TypeError', `object of type '${typeName(value)}' has no len()`);
  if (size <= most + slack) return value;
  const cut = getSlice(value, null, most - ending.length(), null);
  if (truthy(killWords)) return add(cut, ending);
  if (!(cut instanceof Str)) return raise('AttributeError', `'${typeName(cut)}' object has no attribute 'rsplit'`);
  const words = (SPLIT_METHODS.get('rsplit') as NonNullable<ReturnType<typeof SPLIT_METHODS.get>>)(
    cut,
    [literal(' '), 1],
    NO_KEYWORDS,
  ) as List;
  return add(words.items[0] as Value, ending);
}

/** Runs of letters, digits and underscores. */
function wordCount(value: Value): number {
  const { text } = softStr(value);
  let count = 0;
  let inWord = false;
  for (const character of text) {
    const isPart = character === '_' || (flagsOf(character.codePointAt(0) as number) & ALPHANUMERIC) !== 0;
    if (isPart && !inWord) count++;
    inWord = isPart;
  }
  return count;
}

/** As UTF-8, percent-encoded. In a query, also slashes, and a space becomes a plus. */
function quoted(value: Value, isQuery: boolean): Str {
  const str = toStr(value);
  const text = encodeURIComponent(str.text).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
  return derived(isQuery ? text.replaceAll('%20', '+') : text.replaceAll('%2F', '/'), str);
}

function urlEncode(value: Value): Str {
  if (value instanceof Str || !isIterable(value)) return quoted(value, false);
  const pairs = value instanceof Dict ? Array.from(value.entries(), ({ key, value: of }) => new Tuple([key, of])) : itemsOf(value);
  const out = new TextBuilder();
  pairs.forEach((pair, index) => {
    const items = itemsOf(pair);
    if (items.length !== 2)
      raise(
        'ValueError',
        items.length < 2 ? `not enough values to unpack (expected 2, got ${items.length})` : 'too many values to unpack (expected 2)',
      );
    if (index > 0) out.add(literal('&'));
    out.add(quoted(items[0] as Value, true));
    out.add(literal('='));
    out.add(quoted(items[1] as Value, true));
  });
  return out.finish();
}

function format(value: Value, args: readonly Value[], keywords: Keywords): Value {
  if (args.length > 0 && keywords.length() > 0)
    raise('FilterArgumentError', "can't handle positional and keyword arguments at the same time");
  if (keywords.length() === 0) return formatPercent(softStr(value), new Tuple(args));
  const named = new Dict();
  for (const { key, value: each } of keywords.entries()) named.set(key, each);
  return formatPercent(softStr(value), named);
}

export const RARE_TEXT_FILTERS: [string, Filter][] = [
  ['center', filter('center(width=)', (value, width = 80) => justified(softStr(value), [width], centered))],
  ['title', filter('title()', title)],
  ['urlencode', filter('urlencode()', urlEncode)],
  ['wordcount', filter('wordcount()', wordCount)],
  ['format', format],
  [
    'truncate',
    filter('truncate(length=, killwords=, end=, leeway=)', (value, length = 255, killWords = false, end = literal('...'), leeway = null) =>
      truncate(value, length, killWords, end, leeway),
    ),
  ],
];
