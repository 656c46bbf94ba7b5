// All filters and tests by name, and the filters that call others, element by element: map, select, reject and the like.

import { raise, unsupported } from '../errors.js';
import { isNamed, SIMPLE_TESTS } from '../tests.js';
import { type Filter, taking } from '../values/callable.js';
import { equal, truthy } from '../values/compare.js';
import { generator, valuesIn } from '../values/list.js';
import { has, type Keywords, type Value } from '../values/object.js';
import { literal, quotedText, Str } from '../values/text.js';
import { repr } from '../values/writer.js';
import { attributeGetter, COLLECTION_FILTERS } from './collections.js';
import { toJson } from './json.js';
import { NUMBER_FILTERS } from './numbers.js';
import { TEXT_FILTERS } from './text.js';

/** Randomness, pages of HTML and the breaking of lines have no place in a prompt. */
const REFUSED = ['e', 'escape', 'forceescape', 'pprint', 'random', 'striptags', 'urlize', 'wordwrap', 'xmlattr'];

/** Calls a filter or test whose name is a value. */
function called(kind: 'filter' | 'test', name: Value, value: Value, args: readonly Value[], keywords: Keywords): Value {
  const found = name instanceof Str ? (kind === 'filter' ? FILTERS : TESTS).get(name.text) : undefined;
  if (found) return found(value, args, keywords);
  return raise('TemplateRuntimeError', `No ${kind} named ${repr(name).text}.`);
}

/** What `map` makes of an element. */
function change(args: readonly Value[], keywords: Keywords): (item: Value) => Value {
  const attribute = keywords.getText('attribute');
  if (args.length === 0 && attribute !== undefined) {
    for (const { key } of keywords.entries())
      if (!equal(key, literal('attribute')) && !equal(key, literal('default')))
        raise('FilterArgumentError', `Unexpected keyword argument ${repr(key).text}`);
    return attributeGetter(attribute, keywords.getText('default') ?? null);
  }
  const [name, ...rest] = args;
  if (name === undefined) return raise('FilterArgumentError', 'map requires a filter argument');
  return (item) => called('filter', name, item, rest, keywords);
}

function map(value: Value, args: readonly Value[], keywords: Keywords): Value {
  const body = function* () {
    if (!truthy(value)) return;
    const of = change(args, keywords);
    for (const item of valuesIn(value)) yield of(item);
  };
  return generator(body, () => (has(value, 'iterate') ? (value.iterate().atLeast?.() ?? 0) : 0));
}

/** Whether an element passes the test named by the arguments; without a name, whether it is true. */
function condition(args: readonly Value[], keywords: Keywords, ofAttribute: boolean): (item: Value) => boolean {
  if (ofAttribute && args.length === 0) raise('FilterArgumentError', 'Missing parameter for attribute name');
  const of = ofAttribute ? attributeGetter(args[0] as Value) : (item: Value) => item;
  const [name, ...more] = ofAttribute ? args.slice(1) : args;
  if (name === undefined) return (item) => truthy(of(item));
  return (item) => truthy(called('test', name, of(item), more, keywords));
}

const choose =
  (wanted: boolean, ofAttribute: boolean): Filter =>
  (value, args, keywords) =>
    generator(function* () {
      if (!truthy(value)) return;
      const passes = condition(args, keywords, ofAttribute);
      for (const item of valuesIn(value)) if (passes(item) === wanted) yield item;
    });

export const FILTERS: ReadonlyMap<string, Filter> = new Map<string, Filter>([
  ...TEXT_FILTERS,
  ...COLLECTION_FILTERS,
  ...NUMBER_FILTERS,
  ...taking({ 'tojson(ensure_ascii=, indent=, separators=, sort_keys=)': toJson }),
  ['map', map],
  ['select', choose(true, false)],
  ['reject', choose(false, false)],
  ['selectattr', choose(true, true)],
  ['rejectattr', choose(false, true)],
  ...REFUSED.map((name): [string, Filter] => [name, () => unsupported(`the filter ${quotedText(name)}`)]),
]);

export const TESTS: ReadonlyMap<string, Filter> = new Map<string, Filter>([
  ...SIMPLE_TESTS,
  ...taking<Value>({ filter: (value) => isNamed(FILTERS, value), test: (value) => isNamed(TESTS, value) }),
]);
