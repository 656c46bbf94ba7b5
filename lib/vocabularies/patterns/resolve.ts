// What Oniguruma does with a parsed pattern before it compiles it: texts without regard to case become sets and alternatives, and
// lookbehinds get their lengths.

import { equalAt } from './case-folding.js';
import { ALL, codePoints } from './code-points.js';
import { parse } from './syntax.js';
import {
  type AssertionKind,
  children,
  contains,
  type Look,
  NESTED,
  type Node,
  PatternError,
  type Text,
  UnsupportedPattern,
} from './tree.js';

const LONGEST_LOOKBEHIND = 65535;

/** The tree of a pattern; throws PatternError for a pattern that Oniguruma refuses, and UnsupportedPattern for one that is refused here. */
export function resolvedPattern(pattern: string): Node {
  try {
    const root = parse(pattern);
    joinTexts(root);
    checkBeginning(root, 0);
    return resolved(root, false);
  } catch (error) {
    throw error instanceof RangeError ? new PatternError(NESTED) : error;
  }
}

/** Neighbouring texts of a list become one. */
function joinTexts(node: Node): void {
  if (node.kind === 'list') {
    const items: Node[] = [];
    for (const item of node.items) {
      const before = items.at(-1);
      if (item.kind === 'text' && before?.kind === 'text' && before.ignoreCase === item.ignoreCase) {
        before.characters.push(...item.characters);
      } else items.push(item);
    }
    node.items = items;
  }
  for (const child of children(node)) joinTexts(child);
}

const RISKS: Partial<Record<AssertionKind, number>> = { text_start: 0, search_start: 0, line_start: 1 };

/**
 * Oniguruma takes a pattern that begins with .* to match only where a line begins, or with (?m) a search: further behind, nothing
 * would match that did not match there. It does so with \b.* and (?=a).*, too, and misses their matches: these are refused.
 *
 * `risk`: of what stands before, without reading anything: 0 none, 1 if a dot matches newlines, 2 always. The risk behind the node;
 * undefined if it reads something.
 */
function checkBeginning(node: Node, risk: number): number | undefined {
  switch (node.kind) {
    case 'text':
      return node.characters.length === 0 ? 2 : undefined;
    case 'set':
      return undefined;
    case 'list': {
      let after: number | undefined = risk;
      for (const item of node.items) {
        after = checkBeginning(item, after);
        if (after === undefined) return undefined;
      }
      return after;
    }
    case 'choice': {
      const risks = node.items.map((item) => checkBeginning(item, risk));
      return risks.includes(undefined) ? undefined : Math.max(...(risks as number[]));
    }
    case 'repeat': {
      const { item, max, greedy, at } = node;
      if (item.kind === 'set' && item.isDot && greedy && max === Infinity && risk > (item.set === ALL ? 0 : 1)) {
        throw new UnsupportedPattern('a dot that repeats behind what reads nothing, which is not supported', at);
      }
      const after = checkBeginning(item, risk);
      return max === 0 ? 2 : after;
    }
    case 'group':
    case 'atomic':
    case 'options':
      return checkBeginning(node.item, risk);
    case 'look':
      return Math.max(risk, node.behind ? (node.negate ? 2 : 0) : node.negate ? 1 : 2);
    case 'assertion':
      return Math.max(risk, RISKS[node.what] ?? 2);
    case 'reference':
      return 2;
  }
}

/** Whether a node may match the empty text. */
export function mayBeEmpty(node: Node): boolean {
  switch (node.kind) {
    case 'text':
      return node.characters.length === 0;
    case 'set':
      return false;
    case 'list':
      return node.items.every(mayBeEmpty);
    case 'choice':
      return node.items.some(mayBeEmpty);
    case 'repeat':
      return node.min === 0 || mayBeEmpty(node.item);
    case 'group':
    case 'atomic':
    case 'options':
      return mayBeEmpty(node.item);
    case 'reference':
      return mayBeEmpty(node.group.item);
    default:
      return true;
  }
}

function resolved(node: Node, isBehind: boolean): Node {
  if (node.kind === 'text') return node.ignoreCase && node.characters.length > 0 ? withoutCase(node, isBehind) : node;
  if (node.kind === 'look' && node.behind) return lookbehind(node, isBehind);
  if (node.kind === 'repeat' && node.max > 1 && mayBeEmpty(node.item)) {
    // Where an iteration that reads nothing ends the others depends on how many instructions Oniguruma has for it, and on references.
    const isStar = node.min === 0 && node.max === Infinity;
    if (!isStar || contains(node.item, (inner) => inner.kind === 'group' && inner.isReferenced)) {
      throw new UnsupportedPattern('a repetition of what may be empty, which is not supported', node.at);
    }
  }
  if ('items' in node) node.items = node.items.map((item) => resolved(item, isBehind));
  else if ('item' in node) node.item = resolved(node.item, isBehind);
  return node;
}

function lookbehind(look: Look, isBehind: boolean): Node {
  const { item, negate, at } = look;
  if (!mayBeBehind(item, negate)) throw new PatternError('a lookbehind that Oniguruma refuses', at);
  look.item = resolved(item, true);
  if (look.item.kind === 'choice' && lengthOf(look.item) === undefined) {
    const looks = look.item.items.map((each) => lookbehind({ ...look, item: each }, isBehind));
    return negate ? { kind: 'list', items: looks } : { kind: 'choice', items: looks };
  }
  const length = lengthOf(look.item);
  if (length === undefined || length === 0 || length > LONGEST_LOOKBEHIND) {
    throw new UnsupportedPattern('a lookbehind without one length, which is not supported', at);
  }
  look.length = length;
  return look;
}

/** As in Oniguruma. */
function mayBeBehind(node: Node, negate: boolean): boolean {
  if (node.kind === 'group' && negate) return false;
  if (node.kind === 'look' && (!node.behind || (node.negate && !negate))) return false;
  if (node.kind === 'assertion' && (node.what === 'text_end' || node.what === 'text_end_or_newline')) return false;
  return children(node).every((child) => mayBeBehind(child, negate));
}

/** How many characters a node matches; undefined if that differs, or depends on a reference. */
function lengthOf(node: Node): number | undefined {
  switch (node.kind) {
    case 'text':
      return node.characters.length;
    case 'set':
      return 1;
    case 'list':
      return node.items.reduce<number | undefined>((sum, item) => {
        const length = lengthOf(item);
        return sum === undefined || length === undefined ? undefined : sum + length;
      }, 0);
    case 'choice': {
      const [first, ...others] = node.items.map(lengthOf);
      return others.every((length) => length === first) ? first : undefined;
    }
    case 'repeat': {
      const length = lengthOf(node.item);
      return length === undefined || node.min !== node.max ? undefined : length * node.min;
    }
    case 'group':
    case 'atomic':
    case 'options':
      return lengthOf(node.item);
    case 'look':
    case 'assertion':
      return 0;
    case 'reference':
      return undefined;
  }
}

/** A text without regard to case, as Oniguruma expands it. */
function withoutCase({ characters }: Text, isBehind: boolean): Node {
  const items: Node[] = [];
  const text = (codes: number[]): Text => ({ kind: 'text', characters: codes, ignoreCase: false });
  for (let at = 0; at < characters.length; ) {
    let { length, others } = equalAt(characters, at);
    if (isBehind) {
      // One character there is one character.
      if (length > 1) ({ length, others } = equalAt([characters[at]!], 0));
      others = others.filter((other) => other.length === 1);
    }
    const written = characters.slice(at, at + length);
    if (others.length === 0) items.push(text(written));
    else if (length === 1 && others.every((other) => other.length === 1)) {
      items.push({ kind: 'set', set: codePoints(...[written, ...others].map(([code]): [number, number] => [code!, code!])) });
    } else items.push({ kind: 'choice', items: [written, ...others].map(text) });
    at += length;
  }
  return items.length === 1 ? items[0]! : { kind: 'list', items };
}
