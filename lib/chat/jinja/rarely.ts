// What few templates use of values: formats, bytes, line breaking, pretty printing, time, methods of numbers. Rare tags are in
// tags.ts, and how they are compiled in compile/rarely.ts.

import { Part } from '../parts.js';
import type { Filter } from './filters/define.js';
import type { Method } from './values/callable.js';
import type { Keywords, Value } from './values/object.js';
import type { Str } from './values/str.js';

type Methods = ReadonlyMap<string, Method<never>>;

/** What rare.ts has. */
export interface RareContents {
  FLOAT_METHODS: Methods;
  INT_METHODS: Methods;
  RANGE_METHODS: Methods;
  SET_METHODS: Methods;
  VIEW_METHODS: Methods;
  STR_METHODS: ReadonlyMap<string, Method<Str>>;
  FILTERS: ReadonlyMap<string, Filter>;
  cycler(args: readonly Value[]): Value;
  joiner(args: readonly Value[], keywords: Keywords): Value;
  divide(a: Value, b: Value): Value;
  floorDivide(a: Value, b: Value): Value;
  power(a: Value, b: Value): Value;
  /** `format % values` */
  formatPercent(format: Str, values: Value): Str;
  /** strftime */
  formatTime(date: Date, format: string): string;
  prettyPrinted(value: Value): Str;
}

export const rare = new Part<RareContents>();

/** Throws a MissingPart before it has been loaded. */
export function rarely(): RareContents {
  return rare.contents;
}
