// Patterns as trees: what Oniguruma's parser makes of them, with the places in the pattern that errors name.

import type { CodePoints } from './code-points.js';

/** `at`: a position in the pattern, in UTF-16 units. */
export type Node =
  | Text
  | OneOf
  | List
  | Choice
  | Repeat
  | Group
  | Atomic
  | Options
  | Condition
  | Look
  | Assertion
  | Backreference
  | Call
  | Step;

export interface Text {
  kind: 'text';
  characters: number[];
  ignoreCase: boolean;
}

/** One character of a set. */
export interface OneOf {
  kind: 'set';
  set: CodePoints;
  /** How it is written: \w is no class, and neither is a dot. */
  form: 'class' | 'word' | 'not_word' | 'any';
  /** It names bytes that are no characters, besides. */
  hasBytes?: boolean;
}

export interface List {
  kind: 'list';
  items: Node[];
}

/** Earlier ones are preferred. */
export interface Choice {
  kind: 'choice';
  items: Node[];
  /** The last alternative stays open when an atomic group or a lookaround closes the others. */
  isKept?: boolean;
}

export interface Repeat {
  kind: 'repeat';
  item: Node;
  least: number;
  /** Infinity: no limit. */
  most: number;
  greedy: boolean;
  at: number;
}

export interface Group {
  kind: 'group';
  number: number;
  named: boolean;
  item: Node;
  at: number;
}

export interface Atomic {
  kind: 'atomic';
  item: Node;
  at: number;
}

/** A part with options of its own, (?i: … ). */
export interface Options {
  kind: 'options';
  item: Node;
}

export interface Condition {
  kind: 'condition';
  test: Node;
  passed?: Node;
  otherwise?: Node;
  at: number;
}

export interface Look {
  kind: 'look';
  behind: boolean;
  negate: boolean;
  item: Node;
  /** Of a lookbehind: how far it looks at least and, if that differs, at most, in characters. */
  length: number;
  most?: number;
  at: number;
}

export interface Assertion {
  kind: 'assertion';
  what: AssertionKind;
  /** Of words of ASCII. */
  isAscii?: boolean;
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
  | 'no_word_boundary'
  | 'grapheme_boundary'
  | 'no_grapheme_boundary';

export interface Backreference {
  kind: 'reference';
  groups: number[];
  byName: boolean;
  ignoreCase: boolean;
  /** Only tests whether a group has matched. */
  isTest: boolean;
  /** One of the groups is still open where the reference stands. */
  isInside: boolean;
  /** How many calls deeper the group is to have matched. */
  level?: number | undefined;
  at: number;
}

/** A subexpression call: matches the group again. */
export interface Call {
  kind: 'call';
  /** A number, until it is resolved a name. */
  group: number | string;
  at: number;
}

/**
 * A step of an absent group: the end that the text is taken to have (its limit) and places are saved and set back.
 * 'keep' is \K; 'nothing' and 'fail' may be callouts.
 */
export interface Step {
  kind: 'step';
  what:
    | 'nothing'
    | 'fail'
    | 'keep'
    | 'save_limit'
    | 'save_place'
    | 'limit_from_place'
    | 'limit_from_limit'
    | 'place_from_place'
    | 'limit_at_end';
  id: number;
  at: number;
  /** Changes the limit for what follows the group: not allowed in lookbehinds. */
  lasts?: boolean;
}

export interface Pattern {
  root: Node;
  /** By number; index 0 is the whole pattern if it is called. */
  groups: Group[];
  names: Map<string, number[]>;
  namedCount: number;
  hasCalls: boolean;
  hasReferences: boolean;
}

export const children = (node: Node): Node[] => {
  switch (node.kind) {
    case 'list':
    case 'choice':
      return node.items;
    case 'repeat':
    case 'group':
    case 'atomic':
    case 'options':
    case 'look':
      return [node.item];
    case 'condition':
      return [node.test, node.passed, node.otherwise].filter((each) => each !== undefined);
    default:
      return [];
  }
};

/** Replaces each child. */
export function mapChildren(node: Node, map: (child: Node) => Node): void {
  switch (node.kind) {
    case 'list':
    case 'choice':
      node.items = node.items.map(map);
      break;
    case 'repeat':
    case 'group':
    case 'atomic':
    case 'options':
    case 'look':
      node.item = map(node.item);
      break;
    case 'condition':
      node.test = map(node.test);
      if (node.passed) node.passed = map(node.passed);
      if (node.otherwise) node.otherwise = map(node.otherwise);
      break;
  }
}

export const empty = (): Text => ({ kind: 'text', characters: [], ignoreCase: false });

// Why a pattern cannot be compiled.

/** For a pattern that overflows the stack. */
export const NESTED = 'a pattern that is nested too deeply';

/** A pattern with a construct that has no automaton, or an invalid pattern. */
export class PatternError extends Error {
  override readonly name = 'PatternError';

  /**
   * @param what What is unsupported or wrong.
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
