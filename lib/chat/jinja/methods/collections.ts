// Non-mutating methods of dicts, lists, tuples, ranges, sets and views.

import { reserveItems, spend } from '../budget.js';
import { raise } from '../errors.js';
import { asBound, within } from '../values/arguments.js';
import { bind, type Method, signature } from '../values/callable.js';
import { isEqualOrSame } from '../values/compare.js';
import { itemsOf, List, type Sequence, type Tuple } from '../values/containers.js';
import { Dict, DictView } from '../values/dict.js';
import { type Keywords, type Value, valueOr } from '../values/object.js';
import { repr } from '../values/writer.js';

const NONE = signature('method()');
const ONE = signature('method(value, /)');
const GET = signature('get(key, default=, /)');
const INDEX = signature('index(value, start=, stop=, /)');

/** Stands for mutating methods, which the sandbox withholds, so it is never called. */
const withheld: Method<Dict> = () => null;

const view =
  (kind: 'keys' | 'values' | 'items'): Method<Dict> =>
  (self, args, keywords) => {
    bind(NONE, args, keywords);
    return new DictView(self, kind);
  };

/** `dict.fromkeys` */
export function fromKeys(args: readonly Value[], keywords: Keywords): Dict {
  const [keys, value = null] = bind(signature('fromkeys(iterable, value=, /)'), args, keywords);
  const dict = new Dict();
  for (const key of itemsOf(keys as Value)) dict.set(key, value);
  return dict;
}

export const DICT_METHODS = new Map<string, Method<Dict>>([
  [
    'get',
    (self, args, keywords) => {
      const [key, absent = null] = bind(GET, args, keywords);
      return valueOr(self.get(key as Value), () => absent);
    },
  ],
  ['items', view('items')],
  ['keys', view('keys')],
  ['values', view('values')],
  [
    'copy',
    (self, args, keywords) => {
      bind(NONE, args, keywords);
      return self.copy();
    },
  ],
  ['fromkeys', (_self, args, keywords) => fromKeys(args, keywords)],
  ...['clear', 'pop', 'popitem', 'setdefault', 'update'].map((name): [string, Method<Dict>] => [name, withheld]),
]);

function indexIn(self: Sequence, args: readonly Value[], keywords: Keywords): number {
  const [value, start, stop] = bind(INDEX, args, keywords) as [Value, Value?, Value?];
  const [from, to] = within(asBound(start, 0), asBound(stop, Infinity), self.items.length);
  spend(self.items.length);
  for (let i = from; i < to; i++) if (isEqualOrSame(self.items[i] as Value, value)) return i;
  return raise('ValueError', self.kind === 'list' ? `${repr(value).text} is not in list` : 'tuple.index(x): x not in tuple');
}

function countIn(self: Sequence, args: readonly Value[], keywords: Keywords): number {
  const [value] = bind(ONE, args, keywords) as [Value];
  spend(self.items.length);
  return self.items.filter((each) => isEqualOrSame(each, value)).length;
}

export const SEQUENCE_METHODS = {
  list: new Map<string, Method<List>>([
    ['index', indexIn],
    ['count', countIn],
    [
      'copy',
      (self, args, keywords) => {
        bind(NONE, args, keywords);
        reserveItems(self.items.length);
        return new List([...self.items]);
      },
    ],
  ]),
  tuple: new Map<string, Method<Tuple>>([
    ['index', indexIn],
    ['count', countIn],
  ]),
};
