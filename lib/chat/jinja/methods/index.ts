// The methods of Python's types.

import { unsupported } from '../errors.js';
import { type Method, taking } from '../values/callable.js';
import { Dict, DictView } from '../values/dict.js';
import { List, Range, Tuple } from '../values/list.js';
import { bitLength, Float, type Int, intOf } from '../values/numbers.js';
import { PyObject, type Value } from '../values/object.js';
import { Str } from '../values/text.js';
import { CASE_METHODS } from './case.js';
import { DICT_METHODS, KEYS_METHODS, LIST_METHODS, RANGE_METHODS, TUPLE_METHODS } from './collections.js';
import { TEXT_METHODS } from './text.js';

export type Methods = ReadonlyMap<string, Method<never>>;

const leftOut = (names: string, of: string) =>
  names.split(' ').map((name): [string, Method<never>] => [name, () => unsupported(`the method '${name}' of ${of}`)]);

const STR: Methods = new Map<string, Method<never>>([
  ...TEXT_METHODS,
  ...CASE_METHODS,
  ...leftOut('casefold encode expandtabs format_map istitle maketrans swapcase translate', 'texts'),
]);

const INT: Methods = new Map<string, Method<never>>([
  ['bit_length', taking('bit_length()', (self: Value) => bitLength(intOf(self) as Int))],
  ...leftOut('as_integer_ratio bit_count conjugate from_bytes to_bytes', 'ints'),
]);

const FLOAT: Methods = new Map<string, Method<never>>([
  ['is_integer', taking('is_integer()', ({ value }: Float) => Number.isInteger(value))],
  ...leftOut('as_integer_ratio conjugate fromhex hex', 'floats'),
]);

export function methodsOf(value: Value): Methods | undefined {
  if (value instanceof Str) return STR;
  if (value instanceof Dict) return DICT_METHODS;
  if (value instanceof List) return LIST_METHODS;
  if (value instanceof Tuple) return TUPLE_METHODS;
  if (value instanceof Range) return RANGE_METHODS;
  if (value instanceof Float) return FLOAT;
  if (value instanceof DictView && value.kind !== 'values') return KEYS_METHODS;
  return value === null || value instanceof PyObject ? undefined : INT;
}

/** Whether a dict has a method of that name, which hides a key. */
export function isDictMethod(name: string): boolean {
  return DICT_METHODS.has(name);
}
