// Equality, order and hashes of values.

import { reserveItems, spend } from '../budget.js';
import { raise } from '../template-errors.js';
import { Float, intOf } from './numbers.js';
import { type Hash, PyObject, typeName, type Value } from './object.js';
import { Safe } from './safe.js';
import { Str } from './text.js';

/** `a == b` */
export function equal(a: Value, b: Value): boolean {
  if (a instanceof Str) return b instanceof Safe ? b.refuse() : a.equals(b);
  if (a instanceof PyObject) return a === b ? !(a instanceof Float) || !Number.isNaN(a.value) : a.equals(b);
  if (b instanceof PyObject) return b instanceof Float && b.equals(a);
  return a === null || b === null ? a === b : intOf(a) === intOf(b);
}

/** Equality as lists compare their elements: an object equals itself, even NaN. */
export function isEqualOrSame(a: Value, b: Value): boolean {
  return a === b || equal(a, b);
}

/** Whether values are the same object, as in `is`: equal numbers and texts count as the same. */
export function isSame(a: Value, b: Value): boolean {
  return a === b || (a instanceof Str && b instanceof Str && a.equals(b));
}

/** Below 0, 0 or above 0; NaN if no order holds. Throws if Python defines no order. */
export function compareValues(a: Value, b: Value, operator = '<'): number {
  spend(1);
  const order = orderOf(a, b);
  // An undefined value refuses any order, also as the right operand.
  if (order === undefined && b instanceof PyObject) b.refuseOrder();
  if (order === undefined) raise('TypeError', `'${operator}' not supported between instances of '${typeName(a)}' and '${typeName(b)}'`);
  return order;
}

function orderOf(a: Value, b: Value): number | undefined {
  if (a instanceof PyObject) return a.compare(b);
  if (b instanceof Float) {
    const order = b.compare(a);
    return order === undefined ? undefined : -order;
  }
  const [x, y] = [intOf(a), intOf(b)];
  return x === undefined || y === undefined ? undefined : x < y ? -1 : x > y ? 1 : 0;
}

/** The hash of a dict key. Throws for a value that cannot be a key. */
export function hashOf(value: Value): Hash {
  if (value instanceof PyObject) return value.hash();
  return typeof value === 'boolean' ? Number(value) : value;
}

export function truthy(value: Value): boolean {
  return value instanceof PyObject ? value.truthy() : Boolean(value);
}

/** Sorted by a key; equal ones keep their order, also in reverse. */
export function sortedBy(items: readonly Value[], keyOf: (item: Value) => Value, isReverse = false): Value[] {
  reserveItems(items.length);
  const isLess = (a: Value, b: Value) => compareValues(a, b) < 0;
  const sign = isReverse ? -1 : 1;
  const keyed = items.map((item) => ({ item, key: keyOf(item) }));
  keyed.sort(({ key: a }, { key: b }) => (isLess(a, b) ? -sign : isLess(b, a) ? sign : 0));
  return keyed.map(({ item }) => item);
}
