// How statements run, and what compiles them.

import type { Expression, Statement } from '../nodes.js';
import type { Activation, Context } from '../runtime/activation.js';
import type { Output } from '../runtime/output.js';
import type { Scope } from '../scopes.js';
import type { Value } from '../values/object.js';
import type { Str } from '../values/str.js';
import type { Evaluate, Frame } from './frame.js';

/** How a statement ended: NEXT, or what the loop around it is to do. */
export type Signal = typeof NEXT | typeof BREAK | typeof CONTINUE;
export const NEXT = 0;
export const BREAK = 1;
export const CONTINUE = 2;

export type Execute = (activation: Activation) => Signal;

/** A template or block: writes to its output. */
export type Body = (context: Context, out: Output) => void;

/** A position in the source, or what finds it where compiling has been put off. */
export type Mark = number | (() => number);

/** What a loop goes over: only the elements that pass the loop's test. */
export type Filtered = (activation: Activation, over: Value) => Value;

/** Whether anything assigns to a name, and whether a block sees the variables around it. */
export interface Oddities {
  assigns: boolean;
  hasBlock: boolean;
  hasScopedBlock: boolean;
}

/** What compiles statements. */
export interface Statements {
  /** What the whole template has, so that loops need not look for it. */
  readonly oddities: Oddities;
  /** Remembers a line as Jinja's code generator does. */
  mark(at: number): number;
  /** Compiles something at once, or when it is first asked for if nothing in the template could be refused then. */
  later<Compiled>(compile: () => Compiled): () => Compiled;
  expression(node: Expression, frame: Frame): Evaluate;
  statements(list: readonly Statement[], frame: Frame): Execute;
}

/** What compiles the rare ones, too. */
export interface StatementCompiler extends Statements {
  /** The line that Jinja would give an error of what is compiled now. */
  readonly marked: Mark;
  readonly blocks: ReadonlyMap<string, Body>;
  /** Runs statements in a scope of their own, and hands over what they write. */
  captured(
    scope: Scope,
    body: readonly Statement[],
    frame: Frame,
    use: (frame: Frame) => (activation: Activation, text: Str) => void,
  ): Execute;
}
