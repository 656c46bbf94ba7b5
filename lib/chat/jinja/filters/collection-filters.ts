// Filters of collections: elements, defaults for missing values, sorting and grouping.

import { foresee } from '../budget.js';
import { raise } from '../template-errors.js';
import { lower } from '../methods/text-methods.js';
import { findAttribute, getItem, getSlice } from '../values/attributes.js';
import { type Filter, taking } from '../values/callable.js';
import { compareValues, equal, hashOf, sortedBy, truthy } from '../values/compare.js';
import { Dict, DictView } from '../values/dict.js';
import { backwards, generator, Iteration, itemsOf, iterate, List, Sequence, Tuple, valuesIn } from '../values/list.js';
import { intFromDigits } from '../values/numbers.js';
import { type Hash, has, PyObject, typeName, type Value, valueOr } from '../values/object.js';
import { derived, EMPTY, literal, Str } from '../values/text.js';
import { Undefined, undefinedOf } from '../values/undefined.js';

function split(str: Str, separator: string): Str[] {
  foresee(str.units);
  return str.text.split(separator).map((part) => derived(part, str));
}

/** Reads an attribute of each element, by a path such as `function.name`. `absent` replaces undefined values, at every step. */
export function attributeGetter(attribute: Value, absent: Value = null): (item: Value) => Value {
  const isPath = attribute instanceof Str;
  const steps: Value[] = attribute === null ? [] : isPath ? split(attribute, '.').map(stepOf) : [attribute];
  return (item) => {
    for (const step of steps) {
      item = getItem(item, step);
      if (absent !== null && item instanceof Undefined) item = absent;
    }
    return item;
  };
}

/** A name, or an index. */
function stepOf(step: Str): Value {
  return /^\d+$/.test(step.text) ? intFromDigits(step.text, 10) : step;
}

export function lengthOf(value: Value): number {
  return value instanceof PyObject ? value.length() : raise('TypeError', `object of type '${typeName(value)}' has no len()`);
}

/** In reverse; undefined for a value that cannot be reversed. */
function reversed(value: Value): Iteration | undefined {
  if (value instanceof Str) {
    let at = value.length();
    return new Iteration({ next: () => (at > 0 ? value.character(--at) : undefined) });
  }
  if (value instanceof Sequence) return new Iteration(backwards(value.items));
  const isSequence = value instanceof DictView || (has(value, 'item') && has(value, 'length'));
  return isSequence ? new Iteration(backwards(itemsOf(value))) : undefined;
}

function reverse(value: Value): Value {
  if (value instanceof Str) return getSlice(value, null, null, -1);
  if (!has(value, 'iterate')) return raise('FilterArgumentError', 'argument must be iterable');
  return reversed(value) ?? new List([...itemsOf(value)].reverse());
}

function first(value: Value): Value {
  return valueOr(iterate(value).next(), () => new Undefined('No first item, sequence was empty.'));
}

function last(value: Value): Value {
  const items = reversed(value) ?? raise('TypeError', `'${typeName(value)}' object is not reversible`);
  return valueOr(items.cursor.next(), () => new Undefined('No last item, sequence was empty.'));
}

function items(value: Value): Value {
  return generator(function* () {
    if (value instanceof Undefined) return;
    if (!(value instanceof Dict)) raise('TypeError', 'Can only get item pairs from a mapping.');
    yield* itemsOf(new DictView(value, 'items'));
  });
}

function defaulted(value: Value, absent: Value = EMPTY, boolean: Value = false): Value {
  return value instanceof Undefined || (truthy(boolean) && !truthy(value)) ? absent : value;
}

function attribute(value: Value, name: Value): Value {
  if (!(name instanceof Str)) return raise('TypeError', `attribute name must be string, not '${typeName(name)}'`);
  return valueOr(findAttribute(value, name.text), () => undefinedOf(value, name));
}

/** What elements are compared by. */
function keyed(caseSensitive: Value, get: (item: Value) => Value): (item: Value) => Value {
  if (truthy(caseSensitive)) return get;
  return (item) => {
    const key = get(item);
    return key instanceof Str ? lower(key) : key;
  };
}

function sort(value: Value, reverse: Value = false, caseSensitive: Value = false, attribute: Value = null): Value {
  const parts = attribute instanceof Str ? split(attribute, ',') : [attribute];
  const getters = parts.map((each) => keyed(caseSensitive, attributeGetter(each)));
  return new List(sortedBy(itemsOf(value), (item) => new List(getters.map((get) => get(item))), truthy(reverse)));
}

function dictSort(value: Value, caseSensitive: Value = false, by: Value = literal('key'), reverse: Value = false): Value {
  const which = by instanceof Str ? ['key', 'value'].indexOf(by.text) : -1;
  if (which < 0) raise('FilterArgumentError', 'expected "key" or "value"');
  if (value instanceof Undefined) return value.fail();
  if (!(value instanceof Dict)) return raise('AttributeError', `'${typeName(value)}' object has no attribute 'items'`);
  const keyOf = keyed(caseSensitive, (item) => (item as Tuple).items[which] as Value);
  return new List(sortedBy(itemsOf(new DictView(value, 'items')), keyOf, truthy(reverse)));
}

const extreme =
  (sign: 1 | -1) =>
  (value: Value, caseSensitive: Value = false, attribute: Value = null): Value => {
    const keyOf = keyed(caseSensitive, attributeGetter(attribute));
    let best: Value | undefined;
    let bestKey: Value = null;
    for (const item of valuesIn(value)) {
      const key = keyOf(item);
      if (best === undefined || sign * compareValues(key, bestKey, sign < 0 ? '>' : '<') < 0) [best, bestKey] = [item, key];
    }
    return valueOr(best, () => new Undefined('No aggregated item, sequence was empty.'));
  };

function unique(value: Value, caseSensitive: Value = false, attribute: Value = null): Value {
  const keyOf = keyed(caseSensitive, attributeGetter(attribute));
  return generator(function* () {
    const seen = new Set<Hash>();
    for (const item of valuesIn(value)) {
      const key = hashOf(keyOf(item));
      if (!seen.has(key)) yield item;
      seen.add(key);
    }
  });
}

/** A tuple whose elements also have names. */
class Group extends Tuple {
  override readonly type = '_GroupTuple';

  override attribute(name: string): Value | undefined {
    return name === 'grouper' ? this.items[0] : name === 'list' ? this.items[1] : undefined;
  }
}

function groupBy(value: Value, attribute: Value, absent: Value = null, caseSensitive: Value = false): Value {
  const get = attributeGetter(attribute, absent);
  const keyOf = keyed(caseSensitive, get);
  const groups: { key: Value; members: Value[] }[] = [];
  for (const item of sortedBy(itemsOf(value), keyOf)) {
    const key = keyOf(item);
    const group = groups.at(-1);
    if (group && equal(group.key, key)) group.members.push(item);
    else groups.push({ key, members: [item] });
  }
  // Keys are written as the first member has them.
  return new List(groups.map(({ members }) => new Group([get(members[0] as Value), new List(members)])));
}

export const COLLECTION_FILTERS: [string, Filter][] = taking<Value>({
  'attr(name)': attribute,
  count: lengthOf,
  'd(default_value=, boolean=)': defaulted,
  'default(default_value=, boolean=)': defaulted,
  'dictsort(case_sensitive=, by=, reverse=)': dictSort,
  first,
  'groupby(attribute, default=, case_sensitive=)': groupBy,
  items,
  last,
  length: lengthOf,
  list: (value) => (value instanceof List ? value : new List(itemsOf(value))),
  'max(case_sensitive=, attribute=)': extreme(-1),
  'min(case_sensitive=, attribute=)': extreme(1),
  reverse,
  'sort(reverse=, case_sensitive=, attribute=)': sort,
  'unique(case_sensitive=, attribute=)': unique,
});
