// Filters that cut collections into several lists.

import { spend } from '../budget.js';
import { asIndex } from '../values/arguments.js';
import { compareValues, equal } from '../values/compare.js';
import { itemsOf, iterate, List } from '../values/containers.js';
import type { Value } from '../values/object.js';
import { floorDivide } from '../values/division.js';
import { modulo } from '../values/operators.js';
import { type Filter, filter } from './define.js';
import { generator } from './generator.js';

/** Lists of so many elements each. */
function batch(value: Value, count: Value, fill: Value): Value {
  return generator(function* () {
    let row: Value[] = [];
    const cursor = iterate(value);
    for (let item = cursor.next(); item !== undefined; item = cursor.next()) {
      spend(1);
      if (equal(row.length, count)) {
        yield new List(row);
        row = [];
      }
      row.push(item);
    }
    if (row.length === 0) return;
    if (fill !== null && compareValues(row.length, count) < 0) {
      for (const size = asIndex(count, 0); row.length < size; row.push(fill)) spend(1);
    }
    yield new List(row);
  });
}

/** So many lists of about as many elements. */
function slice(value: Value, count: Value, fill: Value): Value {
  return generator(function* () {
    const items = itemsOf(value);
    const each = Number(floorDivide(items.length, count));
    const longer = Number(modulo(items.length, count));
    let from = 0;
    for (let index = 0; index < asIndex(count, 0); index++) {
      spend(1);
      const to = from + each + (index < longer ? 1 : 0);
      const column = items.slice(from, to);
      yield new List(fill !== null && index >= longer ? [...column, fill] : column);
      from = to;
    }
  });
}

export const BATCH_FILTERS: [string, Filter][] = [
  ['batch', filter('batch(linecount, fill_with=)', (value, count, fill = null) => batch(value, count as Value, fill))],
  ['slice', filter('slice(slices, fill_with=)', (value, count, fill = null) => slice(value, count as Value, fill))],
];
