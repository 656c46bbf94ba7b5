// Filters of numbers.

import { isUncatchable, type PythonError, raise, unsupported } from '../template-errors.js';
import { asIndex, type Filter, taking } from '../values/callable.js';
import { valuesIn } from '../values/list.js';
import { Float, floatOf, floatToInt, type Int, intOf, parsedFloat, parsedInt, roundFloat } from '../values/numbers.js';
import { typeName, type Value } from '../values/object.js';
import { add, divide, multiply, negative, power } from '../values/operators.js';
import { Safe } from '../values/safe.js';
import { literal, Str } from '../values/text.js';
import { Undefined } from '../values/undefined.js';
import { attributeGetter } from './collection-filters.js';

/** int(value) for anything but text. */
function toInt(value: Value): Int {
  if (value instanceof Float) return floatToInt(value.value);
  return intOf(value) ?? notANumber(value, 'int');
}

/** float(value) */
function toFloat(value: Value): number {
  if (value instanceof Str) return parsedFloat(value);
  return floatOf(value) ?? notANumber(value, 'float');
}

function notANumber(value: Value, name: string): never {
  if (value instanceof Safe) value.refuse();
  if (value instanceof Undefined) return value.fail();
  return raise('TypeError', `${name}() argument must be a string or a number, not '${typeName(value)}'`);
}

/** Returns `otherwise` for errors of these types. */
function attempt(types: readonly string[], body: () => Value, otherwise: () => Value): Value {
  try {
    return body();
  } catch (error) {
    if (isUncatchable(error) || !types.includes((error as PythonError).pythonType)) throw error;
    return otherwise();
  }
}

function int(value: Value, absent: Value = 0, base: Value = 10): Value {
  const ofFloat = () => floatToInt(toFloat(value));
  return attempt(
    ['TypeError', 'ValueError'],
    () => (value instanceof Str ? parsedInt(value, asIndex(base, 10)) : toInt(value)),
    () => attempt(['TypeError', 'ValueError', 'OverflowError'], ofFloat, () => absent),
  );
}

function float(value: Value, absent: Value = new Float(0)): Value {
  const toValue = () => new Float(toFloat(value));
  return attempt(['TypeError', 'ValueError'], toValue, () => absent);
}

/** round(value, places) */
function rounded(value: Value, places: Value): Value {
  const number = value instanceof Float ? roundFloat(value.value, places === null ? 0 : asIndex(places, 0)) : intOf(value);
  if (number === undefined) return raise('TypeError', `type ${typeName(value)} doesn't define __round__ method`);
  if (typeof number === 'bigint' || !(value instanceof Float)) {
    if (places !== null && asIndex(places, 0) < 0) unsupported('rounding to tens and more');
    return number;
  }
  return places === null ? floatToInt(number) : new Float(number);
}

function round(value: Value, places: Value = 0, method: Value = literal('common')): Value {
  const name = method instanceof Str ? method.text : '';
  if (name === 'common') return rounded(value, places);
  if (name !== 'ceil' && name !== 'floor') return raise('FilterArgumentError', 'method must be common, ceil or floor');
  const factor = power(10, places);
  const scaled = multiply(value, factor);
  if (!(scaled instanceof Float))
    return divide(intOf(scaled) ?? raise('TypeError', `must be real number, not ${typeName(scaled)}`), factor);
  // Refuses what is not finite.
  floatToInt(scaled.value);
  return divide(new Float(Math[name](scaled.value) + 0), factor);
}

function absolute(value: Value): Value {
  if (value instanceof Float) return new Float(Math.abs(value.value));
  const number = intOf(value);
  if (number === undefined) return raise('TypeError', `bad operand type for abs(): '${typeName(value)}'`);
  return number < 0 ? negative(number) : number;
}

function sum(value: Value, attribute: Value = null, start: Value = 0): Value {
  if (start instanceof Str) raise('TypeError', 'sum() takes no text');
  const get = attributeGetter(attribute);
  let total = start;
  for (const item of valuesIn(value)) total = add(total, get(item));
  return total;
}

export const NUMBER_FILTERS: [string, Filter][] = taking<Value>({
  abs: absolute,
  'float(default=)': float,
  'int(default=, base=)': int,
  'round(precision=, method=)': round,
  'sum(attribute=, start=)': sum,
});
