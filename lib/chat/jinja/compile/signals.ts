// How statements run, and what compiles them.

import type { Expression, Statement } from '../nodes.js';
import type { Activation } from '../runtime/activation.js';
import type { Evaluate, Frame } from './frame.js';

/** How a statement ended: NEXT, or what the loop around it is to do. */
export type Signal = typeof NEXT | typeof BREAK | typeof CONTINUE;
export const NEXT = 0;
export const BREAK = 1;
export const CONTINUE = 2;

export type Execute = (activation: Activation) => Signal;

/** What compiles statements. */
export interface Statements {
  /** What the whole template has, so that loops need not look for it. */
  readonly oddities: { assigns: boolean; hasScopedBlock: boolean };
  /** Remembers a line as Jinja's code generator does. */
  mark(at: number): number;
  expression(node: Expression, frame: Frame): Evaluate;
  statements(list: readonly Statement[], frame: Frame): Execute;
}
