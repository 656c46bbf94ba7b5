// Filters that split collections into several lists.

import { foresee, spend } from '../budget.js';
import { asIndex } from '../values/arguments.js';
import { compareValues, equal } from '../values/compare.js';
import { itemsOf, iterate, List } from '../values/containers.js';
import { PyObject, type Value } from '../values/object.js';
import { floorDivide } from '../values/division.js';
import { modulo } from '../values/operators.js';
import { type Filter, filter } from './define.js';
import { generator } from './generator.js';

/** Lists of `count` elements each. */
function batch(value: Value, count: Value, fill: Value): Value {
  const body = function* () {
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
      const size = asIndex(count, 0);
      foresee(size);
      for (; row.length < size; row.push(fill)) spend(1);
    }
    yield new List(row);
  };
  const isKnown = value instanceof PyObject && value.hasLength() && typeof count === 'number' && count > 0;
  return generator(body, () => (isKnown ? Math.ceil(value.length() / count) : 0));
}

/** `count` lists of about equal length. */
function slice(value: Value, count: Value, fill: Value): Value {
  const body = function* () {
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
  };
  return generator(body, () => (typeof count === 'number' ? count : 0));
}

export const BATCH_FILTERS: [string, Filter][] = [
  ['batch', filter('batch(linecount, fill_with=)', (value, count, fill = null) => batch(value, count as Value, fill))],
  ['slice', filter('slice(slices, fill_with=)', (value, count, fill = null) => slice(value, count as Value, fill))],
];
