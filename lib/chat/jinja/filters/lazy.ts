// Filters that process elements one by one on request: map, select, reject and the like.

import { spend } from '../budget.js';
import { raise } from '../errors.js';
import { equal, truthy } from '../values/compare.js';
import { isIterable, iterate } from '../values/containers.js';
import type { Keywords, Value } from '../values/object.js';
import { literal } from '../values/str.js';
import { repr } from '../values/writer.js';
import type { Filter } from './define.js';
import { generator } from './generator.js';
import { attributeGetter } from './getters.js';

/** Calls a filter or test by its name. */
type Call = (name: Value, value: Value, args: readonly Value[], keywords: Keywords) => Value;

function change(args: readonly Value[], keywords: Keywords, callFilter: Call): (item: Value) => Value {
  const attribute = keywords.getText('attribute');
  if (args.length === 0 && attribute !== undefined) {
    for (const { key } of keywords.entries())
      if (!equal(key, literal('attribute')) && !equal(key, literal('default')))
        raise('FilterArgumentError', `Unexpected keyword argument ${repr(key).text}`);
    return attributeGetter(attribute, keywords.getText('default') ?? null);
  }
  const [name, ...rest] = args;
  if (name === undefined) return raise('FilterArgumentError', 'map requires a filter argument');
  return (item) => callFilter(name, item, rest, keywords);
}

function map(value: Value, args: readonly Value[], keywords: Keywords, callFilter: Call): Value {
  const body = function* () {
    if (!truthy(value)) return;
    const of = change(args, keywords, callFilter);
    const cursor = iterate(value);
    for (let item = cursor.next(); item !== undefined; item = cursor.next()) {
      spend(1);
      yield of(item);
    }
  };
  return generator(body, () => (isIterable(value) ? (iterate(value).atLeast?.() ?? 0) : 0));
}

/** Whether an element passes the test named by the arguments; without a name, whether it is true. */
function condition(args: readonly Value[], keywords: Keywords, ofAttribute: boolean, callTest: Call): (item: Value) => boolean {
  let of = (item: Value) => item;
  let rest = args;
  if (ofAttribute) {
    if (args.length === 0) raise('FilterArgumentError', 'Missing parameter for attribute name');
    of = attributeGetter(args[0] as Value);
    rest = args.slice(1);
  }
  const [name, ...more] = rest;
  if (name === undefined) return (item) => truthy(of(item));
  return (item) => truthy(callTest(name, of(item), more, keywords));
}

const choose =
  (wanted: boolean, ofAttribute: boolean, callTest: Call): Filter =>
  (value, args, keywords) =>
    generator(function* () {
      if (!truthy(value)) return;
      const passes = condition(args, keywords, ofAttribute, callTest);
      const cursor = iterate(value);
      for (let item = cursor.next(); item !== undefined; item = cursor.next()) {
        spend(1);
        if (passes(item) === wanted) yield item;
      }
    });

export function lazyFilters(callFilter: Call, callTest: Call): [string, Filter][] {
  return [
    ['map', (value, args, keywords) => map(value, args, keywords, callFilter)],
    ['select', choose(true, false, callTest)],
    ['reject', choose(false, false, callTest)],
    ['selectattr', choose(true, true, callTest)],
    ['rejectattr', choose(false, true, callTest)],
  ];
}
