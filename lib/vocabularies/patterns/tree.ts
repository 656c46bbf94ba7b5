// A pattern as Oniguruma's parser understands it, with the positions in the pattern that errors name, in UTF-16 units.

import type { CodePoints } from './code-points.js';

export type Node = Text | OneOf | List | Choice | Repeat | Group | Atomic | Options | Look | Assertion | Backreference;

export interface Text {
  kind: 'text';
  characters: number[];
  ignoreCase: boolean;
}

/** One character of a set. */
export interface OneOf {
  kind: 'set';
  set: CodePoints;
  /** It is written as a dot. */
  isDot?: boolean;
}

export interface List {
  kind: 'list';
  items: Node[];
}

/** Earlier items are preferred. */
export interface Choice {
  kind: 'choice';
  items: Node[];
}

export interface Repeat {
  kind: 'repeat';
  item: Node;
  min: number;
  /** Infinity: no limit. */
  max: number;
  greedy: boolean;
  at: number;
}

/** A group that captures what it matches. */
export interface Group {
  kind: 'group';
  item: Node;
  isReferenced: boolean;
}

export interface Atomic {
  kind: 'atomic';
  item: Node;
  at: number;
}

/** A group with options, (?i: … ): its texts are not joined with the texts beside it. */
export interface Options {
  kind: 'options';
  item: Node;
}

export interface Look {
  kind: 'look';
  behind: boolean;
  negate: boolean;
  item: Node;
  /** How many characters a lookbehind looks back. */
  length: number;
  at: number;
}

export interface Assertion {
  kind: 'assertion';
  what: AssertionKind;
  at: number;
}

export type AssertionKind =
  | 'text_start'
  | 'text_end'
  | 'text_end_or_newline'
  | 'line_start'
  | 'line_end'
  | 'search_start'
  | 'word_boundary'
  | 'no_word_boundary';

/** The text that a group has matched. */
export interface Backreference {
  kind: 'reference';
  group: Group;
  at: number;
}

export function children(node: Node): Node[] {
  return 'items' in node ? node.items : 'item' in node ? [node.item] : [];
}

/** Whether a node or one inside it passes a test. */
export function contains(node: Node, test: (node: Node) => boolean): boolean {
  return test(node) || children(node).some((child) => contains(child, test));
}

export const empty = (): Text => ({ kind: 'text', characters: [], ignoreCase: false });

/** For a pattern that overflows the stack. */
export const NESTED = 'a pattern that is nested too deeply';

/** Why a pattern cannot be compiled: it is invalid, or it has a construct for which there is no automaton. */
export class PatternError extends Error {
  override readonly name: string = 'PatternError';

  /**
   * @param what What is wrong or has no automaton.
   * @param position The position in the pattern, in UTF-16 units; undefined for the whole pattern, or several
   * positions.
   */
  constructor(
    readonly what: string,
    readonly position?: number,
  ) {
    super(position === undefined ? what : `${what}, at position ${position} of the pattern`);
  }
}

/** A construct that Oniguruma has, no published tokenizer uses, and the engine does not support. */
export class UnsupportedPattern extends PatternError {}
