// Filters on collections: elements, groups of elements, and defaults for missing values.

import { raise } from '../errors.js';
import { findAttribute, getSlice } from '../values/attributes.js';
import { truthy } from '../values/compare.js';
import { backwards, Iteration, itemsOf, iterate, isIterable, List, Range, Sequence } from '../values/containers.js';
import { Dict, DictView } from '../values/dict.js';
import { PyObject, type Value, valueOr, typeName } from '../values/object.js';
import { EMPTY, Str } from '../values/str.js';
import { Undefined, undefinedOf } from '../values/undefined.js';
import { type Filter, filter } from './define.js';
import { generator } from './generator.js';

export function lengthOf(value: Value): number {
  if (value instanceof PyObject) return value.length();
  return raise('TypeError', `object of type '${typeName(value)}' has no len()`);
}

/** In reverse; undefined for a value that cannot be reversed. */
function reversed(value: Value): Iteration | undefined {
  if (value instanceof List) return new Iteration('list_reverseiterator', backwards(value.items));
  if (value instanceof Str) {
    let at = value.length();
    return new Iteration('reversed', { next: () => (at > 0 ? value.character(--at) : undefined) });
  }
  if (value instanceof Sequence) return new Iteration('reversed', backwards(value.items));
  if (value instanceof Range) return new Iteration('range_iterator', backwards(itemsOf(value)));
  if (value instanceof Dict) return new Iteration('dict_reversekeyiterator', backwards(itemsOf(value)));
  if (value instanceof DictView) return new Iteration(`dict_reverse${value.kind.replace(/s$/, '')}iterator`, value.reversed());
  return value instanceof PyObject && value.hasItems() && value.hasLength()
    ? new Iteration('reversed', backwards(itemsOf(value)))
    : undefined;
}

function reverse(value: Value): Value {
  if (value instanceof Str) return getSlice(value, null, null, -1);
  if (!isIterable(value)) return raise('FilterArgumentError', 'argument must be iterable');
  return reversed(value) ?? new List([...itemsOf(value)].reverse());
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

function defaulted(value: Value, absent: Value, boolean: Value): Value {
  return value instanceof Undefined || (truthy(boolean) && !truthy(value)) ? absent : value;
}

function attribute(value: Value, name: Value): Value {
  if (!(name instanceof Str)) return raise('TypeError', `attribute name must be string, not '${typeName(name)}'`);
  return valueOr(findAttribute(value, name.text), () => undefinedOf(value, name));
}

export const COLLECTION_FILTERS: [string, Filter][] = [
  ['attr', filter('attr(name)', (value, name) => attribute(value, name as Value))],
  ['count', filter('count()', lengthOf)],
  ['d', filter('default(default_value=, boolean=)', (value, absent = EMPTY, boolean = false) => defaulted(value, absent, boolean))],
  ['default', filter('default(default_value=, boolean=)', (value, absent = EMPTY, boolean = false) => defaulted(value, absent, boolean))],
  ['first', filter('first()', (value) => valueOr(iterate(value).next(), () => new Undefined('No first item, sequence was empty.')))],
  ['items', filter('items()', items)],
  ['last', filter('last()', last)],
  ['length', filter('length()', lengthOf)],
  ['list', filter('list()', (value) => (value instanceof List ? value : new List(itemsOf(value))))],
  ['reverse', filter('reverse()', reverse)],
];
