// Regular expressions in the form from which the automaton is built: sets of characters, and what follows them.

import { complement, type CodePoints } from './code-points.js';

export type Expression =
  | { kind: 'set'; set: CodePoints }
  /** The next character is in the set; with `end`, the text may end instead. */
  | { kind: 'ahead'; set: CodePoints; end: boolean }
  | { kind: 'sequence'; items: Expression[] }
  /** Earlier ones are preferred. */
  | { kind: 'choice'; items: Expression[] }
  /** `most` may be Infinity. Lazy: fewer are preferred. */
  | { kind: 'repeat'; item: Expression; least: number; most: number; lazy: boolean };

export const EMPTY: Expression = { kind: 'sequence', items: [] };

export function sequence(items: Expression[]): Expression {
  return items.length === 1 ? items[0]! : { kind: 'sequence', items };
}

export function choice(items: Expression[]): Expression {
  return items.length === 1 ? items[0]! : { kind: 'choice', items };
}

/** Whether it can match the empty string. */
export function matchesNothing(expression: Expression): boolean {
  switch (expression.kind) {
    case 'set':
      return false;
    case 'ahead':
      return true;
    case 'sequence':
      return expression.items.every(matchesNothing);
    case 'choice':
      return expression.items.some(matchesNothing);
    case 'repeat':
      return expression.least === 0 || matchesNothing(expression.item);
  }
}

/**
 * As many of a set as there are, never fewer: `set*+`. Not giving any back is the same as requiring that none follows,
 * unless there are `most` of them, and one character of lookahead decides that.
 */
export function possessive(set: CodePoints, least: number, most: number): Expression {
  const one: Expression = { kind: 'set', set };
  const noMore: Expression = { kind: 'ahead', set: complement(set), end: true };
  const items: Expression[] = Array<Expression>(least).fill(one);
  if (most === Infinity) {
    return sequence([...items, { kind: 'repeat', item: one, least: 0, most, lazy: false }, noMore]);
  }
  let rest: Expression = EMPTY;
  for (let i = least; i < most; ++i) rest = choice([sequence([one, rest]), noMore]);
  return sequence([...items, rest]);
}
