// How statements run, and the interface of their compiler.

import type { Expression, Statement } from '../nodes.js';
import type { Activation, Context } from '../runtime/activation.js';
import type { Scope } from '../scopes.js';
import type { Value } from '../values/object.js';
import type { Str, TextBuilder } from '../values/str.js';
import type { Evaluate, Frame } from './frame.js';

/** How a statement ended: NEXT, or an instruction to the enclosing loop. */
export type Signal = typeof NEXT | typeof BREAK | typeof CONTINUE;
export const NEXT = 0;
export const BREAK = 1;
export const CONTINUE = 2;

export type Execute = (activation: Activation) => Signal;

/** A template or block: writes to its output. */
export type Body = (context: Context, out: TextBuilder) => void;

/** A position in the source, or a function that finds it if compiling was deferred. */
export type Mark = number | (() => number);

/** Limits a loop to the elements that pass its test. */
export type Filtered = (activation: Activation, over: Value) => Value;

/** Whether anything assigns to a name, and whether a block sees the variables around it. */
export interface Oddities {
  assigns: boolean;
  hasBlock: boolean;
  hasScopedBlock: boolean;
}

/** Compiles statements. */
export interface Statements {
  /** Facts about the whole template, so that loops need not search for them. */
  readonly oddities: Oddities;
  /** Records a line as Jinja's code generator does. */
  mark(at: number): number;
  /** Compiles something now, or on first use if nothing in the template could be rejected by then. */
  later<Compiled>(compile: () => Compiled): () => Compiled;
  expression(node: Expression, frame: Frame): Evaluate;
  statements(list: readonly Statement[], frame: Frame): Execute;
}

/** Also compiles the rare ones. */
export interface StatementCompiler extends Statements {
  /** The line that Jinja would report for an error in the code being compiled. */
  readonly marked: Mark;
  readonly blocks: ReadonlyMap<string, Body>;
  /** Runs statements in a separate scope, and passes on their output. */
  captured(
    scope: Scope,
    body: readonly Statement[],
    frame: Frame,
    use: (frame: Frame) => (activation: Activation, text: Str) => void,
  ): Execute;
}
