// Sorts in Python's order.

import { reserveItems } from '../budget.js';
import { compareValues } from './compare.js';
import type { Value } from './object.js';

/** Sorted by a key; equal ones keep their order, also in reverse. */
export function sortedBy(items: readonly Value[], keyOf: (item: Value) => Value, isReverse = false): Value[] {
  reserveItems(items.length);
  const keyed = items.map((item) => ({ item, key: keyOf(item) }));
  keyed.sort(({ key: a }, { key: b }) => {
    if (isReverse) return lessThan(b, a) ? -1 : lessThan(a, b) ? 1 : 0;
    return lessThan(a, b) ? -1 : lessThan(b, a) ? 1 : 0;
  });
  return keyed.map(({ item }) => item);
}

function lessThan(a: Value, b: Value): boolean {
  return compareValues(a, b) < 0;
}
