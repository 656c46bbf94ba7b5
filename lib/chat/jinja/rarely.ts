// What few templates use: formats, bytes, line breaking, pretty printing, time, methods of numbers.

import { Part } from '../parts.js';
import type { Frame } from './compile/frame.js';
import type { Execute } from './compile/signals.js';
import type { Body, Compiler } from './compile/statements.js';
import type { Filter } from './filters/define.js';
import type { Block, Statement } from './nodes.js';
import type { Parser } from './parser.js';
import type { Context } from './runtime/activation.js';
import type { Method } from './values/callable.js';
import type { Keywords, Value } from './values/object.js';
import type { Str } from './values/str.js';

type Methods = ReadonlyMap<string, Method<never>>;

export type RareStatement = Extract<Statement, { kind: 'filter block' | 'call block' | 'with' | 'block' | 'autoescape' | 'other template' }>;

/** What rare.ts has. */
export interface RareContents {
  FLOAT_METHODS: Methods;
  INT_METHODS: Methods;
  RANGE_METHODS: Methods;
  SET_METHODS: Methods;
  VIEW_METHODS: Methods;
  STR_METHODS: ReadonlyMap<string, Method<Str>>;
  FILTERS: ReadonlyMap<string, Filter>;
  TAGS: ReadonlyMap<string, (parser: Parser, at: number) => Statement>;
  compileRare(node: RareStatement, frame: Frame, compiler: Compiler): Execute;
  checkedBlocks(statements: readonly Statement[], source: string): Block[];
  selfReference(context: Context, blocks: ReadonlyMap<string, Body>): Value;
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
