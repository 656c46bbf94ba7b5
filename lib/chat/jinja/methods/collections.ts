// Methods of dicts, lists, tuples and ranges that change nothing.

import { reserveItems, spend } from '../budget.js';
import { raise } from '../errors.js';
import { asBound, type Method, taking, within } from '../values/callable.js';
import { isEqualOrSame } from '../values/compare.js';
import { Dict, DictView } from '../values/dict.js';
import { itemsOf, List, type Range, type Sequence } from '../values/list.js';
import { type Value, valueOr } from '../values/object.js';
import { repr } from '../values/writer.js';

/** `dict.fromkeys` */
export function fromKeys(keys: Value, value: Value = null): Dict {
  const dict = new Dict();
  for (const key of itemsOf(keys)) dict.set(key, value);
  return dict;
}

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

function indexInRange(self: Range, value: Value): number {
  const index = self.indexOf(value);
  return index < 0 ? raise('ValueError', `${repr(value).text} is not in range`) : index;
}

function copied(self: List): List {
  reserveItems(self.items.length);
  return new List([...self.items]);
}

export const DICT_METHODS = new Map<string, Method<Dict>>([
  ['get', taking('get(key, default=, /)', (self: Dict, key, absent: Value = null) => valueOr(self.get(key as Value), () => absent))],
  ['items', taking('items()', (self) => new DictView(self, 'items'))],
  ['keys', taking('keys()', (self) => new DictView(self, 'keys'))],
  ['values', taking('values()', (self) => new DictView(self, 'values'))],
  ['copy', taking('copy()', (self) => self.copy())],
  ['fromkeys', taking('fromkeys(iterable, value=, /)', (_self, keys, value) => fromKeys(keys as Value, value))],
  // Stand for methods that change the dict: the sandbox withholds them, so they are never called.
  ...['clear', 'pop', 'popitem', 'setdefault', 'update'].map((name): [string, Method<Dict>] => [name, () => null]),
]);

export const TUPLE_METHODS = new Map<string, Method<Sequence>>([
  ['index', taking('index(value, start=, stop=, /)', indexIn)],
  ['count', taking('count(value, /)', countIn)],
]);

export const LIST_METHODS = new Map<string, Method<never>>([...TUPLE_METHODS, ['copy', taking('copy()', copied)]]);

export const KEYS_METHODS = new Map<string, Method<DictView>>([
  ['isdisjoint', taking('isdisjoint(other, /)', (self: DictView, other) => !itemsOf(other as Value).some((each) => self.contains(each)))],
]);

export const RANGE_METHODS = new Map<string, Method<Range>>([
  ['index', taking('index(value, /)', indexInRange)],
  ['count', taking('count(value, /)', (self: Range, value) => Number(self.contains(value as Value)))],
]);
