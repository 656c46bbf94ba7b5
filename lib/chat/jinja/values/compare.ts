// Equality, order and hashes of values.

import { spend } from '../budget.js';
import { raise } from '../errors.js';
import { Float } from './float.js';
import { compareInts } from './int.js';
import { type Hash, PyObject, type Value, typeName } from './object.js';
import { Safe } from './safe.js';
import { Str } from './str.js';

/** `a == b` */
export function equal(a: Value, b: Value): boolean {
  if (a instanceof Str) {
    return b instanceof Safe ? b.refuse() : a.equals(b);
  }
  if (a instanceof PyObject) {
    if (a === b) return !(a instanceof Float) || !Number.isNaN(a.value);
    return a.equals(b);
  }
  if (b instanceof PyObject) return b instanceof Float && b.equals(a);
  if (a === b) return true;
  if (a === null || b === null) return false;
  if (typeof a === 'boolean') return Number(a) === (typeof b === 'boolean' ? Number(b) : b);
  return typeof b === 'boolean' && a === Number(b);
}

/** Equality as lists compare their elements: an object equals itself, even NaN. */
export function isEqualOrSame(a: Value, b: Value): boolean {
  return a === b || equal(a, b);
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
  if (b instanceof PyObject || a === null || b === null) return undefined;
  return compareInts(typeof a === 'boolean' ? Number(a) : a, typeof b === 'boolean' ? Number(b) : b);
}

/** The hash of a dict key. Throws for a value that cannot be a key. */
export function hashOf(value: Value): Hash {
  if (value instanceof PyObject) return value.hash();
  return typeof value === 'boolean' ? Number(value) : value;
}

export function truthy(value: Value): boolean {
  if (value instanceof PyObject) return value.truthy();
  return Boolean(value);
}
