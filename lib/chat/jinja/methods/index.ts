// The methods of Python's types; text-methods.ts has the methods of texts. No method changes anything.

import { spend } from '../budget.js';
import { raise, unsupported } from '../template-errors.js';
import { asBound, type Method, taking, within } from '../values/callable.js';
import { isEqualOrSame } from '../values/compare.js';
import { Dict, DictView } from '../values/dict.js';
import { List, Range, type Sequence, Tuple } from '../values/list.js';
import { Float } from '../values/numbers.js';
import { PyObject, type Value, valueOr } from '../values/object.js';
import { Str } from '../values/text.js';
import { repr } from '../values/writer.js';
import { TEXT_METHODS } from './text-methods.js';

export type Methods = ReadonlyMap<string, Method<never>>;

/** Stands for methods that change what they are of: the sandbox withholds them, so it is never called. */
export const WITHHELD: Method<never> = () => null;

const withheld = (names: string) => names.split(' ').map((name): [string, Method<never>] => [name, WITHHELD]);

const leftOut = (names: string, of: string) =>
  names.split(' ').map((name): [string, Method<never>] => [name, () => unsupported(`the method '${name}' of ${of}`)]);

function indexIn(self: Sequence, value: Value, start?: Value, stop?: Value): number {
  const [from, to] = within(asBound(start, 0), asBound(stop, Infinity), self.items.length);
  spend(self.items.length);
  for (let i = from; i < to; i++) if (isEqualOrSame(self.items[i] as Value, value)) return i;
  return raise('ValueError', self.kind === 'list' ? `${repr(value).text} is not in list` : 'tuple.index(x): x not in tuple');
}

function countIn(self: Sequence, value: Value): number {
  spend(self.items.length);
  return self.items.filter((each) => isEqualOrSame(each, value)).length;
}

const STR: Methods = new Map<string, Method<never>>([
  ...TEXT_METHODS,
  ...leftOut('casefold encode expandtabs format_map isidentifier istitle maketrans swapcase translate', 'texts'),
]);

const DICT: Methods = new Map<string, Method<never>>([
  ...taking<Dict>({
    'get(key, default=, /)': (self, key, absent: Value = null) => valueOr(self.get(key), () => absent),
    items: (self) => new DictView(self, 'items'),
    keys: (self) => new DictView(self, 'keys'),
    values: (self) => new DictView(self, 'values'),
    copy: (self) => self.copy(),
  }),
  ...withheld('clear pop popitem setdefault update'),
  ...leftOut('fromkeys', 'dicts'),
]);

const TUPLE: Methods = new Map<string, Method<never>>(
  taking<Sequence>({ 'index(value, start=, stop=, /)': indexIn, 'count(value, /)': countIn }),
);

const LIST: Methods = new Map<string, Method<never>>([
  ...TUPLE,
  ...taking<List>({ copy: (self) => new List(self.items) }),
  ...withheld('append clear pop reverse insert sort extend remove'),
]);

const RANGE: Methods = new Map<string, Method<never>>(leftOut('index count', 'ranges'));

const KEYS: Methods = new Map<string, Method<never>>(leftOut('isdisjoint', 'keys and items'));

const INT: Methods = new Map<string, Method<never>>(leftOut('as_integer_ratio bit_count bit_length conjugate from_bytes to_bytes', 'ints'));

const FLOAT: Methods = new Map<string, Method<never>>([
  ...taking<Float>({ is_integer: ({ value }) => Number.isInteger(value) }),
  ...leftOut('as_integer_ratio conjugate fromhex hex', 'floats'),
]);

export function methodsOf(value: Value): Methods | undefined {
  if (value instanceof Str) return STR;
  if (value instanceof Dict) return DICT;
  if (value instanceof List) return LIST;
  if (value instanceof Tuple) return TUPLE;
  if (value instanceof Range) return RANGE;
  if (value instanceof Float) return FLOAT;
  if (value instanceof DictView && value.kind !== 'values') return KEYS;
  return value === null || value instanceof PyObject ? undefined : INT;
}

/** Whether a dict has a method of that name, which hides a key. */
export function isDictMethod(name: string): boolean {
  return DICT.has(name);
}
