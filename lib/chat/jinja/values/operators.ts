// Arithmetic on values: `+ - * / // % **`. And their comparison, as operators and as tests.

import { reserveItems } from '../budget.js';
import { raise, unsupported as leftOut } from '../template-errors.js';
import { formatPercent } from '../format.js';
import { compareValues, equal } from './compare.js';
import { DictView } from './dict.js';
import { contains, Sequence } from './list.js';
import { exact, Float, floatOf, intOf } from './numbers.js';
import { typeName, type Value } from './object.js';
import { Safe } from './safe.js';
import { concatenated, repeated, Str } from './text.js';
import { Undefined } from './undefined.js';

export type Comparison = '==' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | 'not in';
export type BinaryOperator = '+' | '-' | '*' | '/' | '//' | '%' | '**';

function unsupported(operator: string, a: Value, b: Value): never {
  for (const each of [a, b]) if (each instanceof Safe) each.refuse();
  for (const each of [a, b]) if (each instanceof Undefined) each.fail();
  const shown = operator === '**' ? '** or pow()' : operator;
  return raise('TypeError', `unsupported operand type(s) for ${shown}: '${typeName(a)}' and '${typeName(b)}'`);
}

type Calculation<Result> = (a: number, b: number) => Result;

/** Arithmetic on two numbers; undefined unless both are numbers. */
function ofNumbers(a: Value, b: Value, ofInts: Calculation<Value>, ofFloats: Calculation<number>): Value | undefined {
  const [x, y] = [intOf(a), intOf(b)];
  if (typeof x === 'number' && typeof y === 'number') return ofInts(x, y);
  if (x !== undefined && y !== undefined) return exact(Infinity);
  if (!((x !== undefined || a instanceof Float) && (y !== undefined || b instanceof Float))) return undefined;
  return new Float(ofFloats(floatOf(a) as number, floatOf(b) as number));
}

/** The same calculation on ints and on floats. */
function calculated(a: Value, b: Value, calculate: Calculation<number>): Value | undefined {
  return ofNumbers(a, b, (x, y) => exact(calculate(x, y)), calculate);
}

export function add(a: Value, b: Value): Value {
  if (a instanceof Str && b instanceof Str) return concatenated(a, b);
  if ((a instanceof Str || a instanceof Safe) && (b instanceof Str || b instanceof Safe)) return Safe.sum(a, b);
  if (a instanceof Str && !(b instanceof Undefined)) return raise('TypeError', `can only concatenate str (not "${typeName(b)}") to str`);
  const sum = calculated(a, b, (x, y) => x + y);
  if (sum !== undefined) return sum;
  if (a instanceof Sequence && !(b instanceof Undefined)) {
    if (!(b instanceof Sequence) || b.kind !== a.kind)
      return raise('TypeError', `can only concatenate ${a.kind} (not "${typeName(b)}") to ${a.kind}`);
    reserveItems(a.items.length + b.items.length);
    return a.with([...a.items, ...b.items]);
  }
  return unsupported('+', a, b);
}

export function subtract(a: Value, b: Value): Value {
  const difference = calculated(a, b, (x, y) => x - y);
  if (difference !== undefined) return difference;
  if (a instanceof DictView && a.kind !== 'values' && !(b instanceof Undefined)) leftOut('sets, as the difference of keys');
  return unsupported('-', a, b);
}

export function multiply(a: Value, b: Value): Value {
  const product = calculated(a, b, (x, y) => x * y);
  if (product !== undefined) return product;
  if (isSequence(a) && !(b instanceof Undefined)) return times(a, b);
  if (isSequence(b) && !(a instanceof Undefined)) return times(b, a);
  return unsupported('*', a, b);
}

function isSequence(value: Value): value is Str | Sequence {
  return value instanceof Str || value instanceof Sequence;
}

function times(sequence: Str | Sequence, count: Value): Value {
  const int = intOf(count);
  if (int === undefined) return raise('TypeError', `can't multiply sequence by non-int of type '${typeName(count)}'`);
  if (typeof int === 'bigint') return raise('OverflowError', "cannot fit 'int' into an index-sized integer");
  if (sequence instanceof Str) return repeated(sequence, int);
  if (int <= 0 || sequence.items.length === 0) return sequence.with([]);
  reserveItems(sequence.items.length * int);
  const items: Value[] = [];
  for (let time = 0; time < int; time++) for (const item of sequence.items) items.push(item);
  return sequence.with(items);
}

const divisionByZero = (what: string) => raise('ZeroDivisionError', what);

export function divide(a: Value, b: Value): Value {
  const quotient = (x: number, y: number) => (y === 0 ? divisionByZero('division by zero') : x / y);
  return ofNumbers(a, b, (x, y) => new Float(quotient(x, y)), quotient) ?? unsupported('/', a, b);
}

export function floorDivide(a: Value, b: Value): Value {
  return ofNumbers(a, b, floorDivideInts, floorDivideFloats) ?? unsupported('//', a, b);
}

function floorDivideInts(a: number, b: number): number {
  if (b === 0) divisionByZero('integer division or modulo by zero');
  const rest = a % b;
  return (a - rest) / b - (rest !== 0 && rest < 0 !== b < 0 ? 1 : 0) + 0;
}

function floorDivideFloats(a: number, b: number): number {
  if (b === 0) divisionByZero('float floor division by zero');
  const rest = a % b;
  let quotient = (a - rest) / b;
  if (rest !== 0 && rest < 0 !== b < 0) quotient -= 1;
  if (quotient === 0) return Object.is(a / b, -0) || a / b < 0 ? -0 : 0;
  const floor = Math.floor(quotient);
  return quotient - floor > 0.5 ? floor + 1 : floor;
}

export function modulo(a: Value, b: Value): Value {
  if (a instanceof Str) return formatPercent(a, b);
  return ofNumbers(a, b, moduloInts, moduloFloats) ?? unsupported('%', a, b);
}

function moduloInts(a: number, b: number): number {
  if (b === 0) divisionByZero('integer modulo by zero');
  const rest = a % b;
  return rest !== 0 && rest < 0 !== b < 0 ? rest + b : rest + 0;
}

function moduloFloats(a: number, b: number): number {
  if (b === 0) divisionByZero('float modulo');
  const rest = a % b;
  if (rest === 0) return b < 0 || Object.is(b, -0) ? -0 : 0;
  return rest < 0 !== b < 0 ? rest + b : rest;
}

export function power(a: Value, b: Value): Value {
  return ofNumbers(a, b, (x, y) => (y < 0 ? new Float(powerOfFloats(x, y)) : powerOfInts(x, y)), powerOfFloats) ?? unsupported('**', a, b);
}

/** The exponent must not be negative. */
function powerOfInts(base: number, exponent: number): number {
  // All other powers of 64 and more are beyond 2^53.
  return exact(exponent < 64 || Math.abs(base) < 2 ? Number(BigInt(base) ** BigInt(exponent)) : Infinity);
}

function powerOfFloats(base: number, exponent: number): number {
  if (exponent === 0 || base === 1) return 1;
  if (base === 0 && exponent < 0) raise('ZeroDivisionError', '0.0 cannot be raised to a negative power');
  if (base === -1 && !Number.isFinite(exponent)) return Number.isNaN(exponent) ? exponent : 1;
  const isFinite = Number.isFinite(base) && Number.isFinite(exponent);
  if (isFinite && base < 0 && !Number.isInteger(exponent)) leftOut('complex numbers, as the power of a negative number to a fraction');
  const result = base ** exponent;
  if (!Number.isFinite(result) && isFinite) raise('OverflowError', "(34, 'Numerical result out of range')");
  return result;
}

export function negative(value: Value): Value {
  const int = intOf(value);
  if (int !== undefined) return typeof int === 'bigint' ? -int : 0 - int;
  return value instanceof Float ? new Float(-value.value) : badUnary('-', value);
}

export function positive(value: Value): Value {
  return intOf(value) ?? (value instanceof Float ? value : badUnary('+', value));
}

function badUnary(operator: string, value: Value): never {
  if (value instanceof Undefined) value.fail();
  return raise('TypeError', `bad operand type for unary ${operator}: '${typeName(value)}'`);
}

export const OPERATIONS: Record<BinaryOperator, (a: Value, b: Value) => Value> = {
  '+': add,
  '-': subtract,
  '*': multiply,
  '/': divide,
  '//': floorDivide,
  '%': modulo,
  '**': power,
};

export const COMPARISONS: Record<Comparison, (a: Value, b: Value) => boolean> = {
  '==': equal,
  '!=': (a, b) => !equal(a, b),
  '<': (a, b) => compareValues(a, b, '<') < 0,
  '<=': (a, b) => compareValues(a, b, '<=') <= 0,
  '>': (a, b) => compareValues(a, b, '>') > 0,
  '>=': (a, b) => compareValues(a, b, '>=') >= 0,
  in: (a, b) => contains(b, a),
  'not in': (a, b) => !contains(b, a),
};
