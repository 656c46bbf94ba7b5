// Rarely used features of values: formats, methods of numbers. Rare tags are in
// tags.ts, and their compiler in compile/rarely.ts.

import { Part } from '../parts.js';
import type { Filter } from './filters/define.js';
import type { Method } from './values/callable.js';
import type { Keywords, Value } from './values/object.js';
import type { Str } from './values/str.js';

type Methods = ReadonlyMap<string, Method<never>>;

/** The exports of rare.ts. */
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
  countParts: typeof import('./methods/parts.js').countParts;
  countLines: typeof import('./methods/parts.js').countLines;
  macroAttribute: typeof import('./runtime/macro-shape.js').macroAttribute;
  unescapedAt: typeof import('./escapes.js').unescapedAt;
  tokenName: typeof import('./complaints.js').tokenName;
  unexpectedToken: typeof import('./complaints.js').unexpectedToken;
  unendedTag: typeof import('./complaints.js').unendedTag;
  unknownTag: typeof import('./complaints.js').unknownTag;
}

export const rare = new Part<RareContents>();

/** The time formatter, for templates that begin with today's date. Separate, since most of them need no other rare part. */
export const clock = new Part<typeof import('./time.js')>();

/** Throws a MissingPart before it has been loaded. */
export function rarely(): RareContents {
  return rare.contents;
}
