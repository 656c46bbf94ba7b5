// The tests of Jinja2: the right-hand side of `is`.

import { LOWERCASE, UPPERCASE } from './unicode/characters.js';
import { isCase } from './methods/case.js';
import { seek } from './budget.js';
import { raise } from './errors.js';
import { bind, signature } from './values/callable.js';
import { compareValues, equal, hashOf } from './values/compare.js';
import { isIterable } from './values/containers.js';
import { Dict } from './values/dict.js';
import { Float } from './values/float.js';
import { type Keywords, PyObject, type Value, typeName } from './values/object.js';
import { untraceable } from './runtime/tracer.js';
import { isSame, modulo } from './values/operators.js';
import { Safe } from './values/safe.js';
import { Str } from './values/str.js';
import { Undefined } from './values/undefined.js';
import { toStr } from './values/writer.js';

export type Test = (value: Value, args: readonly Value[], keywords: Keywords) => Value;

/** A test without arguments. */
export function plain(name: string, body: (value: Value) => boolean): [string, Test] {
  const to = signature('test()');
  return [
    name,
    (value, args, keywords) => {
      if (args.length > 0 || keywords.length() > 0) bind(to, args, keywords);
      return body(value);
    },
  ];
}

/** A test with one argument. */
function binary(name: string, body: (value: Value, other: Value) => boolean): [string, Test] {
  const to = signature('test(other)');
  return [
    name,
    (value, args, keywords) => body(value, (args.length === 1 && keywords.length() === 0 ? args[0] : bind(to, args, keywords)[0]) as Value),
  ];
}

const isInt = (value: Value) => typeof value === 'number' || typeof value === 'bigint';

export function isNamed(names: ReadonlyMap<string, unknown>, value: Value): boolean {
  if (value instanceof Str) return names.has(value.text);
  hashOf(value);
  return false;
}

export function contains(container: Value, value: Value): boolean {
  if (container instanceof Str) {
    if (value instanceof Str) {
      seek(container.units, value.units);
      return container.text.includes(value.text);
    }
    if (value instanceof Safe) return value.refuse();
    return raise('TypeError', `'in <string>' requires string as left operand, not ${typeName(value)}`);
  }
  if (container instanceof PyObject) return container.contains(value);
  return raise('TypeError', `argument of type '${typeName(container)}' is not iterable`);
}

const ORDERS: [string[], string, (order: number) => boolean][] = [
  [['>', 'gt', 'greaterthan'], '>', (order) => order > 0],
  [['>=', 'ge'], '>=', (order) => order >= 0],
  [['<', 'lt', 'lessthan'], '<', (order) => order < 0],
  [['<=', 'le'], '<=', (order) => order <= 0],
];

/** All except those that know the names of filters and tests. */
export const PLAIN_TESTS: readonly [string, Test][] = [
  plain('odd', (value) => equal(modulo(value, 2), 1)),
  plain('even', (value) => equal(modulo(value, 2), 0)),
  ['divisibleby', (value, args, keywords) => equal(modulo(value, bind(signature('divisibleby(num)'), args, keywords)[0] as Value), 0)],
  plain('defined', (value) => !(value instanceof Undefined)),
  plain('undefined', (value) => value instanceof Undefined),
  plain('none', (value) => value === null),
  plain('boolean', (value) => typeof value === 'boolean'),
  plain('false', (value) => value === false),
  plain('true', (value) => value === true),
  plain('integer', isInt),
  plain('float', (value) => value instanceof Float),
  plain('lower', (value) => isCase(toStr(value), LOWERCASE)),
  plain('upper', (value) => isCase(toStr(value), UPPERCASE)),
  plain('string', (value) => value instanceof Str || value instanceof Safe),
  plain('mapping', (value) => value instanceof Dict),
  plain('number', (value) => isInt(value) || typeof value === 'boolean' || value instanceof Float),
  plain('sequence', (value) => value instanceof PyObject && value.hasLength() && value.hasItems()),
  plain('iterable', isIterable),
  plain('callable', (value) => value instanceof PyObject && value.isCallable()),
  plain('escaped', (value) => value instanceof Safe),
  binary('sameas', (value, other) => {
    // Which objects are the same is not recorded.
    if (value instanceof PyObject && other instanceof PyObject) untraceable();
    return isSame(value, other);
  }),
  ['in', (value, args, keywords) => contains(bind(signature('in(seq)'), args, keywords)[0] as Value, value)],
  ...['==', 'eq', 'equalto'].map((name) => binary(name, equal)),
  ...['!=', 'ne'].map((name) => binary(name, (value, other) => !equal(value, other))),
  ...ORDERS.flatMap(([names, operator, holds]) =>
    names.map((name) => binary(name, (value, other) => holds(compareValues(value, other, operator)))),
  ),
];
