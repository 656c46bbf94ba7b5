// Filters on numbers.

import { spend } from '../budget.js';
import { isUncatchable, type PythonError, raise } from '../errors.js';
import { divide, floorDivideInts, power, powerOfInts } from '../values/division.js';
import { Float } from '../values/float.js';
import { fixedDigits, floatToInt, roundFloat } from '../values/rounding.js';
import { asIndex } from '../values/arguments.js';
import { iterate } from '../values/containers.js';
import { addInts, type Int, moduloInts, multiplyInts, subtractInts } from '../values/int.js';
import { truthy } from '../values/compare.js';
import { type Value, typeName } from '../values/object.js';
import { add, floatOf, intOf, multiply, negative } from '../values/operators.js';
import { parsedFloat, parsedInt } from '../values/parse-number.js';
import { Safe } from '../values/safe.js';
import { concatenated, literal, numeral, Str } from '../values/str.js';
import { Undefined } from '../values/undefined.js';
import { type Filter, filter } from './define.js';
import { attributeGetter } from './getters.js';

/** int(value) for anything but text. */
function toInt(value: Value): Int {
  if (value instanceof Float) return floatToInt(value.value);
  if (value instanceof Safe) value.refuse();
  if (value instanceof Undefined) return value.fail();
  return (
    intOf(value) ?? raise('TypeError', `int() argument must be a string, a bytes-like object or a real number, not '${typeName(value)}'`)
  );
}

/** float(value) */
function toFloat(value: Value): number {
  if (value instanceof Str) return parsedFloat(value);
  if (value instanceof Safe) value.refuse();
  if (value instanceof Undefined) return value.fail();
  return floatOf(value) ?? raise('TypeError', `float() argument must be a string or a real number, not '${typeName(value)}'`);
}

/** Returns `otherwise` for errors of these types. */
function attempt<Result>(types: readonly string[], body: () => Result, otherwise: () => Result): Result {
  try {
    return body();
  } catch (error) {
    if (isUncatchable(error) || !types.includes((error as PythonError).pythonType)) throw error;
    return otherwise();
  }
}

function int(value: Value, absent: Value, base: Value): Value {
  return attempt<Value>(
    ['TypeError', 'ValueError'],
    () => (value instanceof Str ? parsedInt(value, asIndex(base, 10)) : toInt(value)),
    () =>
      attempt<Value>(
        ['TypeError', 'ValueError', 'OverflowError'],
        () => floatToInt(toFloat(value)),
        () => absent,
      ),
  );
}

function float(value: Value, absent: Value): Value {
  return attempt<Value>(
    ['TypeError', 'ValueError'],
    () => new Float(toFloat(value)),
    () => absent,
  );
}

/** round(value, places) */
function rounded(value: Value, places: Value): Value {
  if (value instanceof Float) {
    if (places === null) return floatToInt(roundFloat(value.value, 0));
    return new Float(roundFloat(value.value, asIndex(places, 0)));
  }
  const number = intOf(value);
  if (number === undefined) {
    if (value instanceof Undefined) return raise('TypeError', "type Undefined doesn't define __round__ method");
    return raise('TypeError', `type ${typeName(value)} doesn't define __round__ method`);
  }
  if (places === null || asIndex(places, 0) >= 0) return number;
  // Rounds to the nearest multiple of a power of ten, ties to even.
  const unit = powerOfInts(10, -asIndex(places, 0));
  const rest = moduloInts(number, unit);
  const down = subtractInts(number, rest);
  const twice = multiplyInts(rest, 2);
  const isUp = twice > unit || (twice === unit && moduloInts(floorDivideInts(down, unit), 2) === 1);
  return isUp ? addInts(down, unit) : down;
}

function round(value: Value, places: Value, method: Value): Value {
  const name = method instanceof Str ? method.text : '';
  if (name === 'common') return rounded(value, places);
  if (name !== 'ceil' && name !== 'floor') return raise('FilterArgumentError', 'method must be common, ceil or floor');
  const factor = power(10, places);
  const scaled = multiply(value, factor);
  const whole =
    scaled instanceof Float
      ? floatToInt(Math[name](finite(scaled.value)))
      : (intOf(scaled) ?? raise('TypeError', `must be real number, not ${typeName(scaled)}`));
  return divide(whole, factor);
}

function finite(value: number): number {
  floatToInt(value);
  return value;
}

function absolute(value: Value): Value {
  if (value instanceof Float) return new Float(Math.abs(value.value));
  const number = intOf(value);
  if (number === undefined) return raise('TypeError', `bad operand type for abs(): '${typeName(value)}'`);
  return number < 0 ? negative(number) : number;
}

function sum(value: Value, attribute: Value, start: Value): Value {
  if (start instanceof Str) raise('TypeError', "sum() can't sum strings [use ''.join(seq) instead]");
  const get = attribute === null ? (item: Value) => item : attributeGetter(attribute);
  const cursor = iterate(value);
  let total = start;
  for (let item = cursor.next(); item !== undefined; item = cursor.next()) {
    spend(1);
    total = add(total, get(item));
  }
  return total;
}

function fileSize(value: Value, binary: Value): Str {
  const bytes = toFloat(value);
  const base = truthy(binary) ? 1024 : 1000;
  if (bytes === 1) return literal('1 Byte');
  if (bytes < base) return concatenated(numeral(String(floatToInt(bytes))), literal(' Bytes'));
  const prefixes = (truthy(binary) ? UNITS.binary : UNITS.decimal) as readonly Str[];
  // Computed exactly: beyond 2^53 floats are imprecise.
  let unit = BigInt(base) ** 2n;
  let index = 0;
  while (!(bytes < unit) && index < prefixes.length - 1) {
    unit *= BigInt(base);
    index++;
  }
  const size = (base * bytes) / Number(unit);
  const digits = Number.isFinite(size) ? fixedDigits(size, 1) : '';
  const shown = digits === '' ? (Number.isNaN(size) ? 'nan' : 'inf') : `${digits.slice(0, -1)}.${digits.slice(-1)}`;
  return concatenated(numeral(shown), prefixes[index] as Str);
}

const UNITS = {
  binary: ([' KiB', ' MiB', ' GiB', ' TiB', ' PiB', ' EiB', ' ZiB', ' YiB'] as const).map((unit) => literal(unit)),
  decimal: ([' kB', ' MB', ' GB', ' TB', ' PB', ' EB', ' ZB', ' YB'] as const).map((unit) => literal(unit)),
};

export const NUMBER_FILTERS: [string, Filter][] = [
  ['abs', filter('abs()', absolute)],
  ['filesizeformat', filter('filesizeformat(binary=)', (value, binary = false) => fileSize(value, binary))],
  ['float', filter('float(default=)', (value, absent = new Float(0)) => float(value, absent))],
  ['int', filter('int(default=, base=)', (value, absent = 0, base = 10) => int(value, absent, base))],
  ['round', filter('round(precision=, method=)', (value, places = 0, method = literal('common')) => round(value, places, method))],
  ['sum', filter('sum(attribute=, start=)', (value, attribute = null, start = 0) => sum(value, attribute, start))],
];
