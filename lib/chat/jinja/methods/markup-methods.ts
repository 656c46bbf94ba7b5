// Methods of Markup in addition to str's.

import { BudgetError } from '../errors.js';
import { bind, type Method, signature } from '../values/callable.js';
import { escape } from '../values/markup.js';
import type { Value } from '../values/object.js';
import type { Str } from '../values/str.js';

const refused = (name: string): [string, Method<Str>] => [
  name,
  () => {
    throw new BudgetError(`the method '${name}' of Markup is not available in chat templates`, 'NotImplementedError');
  },
];

const ESCAPE = signature('escape(s)');

export const MARKUP_METHODS = new Map<string, Method<Str>>([
  ['escape', (_self, args, keywords) => escape(bind(ESCAPE, args, keywords)[0] as Value)],
  refused('unescape'),
  refused('striptags'),
]);
