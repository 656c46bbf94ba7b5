// Filters that compare elements: sorting, grouping, minimum and maximum.

import { spend } from '../budget.js';
import { raise } from '../errors.js';
import { lower } from '../methods/case.js';
import { compareValues, equal, hashOf, truthy } from '../values/compare.js';
import { itemsOf, iterate, List, Tuple } from '../values/containers.js';
import { Dict, DictView } from '../values/dict.js';
import { type Hash, type Value, typeName } from '../values/object.js';
import { literal, Str } from '../values/str.js';
import { Undefined } from '../values/undefined.js';
import { sortedBy } from '../values/sort.js';
import { type Filter, filter } from './define.js';
import { generator } from './generator.js';
import { attributeGetter, split } from './getters.js';

const same = (value: Value) => value;

/** A tuple whose elements also have names. */
class NamedTuple extends Tuple {
  constructor(
    override readonly type: string,
    private readonly names: readonly string[],
    items: readonly Value[],
  ) {
    super(items);
  }

  override attribute(name: string): Value | undefined {
    const index = this.names.indexOf(name);
    return index < 0 ? undefined : this.items[index];
  }
}

function ignoringCase(value: Value): Value {
  return value instanceof Str ? lower(value) : value;
}

/** Several attributes, separated by commas. */
function attributesGetter(attribute: Value, change: (value: Value) => Value): (item: Value) => List {
  const getters = (attribute instanceof Str ? split(attribute, ',') : [attribute]).map((each) => attributeGetter(each));
  return (item) => new List(getters.map((getter) => change(getter(item))));
}

function sort(value: Value, reverse: Value, caseSensitive: Value, attribute: Value): Value {
  const keyOf = attributesGetter(attribute, truthy(caseSensitive) ? same : ignoringCase);
  return new List(sortedBy(itemsOf(value), keyOf, truthy(reverse)));
}

function dictSort(value: Value, caseSensitive: Value, by: Value, reverse: Value): Value {
  const which = by instanceof Str ? ['key', 'value'].indexOf(by.text) : -1;
  if (which < 0) raise('FilterArgumentError', 'You can only sort by either "key" or "value"');
  if (value instanceof Undefined) return value.fail();
  if (!(value instanceof Dict)) return raise('AttributeError', `'${typeName(value)}' object has no attribute 'items'`);
  const change = truthy(caseSensitive) ? same : ignoringCase;
  return new List(
    sortedBy(itemsOf(new DictView(value, 'items')), (item) => change((item as Tuple).items[which] as Value), truthy(reverse)),
  );
}

function extreme(value: Value, caseSensitive: Value, attribute: Value, sign: 1 | -1): Value {
  const cursor = iterate(value);
  let best = cursor.next();
  if (best === undefined) return new Undefined('No aggregated item, sequence was empty.');
  const change = truthy(caseSensitive) ? same : ignoringCase;
  const get = attributeGetter(attribute);
  const keyOf = (item: Value) => change(get(item));
  let bestKey = keyOf(best);
  for (let item = cursor.next(); item !== undefined; item = cursor.next()) {
    const key = keyOf(item);
    if (sign * compareValues(key, bestKey, sign < 0 ? '>' : '<') < 0) [best, bestKey] = [item, key];
  }
  return best;
}

function unique(value: Value, caseSensitive: Value, attribute: Value): Value {
  const get = attributeGetter(attribute);
  const change = truthy(caseSensitive) ? same : ignoringCase;
  return generator(function* () {
    const seen = new Set<Hash>();
    const cursor = iterate(value);
    for (let item = cursor.next(); item !== undefined; item = cursor.next()) {
      spend(1);
      const key = hashOf(change(get(item)));
      if (seen.has(key)) continue;
      seen.add(key);
      yield item;
    }
  });
}

function groupBy(value: Value, attribute: Value, absent: Value, caseSensitive: Value): Value {
  const get = attributeGetter(attribute, absent);
  const isSensitive = truthy(caseSensitive);
  const keyOf = isSensitive ? get : (item: Value) => ignoringCase(get(item));
  const groups: { key: Value; items: Value[] }[] = [];
  for (const item of sortedBy(itemsOf(value), keyOf)) {
    const key = keyOf(item);
    const group = groups.at(-1);
    if (group && equal(group.key, key)) group.items.push(item);
    else groups.push({ key, items: [item] });
  }
  return new List(
    groups.map(
      ({ key, items }) => new NamedTuple('_GroupTuple', ['grouper', 'list'], [isSensitive ? key : get(items[0] as Value), new List(items)]),
    ),
  );
}

export const ORDER_FILTERS: [string, Filter][] = [
  [
    'dictsort',
    filter('dictsort(case_sensitive=, by=, reverse=)', (value, sensitive = false, by = literal('key'), reverse = false) =>
      dictSort(value, sensitive, by, reverse),
    ),
  ],
  [
    'groupby',
    filter('groupby(attribute, default=, case_sensitive=)', (value, attribute, absent = null, sensitive = false) =>
      groupBy(value, attribute as Value, absent, sensitive),
    ),
  ],
  [
    'max',
    filter('max(case_sensitive=, attribute=)', (value, sensitive = false, attribute = null) => extreme(value, sensitive, attribute, -1)),
  ],
  [
    'min',
    filter('min(case_sensitive=, attribute=)', (value, sensitive = false, attribute = null) => extreme(value, sensitive, attribute, 1)),
  ],
  [
    'sort',
    filter('sort(reverse=, case_sensitive=, attribute=)', (value, reverse = false, sensitive = false, attribute = null) =>
      sort(value, reverse, sensitive, attribute),
    ),
  ],
  [
    'unique',
    filter('unique(case_sensitive=, attribute=)', (value, sensitive = false, attribute = null) => unique(value, sensitive, attribute)),
  ],
];
