// The methods of Python's types.

import { unsupported } from '../errors.js';
import type { Method } from '../values/callable.js';
import { DictView, Dict } from '../values/dict.js';
import { List, PySet, Range, Tuple } from '../values/containers.js';
import { Float } from '../values/float.js';
import { PyObject, type Value } from '../values/object.js';
import { Str } from '../values/str.js';
import { CASE_METHODS } from './case.js';
import { DICT_METHODS, SEQUENCE_METHODS } from './collections.js';
import { rarely } from '../rarely.js';
import { SEARCH_METHODS } from './search.js';
import { SPLIT_METHODS } from './split.js';
import { TEXT_METHODS } from './text.js';

export type Methods = ReadonlyMap<string, Method<never>>;

/** The methods of rare.ts. */
const RARE =
  'casefold center count expandtabs find format index isalnum isalpha isascii isdecimal isdigit isidentifier islower isnumeric isprintable isspace istitle isupper ljust partition removeprefix removesuffix rfind rindex rjust rpartition splitlines swapcase title zfill'.split(
    ' ',
  );

/** Methods of Python's texts that make bytes, or characters from numbers. */
const LEFT_OUT = ['encode', 'format_map', 'maketrans', 'translate'];

const STR: Methods = new Map([
  ...TEXT_METHODS,
  ...SEARCH_METHODS,
  ...SPLIT_METHODS,
  ...CASE_METHODS,
  ...LEFT_OUT.map((name): [string, Method<Str>] => [name, () => unsupported(`the method '${name}' of texts`)]),
  ...RARE.map((name): [string, Method<Str>] => [
    name,
    (self, args, keywords) => (rarely().STR_METHODS.get(name) as Method<Str>)(self, args, keywords),
  ]),
]);

export function methodsOf(value: Value): Methods | undefined {
  if (value instanceof Str) return STR;
  if (value instanceof Dict) return DICT_METHODS;
  if (value instanceof List) return SEQUENCE_METHODS.list;
  if (value instanceof Tuple) return SEQUENCE_METHODS.tuple;
  if (value instanceof Float) return rarely().FLOAT_METHODS;
  if (value instanceof DictView) return rarely().VIEW_METHODS;
  if (value instanceof Range) return rarely().RANGE_METHODS;
  if (value instanceof PySet) return rarely().SET_METHODS;
  if (value instanceof PyObject) return undefined;
  return value === null ? undefined : rarely().INT_METHODS;
}

/** Whether a dict has a method of that name, which hides a key. */
export function isDictMethod(name: string): boolean {
  return DICT_METHODS.has(name);
}
