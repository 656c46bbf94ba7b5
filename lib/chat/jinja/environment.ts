// All filters and tests by name, and calls of filters and tests whose name is a value.

import { raise } from './errors.js';
import type { Filter } from './filters/define.js';
import { PLAIN_FILTERS } from './filters/index.js';
import { lazyFilters } from './filters/lazy.js';
import { isNamed, plain, PLAIN_TESTS, type Test } from './tests.js';
import type { Keywords, Value } from './values/object.js';
import { Str } from './values/str.js';
import { Undefined } from './values/undefined.js';
import { repr } from './values/writer.js';

export const FILTERS: ReadonlyMap<string, Filter> = new Map([...PLAIN_FILTERS, ...lazyFilters(callFilter, callTest)]);

export const TESTS: ReadonlyMap<string, Test> = new Map([
  ...PLAIN_TESTS,
  plain('filter', (value) => isNamed(FILTERS, value)),
  plain('test', (value) => isNamed(TESTS, value)),
]);

/** Calls a filter whose name is a value. */
function callFilter(name: Value, value: Value, args: readonly Value[], keywords: Keywords): Value {
  const found = name instanceof Str ? FILTERS.get(name.text) : undefined;
  return found ? found(value, args, keywords) : unknownName('filter', name);
}

function unknownName(kind: 'filter' | 'test', name: Value): never {
  const hint = name instanceof Undefined ? '; did you forget to quote the callable name?' : '';
  return raise('TemplateRuntimeError', `No ${kind} named ${repr(name).text}.${hint}`);
}

/** Calls a test whose name is a value. */
function callTest(name: Value, value: Value, args: readonly Value[], keywords: Keywords): Value {
  const found = name instanceof Str ? TESTS.get(name.text) : undefined;
  return found ? found(value, args, keywords) : unknownName('test', name);
}
