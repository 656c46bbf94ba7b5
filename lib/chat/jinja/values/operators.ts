// Arithmetic on values: `+ - * / // % **`.

import { reserveItems } from '../budget.js';
import { raise } from '../errors.js';
import { rarely } from '../rarely.js';
import { List, Sequence } from './containers.js';
import { DictView } from './dict.js';
import { Float, intToFloat } from './float.js';
import { addInts, type Int, moduloInts, multiplyInts, subtractInts } from './int.js';
import { typeName, type Value } from './object.js';
import { Safe } from './safe.js';
import { concatenated, repeated, Str } from './str.js';
import { Undefined } from './undefined.js';

export type BinaryOperator = '+' | '-' | '*' | '/' | '//' | '%' | '**';

/** An int or bool as an int; undefined for others. */
export function intOf(value: Value): Int | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  return typeof value === 'boolean' ? Number(value) : undefined;
}

/** A number as a float; undefined for others. */
export function floatOf(value: Value): number | undefined {
  if (value instanceof Float) return value.value;
  const int = intOf(value);
  return int === undefined ? undefined : intToFloat(int);
}

export function unsupported(operator: string, a: Value, b: Value): never {
  if (a instanceof Safe) a.refuse();
  if (b instanceof Safe) b.refuse();
  if (a instanceof Undefined) a.fail();
  if (b instanceof Undefined) b.fail();
  const shown = operator === '**' ? '** or pow()' : operator;
  return raise('TypeError', `unsupported operand type(s) for ${shown}: '${typeName(a)}' and '${typeName(b)}'`);
}

/** Arithmetic on two numbers; undefined unless both are numbers. */
export function ofNumbers(
  a: Value,
  b: Value,
  ofInts: (a: Int, b: Int) => Value,
  ofFloats: (a: number, b: number) => number,
): Value | undefined {
  const [x, y] = [intOf(a), intOf(b)];
  if (x !== undefined && y !== undefined) return ofInts(x, y);
  if (!((x !== undefined || a instanceof Float) && (y !== undefined || b instanceof Float))) return undefined;
  return new Float(ofFloats(floatOf(a) as number, floatOf(b) as number));
}

export function add(a: Value, b: Value): Value {
  if (a instanceof Str && b instanceof Str) return concatenated(a, b);
  if ((a instanceof Str || a instanceof Safe) && (b instanceof Str || b instanceof Safe)) return Safe.sum(a, b);
  if (a instanceof Str) {
    if (b instanceof Undefined) return unsupported('+', a, b);
    return raise('TypeError', `can only concatenate str (not "${typeName(b)}") to str`);
  }
  const sum = ofNumbers(a, b, addInts, (x, y) => x + y);
  if (sum !== undefined) return sum;
  if (a instanceof Sequence && !(b instanceof Undefined)) {
    if (!(b instanceof Sequence) || b.kind !== a.kind)
      return raise('TypeError', `can only concatenate ${a.kind} (not "${typeName(b)}") to ${a.kind}`);
    reserveItems(a.items.length + b.items.length);
    return a.kind === 'list' ? new List([...a.items, ...b.items]) : a.with([...a.items, ...b.items]);
  }
  return unsupported('+', a, b);
}

export function subtract(a: Value, b: Value): Value {
  const difference = ofNumbers(a, b, subtractInts, (x, y) => x - y);
  if (difference !== undefined) return difference;
  return (a instanceof DictView && !(b instanceof Undefined) ? a.minus(b) : undefined) ?? unsupported('-', a, b);
}

export function multiply(a: Value, b: Value): Value {
  const product = ofNumbers(a, b, multiplyInts, (x, y) => x * y);
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
  if (typeof int === 'bigint' && (int >= 2n ** 63n || int < -(2n ** 63n)))
    raise('OverflowError', "cannot fit 'int' into an index-sized integer");
  if (sequence instanceof Str) return repeated(sequence, Number(int));
  if (int <= 0 || sequence.items.length === 0) return sequence.with([]);
  const length = sequence.items.length * Number(int);
  reserveItems(length);
  const items: Value[] = [];
  for (let time = 0; time < Number(int); time++) for (const item of sequence.items) items.push(item);
  return sequence.with(items);
}

export function modulo(a: Value, b: Value): Value {
  if (a instanceof Str) return rarely().formatPercent(a, b);
  return ofNumbers(a, b, moduloInts, moduloFloats) ?? unsupported('%', a, b);
}

function moduloFloats(a: number, b: number): number {
  if (b === 0) raise('ZeroDivisionError', 'float modulo');
  const rest = a % b;
  if (rest === 0) return b < 0 || Object.is(b, -0) ? -0 : 0;
  return rest < 0 !== b < 0 ? rest + b : rest;
}

export function negative(value: Value): Value {
  const int = intOf(value);
  if (int !== undefined) return subtractInts(0, int);
  if (value instanceof Float) return new Float(-value.value);
  return badUnary('-', value);
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
  '/': (a, b) => rarely().divide(a, b),
  '//': (a, b) => rarely().floorDivide(a, b),
  '%': modulo,
  '**': (a, b) => rarely().power(a, b),
};

/** Whether values are the same object, as in `is`: equal numbers and texts count as the same. */
export function isSame(a: Value, b: Value): boolean {
  return a === b || (a instanceof Str && b instanceof Str && a.equals(b));
}
