// The tests of Jinja2: the right-hand side of `is`.

import { isCase } from './methods/case.js';
import { LOWERCASE, UPPERCASE } from './unicode/characters.js';
import { type Filter, taking } from './values/callable.js';
import { equal, hashOf, isSame } from './values/compare.js';
import { Dict } from './values/dict.js';
import { Float } from './values/numbers.js';
import { has, type Value } from './values/object.js';
import { type Comparison, COMPARISONS, modulo } from './values/operators.js';
import { Safe } from './values/safe.js';
import { Str } from './values/text.js';
import { Undefined } from './values/undefined.js';
import { toStr } from './values/writer.js';

const isInt = (value: Value) => typeof value === 'number' || typeof value === 'bigint';

const NAMES_OF_COMPARISONS: [Comparison, names: string[]][] = [
  ['==', ['==', 'eq', 'equalto']],
  ['!=', ['!=', 'ne']],
  ['<', ['<', 'lt', 'lessthan']],
  ['<=', ['<=', 'le']],
  ['>', ['>', 'gt', 'greaterthan']],
  ['>=', ['>=', 'ge']],
];

/** All except those that know the names of filters and tests. */
export const SIMPLE_TESTS: readonly [string, Filter][] = [
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
    'sameas(other)': (value, other) => isSame(value, other as Value),
    'divisibleby(num)': (value, by) => equal(modulo(value, by as Value), 0),
    'in(seq)': (value, container) => COMPARISONS.in(value, container as Value),
  }),
  ...NAMES_OF_COMPARISONS.flatMap(([sign, names]) =>
    taking<Value>(
      Object.fromEntries(
        names.map((name) => [`${name}(other)`, (value: Value, other?: Value) => COMPARISONS[sign](value, other as Value)]),
      ),
    ),
  ),
];

export function isNamed(names: ReadonlyMap<string, unknown>, value: Value): boolean {
  if (value instanceof Str) return names.has(value.text);
  hashOf(value);
  return false;
}
