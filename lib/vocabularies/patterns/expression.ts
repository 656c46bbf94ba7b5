// Regular expressions in the form from which the automaton is built: sets of characters, and what follows them.

import { characters, type CodePoints, codePoints, complement, NONE, union } from './code-points.js';
import { resolvedPattern } from './resolve.js';
import { type Assertion, type Atomic, type Look, type Node, PatternError, type Repeat } from './tree.js';

export type Expression =
  | { kind: 'set'; set: CodePoints }
  /** The next character is in the set; with `end`, the text may end instead. */
  | { kind: 'ahead'; set: CodePoints; end: boolean }
  | { kind: 'sequence'; items: Expression[] }
  /** Earlier ones are preferred. */
  | { kind: 'choice'; items: Expression[] }
  /** `max` may be Infinity. Lazy: fewer are preferred. */
  | { kind: 'repeat'; item: Expression; min: number; max: number; lazy: boolean };

export const EMPTY: Expression = { kind: 'sequence', items: [] };

export function sequence(items: Expression[]): Expression {
  return items.length === 1 ? items[0]! : { kind: 'sequence', items };
}

export function choice(items: Expression[]): Expression {
  return items.length === 1 ? items[0]! : { kind: 'choice', items };
}

/** Whether it can match the empty string. */
function matchesNothing(expression: Expression): boolean {
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
      return expression.min === 0 || matchesNothing(expression.item);
  }
}

/**
 * As many of a set as there are, never fewer: `set*+`. Not giving any back is the same as requiring that none follows,
 * unless there are `max` of them, and one character of lookahead decides that.
 */
export function possessive(set: CodePoints, min: number, max: number): Expression {
  const one: Expression = { kind: 'set', set };
  const noMore: Expression = { kind: 'ahead', set: complement(set), end: true };
  const items: Expression[] = Array<Expression>(min).fill(one);
  if (max === Infinity) {
    return sequence([...items, { kind: 'repeat', item: one, min: 0, max, lazy: false }, noMore]);
  }
  let rest: Expression = EMPTY;
  for (let i = min; i < max; ++i) rest = choice([sequence([one, rest]), noMore]);
  return sequence([...items, rest]);
}

// Patterns as expressions. What a forward-reading automaton with one character of lookahead cannot handle is rejected.

/** In UTF-16 units; published ones have up to a few thousand. Each takes time and memory to compile. */
const LONGEST_PATTERN = 1 << 14;

/** Parses a pattern; throws PatternError for unsupported constructs. */
export function parsePattern(pattern: string): Expression {
  const { length } = pattern;
  if (length > LONGEST_PATTERN) throw new PatternError(`a pattern of ${length} characters, more than ${LONGEST_PATTERN}`);
  return expressionOf(resolvedPattern(pattern), true);
}

/** `last`: nothing of the pattern follows, so that a match of the node completes the pattern. */
function expressionOf(node: Node, last: boolean): Expression {
  switch (node.kind) {
    case 'text':
      return sequence(node.characters.map((code): Expression => ({ kind: 'set', set: [[code, code]] })));
    case 'set':
      return { kind: 'set', set: node.set };
    case 'list':
      return sequence(node.items.map((item, i) => expressionOf(item, last && i === node.items.length - 1)));
    case 'choice':
      return choice(node.items.map((item) => expressionOf(item, last)));
    case 'group':
    case 'options':
      return expressionOf(node.item, last);
    case 'atomic':
      return atomic(node, last);
    case 'repeat':
      return repeat(node);
    case 'look':
      return lookahead(node);
    case 'assertion':
      return end(node);
    case 'reference':
      throw new PatternError('a backreference', node.at);
  }
}

function atomic({ item, at }: Atomic, last: boolean): Expression {
  if (last) return expressionOf(item, true);
  const set = oneOf(item);
  if (set) return { kind: 'set', set };
  const repeated = item.kind === 'repeat' ? oneOf(item.item) : undefined;
  if (item.kind === 'repeat' && item.greedy && repeated) return possessive(repeated, item.min, item.max);
  // A possessive quantifier stands where its repetition does.
  const isPossessive = item.kind === 'repeat' && item.at === at;
  throw new PatternError(
    `${isPossessive ? 'a possessive repetition of more than one' : 'an atomic group of more than one repeated'} character`,
    at,
  );
}

function repeat({ item, min, max, greedy, at }: Repeat): Expression {
  const inner = expressionOf(item, false);
  // Matchers differ in what they try first if one of several repetitions is empty.
  if (max > 1 && matchesNothing(inner)) throw new PatternError('a repetition of what may be empty', at);
  return { kind: 'repeat', item: inner, min, max, lazy: !greedy };
}

/** Lookahead of one character, and at the end of the text. */
function lookahead({ behind, negate, item, at }: Look): Expression {
  if (behind) throw new PatternError('a lookbehind', at);
  const one = oneCharacter(expressionOf(item, false));
  if (!one) throw new PatternError('a lookahead of more than one character', at);
  return negate ? { kind: 'ahead', set: complement(one.set), end: !one.end } : { kind: 'ahead', ...one };
}

function end({ what, at }: Assertion): Expression {
  if (what === 'line_end') return { kind: 'ahead', set: characters('\n'), end: true };
  if (what === 'text_end') return { kind: 'ahead', set: NONE, end: true };
  throw new PatternError(`an anchor (${what.replaceAll('_', ' ')})`, at);
}

/** The set of what matches one character. */
export function oneOf(node: Node): CodePoints | undefined {
  if (node.kind === 'set') return node.set;
  if (node.kind === 'text' && node.characters.length === 1) return codePoints([node.characters[0]!, node.characters[0]!]);
  return undefined;
}

/** The set of an expression that matches one character, or the end of the text. */
function oneCharacter(expression: Expression): { set: CodePoints; end: boolean } | undefined {
  switch (expression.kind) {
    case 'set':
      return { set: expression.set, end: false };
    case 'ahead':
      return { set: expression.set, end: expression.end };
    case 'choice': {
      const each = expression.items.map(oneCharacter);
      if (!each.every((one) => one !== undefined)) return undefined;
      return { set: union(...each.map(({ set }) => set)), end: each.some(({ end }) => end) };
    }
    case 'repeat': {
      // The first repetition decides.
      const one = expression.min === 1 ? oneCharacter(expression.item) : undefined;
      return one && expression.item.kind === 'set' ? one : undefined;
    }
    case 'sequence':
      return expression.items.length === 1 ? oneCharacter(expression.items[0]!) : undefined;
  }
}
