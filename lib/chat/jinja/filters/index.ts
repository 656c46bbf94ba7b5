// All filters and tests by name, and the filters that call others, element by element: map, select, reject and the like.

import { raise, unsupported } from '../template-errors.js';
import { isCase } from '../methods/text-methods.js';
import { LOWERCASE, UPPERCASE } from '../unicode/characters.js';
import { type Filter, taking } from '../values/callable.js';
import { equal, hashOf, isSame, truthy } from '../values/compare.js';
import { Dict } from '../values/dict.js';
import { generator, valuesIn } from '../values/list.js';
import { Float } from '../values/numbers.js';
import { has, type Keywords, type Value } from '../values/object.js';
import { type Comparison, COMPARISONS, modulo } from '../values/operators.js';
import { Safe } from '../values/safe.js';
import { literal, quotedText, Str } from '../values/text.js';
import { Undefined } from '../values/undefined.js';
import { repr, toStr } from '../values/writer.js';
import { attributeGetter, COLLECTION_FILTERS } from './collection-filters.js';
import { toJson } from './json-filters.js';
import { NUMBER_FILTERS } from './number-filters.js';
import { TEXT_FILTERS } from './text-filters.js';

/** Randomness, pages of HTML, layout in columns and sizes of files have no place in a prompt. */
const REFUSED = 'batch e escape filesizeformat forceescape pprint random slice striptags urlencode urlize wordcount wordwrap xmlattr'.split(
  ' ',
);

/** Calls a filter or test whose name is a value. */
function callNamed(kind: 'filter' | 'test', name: Value, value: Value, args: readonly Value[], keywords: Keywords): Value {
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
  return (item) => callNamed('filter', name, item, rest, keywords);
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
  return (item) => truthy(callNamed('test', name, of(item), more, keywords));
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

function isNamed(names: ReadonlyMap<string, unknown>, value: Value): boolean {
  if (value instanceof Str) return names.has(value.text);
  hashOf(value);
  return false;
}

const isInt = (value: Value) => typeof value === 'number' || typeof value === 'bigint';

/** The names of comparisons as tests. */
const COMPARING = { '==': '== eq equalto', '!=': '!= ne', '<': '< lt lessthan', '<=': '<= le', '>': '> gt greaterthan', '>=': '>= ge' };

export const TESTS: ReadonlyMap<string, Filter> = new Map<string, Filter>([
  ...taking<Value>({
    odd: (value) => equal(modulo(value, 2), 1),
    even: (value) => equal(modulo(value, 2), 0),
    defined: (value) => !(value instanceof Undefined),
    undefined: (value) => value instanceof Undefined,
    none: (value) => value === null,
    boolean: (value) => typeof value === 'boolean',
    false: (value) => value === false,
    true: (value) => value === true,
    integer: isInt,
    float: (value) => value instanceof Float,
    number: (value) => isInt(value) || typeof value === 'boolean' || value instanceof Float,
    string: (value) => value instanceof Str || value instanceof Safe,
    lower: (value) => isCase(toStr(value), LOWERCASE),
    upper: (value) => isCase(toStr(value), UPPERCASE),
    mapping: (value) => value instanceof Dict,
    sequence: (value) => has(value, 'length') && has(value, 'item'),
    iterable: (value) => has(value, 'iterate'),
    callable: (value) => has(value, 'call'),
    escaped: (value) => value instanceof Safe,
    filter: (value) => isNamed(FILTERS, value),
    test: (value) => isNamed(TESTS, value),
    'sameas(other)': isSame,
    'divisibleby(num)': (value, by) => equal(modulo(value, by), 0),
    'in(seq)': (value, container) => COMPARISONS.in(value, container),
  }),
  ...Object.entries(COMPARING).flatMap(([sign, names]) =>
    names
      .split(' ')
      .flatMap((name) => taking<Value>({ [`${name}(other)`]: (value, other) => COMPARISONS[sign as Comparison](value, other) })),
  ),
]);
