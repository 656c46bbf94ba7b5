// Methods of ranges, sets and views.

import { raise } from '../errors.js';
import { bind, type Method, signature } from '../values/callable.js';
import { itemsOf, PySet, type Range } from '../values/containers.js';
import type { DictView } from '../values/dict.js';
import type { Keywords, Value } from '../values/object.js';
import { repr } from '../values/writer.js';

const ONE = signature('method(value, /)');

export const RANGE_METHODS = new Map<string, Method<Range>>([
  [
    'index',
    (self, args, keywords) => {
      const [value] = bind(ONE, args, keywords) as [Value];
      const index = self.indexOf(value);
      return index < 0 ? raise('ValueError', `${repr(value).text} is not in range`) : index;
    },
  ],
  ['count', (self, args, keywords) => Number(self.contains((bind(ONE, args, keywords) as [Value])[0]))],
]);

function isDisjoint(self: PySet | DictView, args: readonly Value[], keywords: Keywords): boolean {
  const [others] = bind(ONE, args, keywords) as [Value];
  return !itemsOf(others).some((each) => self.contains(each));
}

export const VIEW_METHODS = new Map<string, Method<DictView>>([
  [
    'isdisjoint',
    (self, args, keywords) =>
      self.kind === 'values' ? raise('TypeError', "'dict_values' object has no attribute 'isdisjoint'") : isDisjoint(self, args, keywords),
  ],
]);

const setOf = (value: Value) => (value instanceof PySet ? value : new PySet(itemsOf(value)));

export const SET_METHODS = new Map<string, Method<PySet>>([
  ['isdisjoint', isDisjoint],
  ['copy', (self) => new PySet(itemsOf(self))],
  ['union', (self, args) => new PySet([self, ...args].flatMap((each) => itemsOf(each)))],
  ['intersection', (self, args) => new PySet(itemsOf(self).filter((each) => args.every((other) => setOf(other).contains(each))))],
  ['difference', (self, args) => new PySet(itemsOf(self).filter((each) => !args.some((other) => setOf(other).contains(each))))],
  [
    'symmetric_difference',
    (self, args) => {
      const other = setOf(args[0] as Value);
      return new PySet([
        ...itemsOf(self).filter((each) => !other.contains(each)),
        ...itemsOf(other).filter((each) => !self.contains(each)),
      ]);
    },
  ],
  ['issubset', (self, args) => itemsOf(self).every((each) => setOf(args[0] as Value).contains(each))],
  ['issuperset', (self, args) => itemsOf(args[0] as Value).every((each) => self.contains(each))],
]);
