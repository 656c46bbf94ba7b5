// Converts function arguments to the types wanted, with Python's errors.

import { raise } from '../errors.js';
import { type Value, typeName } from './object.js';
import { intOf } from './operators.js';
import { Str } from './str.js';

/** An integer. Integers beyond all lengths count as the largest. */
export function asIndex(value: Value | undefined, absent: number): number {
  if (value === undefined) return absent;
  const int = intOf(value);
  if (int === undefined) return raise('TypeError', `'${typeName(value)}' object cannot be interpreted as an integer`);
  return Number(int);
}

/** An index in a sequence, or None for its beginning or end. */
export function asBound(value: Value | undefined, absent: number): number {
  if (value === undefined || value === null) return absent;
  const int = intOf(value);
  if (int === undefined) return raise('TypeError', 'slice indices must be integers or None or have an __index__ method');
  return Number(int);
}

export function asStr(value: Value | undefined, what: string): Str {
  if (value instanceof Str) return value;
  return raise('TypeError', `${what} must be str, not ${typeName(value ?? null)}`);
}

/** Start and end of a slice with step 1, clamped to the length. */
export function within(start: number, stop: number, length: number): [number, number] {
  const from = start < 0 ? Math.max(0, start + length) : start;
  const to = stop < 0 ? Math.max(0, stop + length) : Math.min(stop, length);
  return [from, to];
}
