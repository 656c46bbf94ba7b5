// The tests of Jinja2: the right-hand side of `is`.

import { isCase } from './methods/case.js';
import { LOWERCASE, UPPERCASE } from './unicode/characters.js';
import { type Filter, taking } from './values/callable.js';
import { compareValues, equal, hashOf, isSame } from './values/compare.js';
import { Dict } from './values/dict.js';
import { contains } from './values/list.js';
import { Float } from './values/numbers.js';
import { has, type Value } from './values/object.js';
import { modulo } from './values/operators.js';
import { Safe } from './values/safe.js';
import { Str } from './values/text.js';
import { Undefined } from './values/undefined.js';
import { toStr } from './values/writer.js';

const isInt = (value: Value) => typeof value === 'number' || typeof value === 'bigint';

/** Tests without arguments. */
const PLAIN: Record<string, (value: Value) => boolean> = {
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
};

const notEqual = (value: Value, other: Value) => !equal(value, other);
const less = (value: Value, other: Value) => compareValues(value, other, '<') < 0;
const lessOrEqual = (value: Value, other: Value) => compareValues(value, other, '<=') <= 0;
const greater = (value: Value, other: Value) => compareValues(value, other, '>') > 0;
const greaterOrEqual = (value: Value, other: Value) => compareValues(value, other, '>=') >= 0;

/** Tests with one argument. */
const BINARY: Record<string, (value: Value, other: Value) => boolean> = {
  sameas: isSame,
  '==': equal,
  eq: equal,
  equalto: equal,
  '!=': notEqual,
  ne: notEqual,
  '<': less,
  lt: less,
  lessthan: less,
  '<=': lessOrEqual,
  le: lessOrEqual,
  '>': greater,
  gt: greater,
  greaterthan: greater,
  '>=': greaterOrEqual,
  ge: greaterOrEqual,
};

/** All except those that know the names of filters and tests. */
export const SIMPLE_TESTS: readonly [string, Filter][] = [
  ...Object.entries(PLAIN).map(([name, body]): [string, Filter] => [name, taking(`${name}()`, body)]),
  ...Object.entries(BINARY).map(([name, body]): [string, Filter] => [name, taking(`${name}(other)`, body)]),
  ['divisibleby', taking('divisibleby(num)', (value, by) => equal(modulo(value, by as Value), 0))],
  ['in', taking('in(seq)', (value, container) => contains(container as Value, value))],
];

export function isNamed(names: ReadonlyMap<string, unknown>, value: Value): boolean {
  if (value instanceof Str) return names.has(value.text);
  hashOf(value);
  return false;
}
