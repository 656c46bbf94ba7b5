// Where the reference looks for a pattern. It takes one that begins with .* to match only where a search begins, or where a line does:
// further behind, nothing would match that did not match there. But it takes \b.* and (?=a).* for such patterns, too, and misses
// their matches; so does this. The rest of what its optimizer does changes no match.

import { ALL, type CodePoints } from './code-points.js';
import type { Resolved } from './resolve.js';
import type { Group, Node } from './tree.js';

/**
 * `start`: a match begins where a search does, or at the next character. `exact_start`: not at the next one. `lines`: there, or at
 * the beginning of a line.
 */
export type Search = 'anywhere' | 'start' | 'exact_start' | 'lines';

/** How far a text is from the beginning of the match, or how long it is: in bytes. */
interface Span {
  least: number;
  most: number;
}

/** A text that each match has. */
interface Found extends Span {
  text: readonly number[];
  reachesEnd: boolean;
}

interface Info extends Span {
  /** What holds at the left or right end. */
  left: number;
  right: number;
  /** At the beginning; further behind; of a lookahead. */
  head?: Found | undefined;
  later?: Found | undefined;
  ahead?: Found | undefined;
  /** A character of a class that each match has. */
  class?: Span | undefined;
}

const SEARCH_START = 1;
const TEXT_START = 2;
const ANY_ON_LINE = 4;
const ANY = 8;
const BEHIND = 16;
const TEXT_END = 32;
const TEXT_END_OR_NEWLINE = 64;
const NOT_AHEAD = 128;
const LONGEST_TEXT = 24;
const MOST_VISITS = 5;

export function searchOf(pattern: Resolved): Search {
  const { left, right, head, later, class: set } = new Optimizer(pattern).info(pattern.root, { least: 0, most: 0 });
  const text = preferred(head, later);
  const chosen = text && (!set || distanceValue(set) <= distanceValue(text)) ? text : set;
  const isNear = chosen !== undefined && chosen.most !== Infinity;
  if (left & SEARCH_START) return 'anywhere';
  if (left & ANY && !(left & (TEXT_START | BEHIND) || right & (TEXT_END | TEXT_END_OR_NEWLINE))) return isNear ? 'exact_start' : 'start';
  if (left & ANY_ON_LINE && !(left & BEHIND || right & NOT_AHEAD) && chosen && !isNear) return 'lines';
  return 'anywhere';
}

class Optimizer {
  readonly #visits = new Map<Group, number>();
  readonly #open = new Set<Group>();

  constructor(readonly pattern: Resolved) {}

  /** What a node has that begins `before` bytes behind the beginning of the match. */
  info(node: Node, before: Span): Info {
    const bounds = { least: 0, most: 0, left: 0, right: 0 };
    switch (node.kind) {
      case 'text': {
        const length = bytesOf(node.characters);
        if (length === 0) return bounds;
        const text = prefix(node.characters);
        return {
          ...bounds,
          least: length,
          most: length,
          head: { ...before, text, reachesEnd: text.length === node.characters.length },
          class: before,
        };
      }
      case 'set': {
        const isAscii = node.form === 'class' && (node.set.at(-1)?.[1] ?? 0) < 0x80;
        return {
          ...bounds,
          least: 1,
          most: isAscii ? 1 : 4,
          class: isAscii && (node.set.length > 0 || node.hasBytes) ? before : undefined,
        };
      }
      case 'list': {
        let at = before;
        let all: Info = bounds;
        for (const item of node.items) {
          const each = this.info(item, at);
          at = { least: at.least + each.least, most: at.most + each.most };
          all = joined(all, each);
        }
        return all;
      }
      case 'choice':
        return node.items.map((item) => this.info(item, before)).reduce(either);
      case 'repeat':
        return this.#repeat(node.item, node.least, node.most, node.greedy, before);
      case 'group': {
        const visits = (this.#visits.get(node) ?? 0) + 1;
        this.#visits.set(node, visits);
        if (visits > MOST_VISITS || this.#open.has(node)) return { ...bounds, most: Infinity };
        this.#open.add(node);
        const item = this.info(node.item, before);
        this.#open.delete(node);
        return this.pattern.referenced.has(node.number) ? { ...item, left: item.left & ~(ANY | ANY_ON_LINE) } : item;
      }
      case 'atomic':
      case 'options':
        return this.info(node.item, before);
      case 'condition': {
        if (!node.otherwise) return bounds;
        const test = this.info(node.test, before);
        const at = { least: before.least + test.least, most: before.most + test.most };
        const then = node.passed ? joined(joined(bounds, test), this.info(node.passed, at)) : joined(bounds, test);
        return either(then, this.info(node.otherwise, before));
      }
      case 'look': {
        if (node.behind) return node.negate ? bounds : { ...bounds, left: BEHIND };
        if (node.negate) return { ...bounds, right: NOT_AHEAD };
        const { head, later, class: set } = this.info(node.item, before);
        const ahead = head ?? later;
        return { ...bounds, ahead: ahead && { ...ahead, reachesEnd: false }, class: set };
      }
      case 'assertion':
        return {
          ...bounds,
          left: node.what === 'search_start' ? SEARCH_START : node.what === 'text_start' ? TEXT_START : 0,
          right: node.what === 'text_end' ? TEXT_END : node.what === 'text_end_or_newline' ? TEXT_END_OR_NEWLINE : 0,
        };
      case 'reference':
        if (node.isTest || (node.isInside && node.level === undefined)) return bounds;
        if (!node.isInside && node.groups.every((group) => this.info(this.pattern.groups[group]!, before).most === 0)) return bounds;
        return { ...bounds, most: Infinity };
      case 'call':
        return this.info(this.pattern.groups[node.group as number]!, before);
      default:
        return bounds;
    }
  }

  #repeat(item: Node, least: number, most: number, greedy: boolean, before: Span): Info {
    const none = { least: 0, most: 0, left: 0, right: 0 };
    if (most === 0) return none;
    const each = this.info(item, before);
    const result: Info = least > 0 ? { ...each } : none;
    if (least > 0) {
      if (least > 1 && result.head?.reachesEnd) result.head = repeated(result.head, least);
      if (least !== most && result.head) result.head = { ...result.head, reachesEnd: false };
      if ((least !== most || least > 1) && result.later) result.later = { ...result.later, reachesEnd: false };
    }
    if (most === Infinity && before.most === 0 && greedy && item.kind === 'set' && item.form === 'any') {
      result.left |= isAll(item.set) ? ANY : ANY_ON_LINE;
    }
    result.least = each.least * least;
    result.most = each.most === 0 ? 0 : each.most * most;
    return result;
  }
}

const isAll = (set: CodePoints) => set.length === ALL.length;

const bytesOf = (characters: readonly number[]) =>
  characters.reduce((sum, code) => sum + (code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4), 0);

/** As much of a text as the reference keeps. */
function prefix(characters: readonly number[]): number[] {
  const kept: number[] = [];
  for (const code of characters) {
    if (bytesOf([...kept, code]) > LONGEST_TEXT) break;
    kept.push(code);
  }
  return kept;
}

function repeated(found: Found, count: number): Found {
  const text = prefix(Array.from({ length: Math.min(count, LONGEST_TEXT) }, () => found.text).flat());
  return { ...found, text, reachesEnd: text.length === found.text.length * count };
}

/** As the reference values distances: 0 for those without a limit. */
function distanceValue({ least, most }: Span): number {
  return most === Infinity ? 0 : most - least < 100 ? 1000 / (most - least + 1) : 1;
}

function preferred(a: Found | undefined, b: Found | undefined): Found | undefined {
  if (!a || !b) return a ?? b;
  const [one, other] = [distanceValue(a) * a.text.length, distanceValue(b) * b.text.length];
  return other > one || (other === one && b.least < a.least) ? b : a;
}

function joined(a: Info, b: Info): Info {
  const result: Info = {
    least: a.least + b.least,
    most: a.most + b.most,
    left: a.left | (a.most === 0 ? b.left : 0),
    right: b.right | (b.most === 0 ? a.right : a.right & NOT_AHEAD),
  };
  const isEmpty = b.most === 0;
  let head = a.head && { ...a.head, reachesEnd: a.head.reachesEnd && isEmpty };
  let later = a.later && { ...a.later, reachesEnd: a.later.reachesEnd && isEmpty };
  let next = b.head;
  if (next && a.head?.reachesEnd) {
    head = concatenated(a.head, next);
    next = undefined;
  } else if (next && a.later?.reachesEnd) {
    later = concatenated(a.later, next);
    next = undefined;
  }
  later = preferred(preferred(later, next), b.later);
  let ahead = a.ahead;
  if (ahead) {
    if (b.most > 0) {
      if (ahead.most === 0) head = preferred(head, ahead);
      else later = preferred(later, ahead);
    }
  } else {
    ahead = b.ahead;
  }
  const set = !a.class ? b.class : !b.class || distanceValue(b.class) <= distanceValue(a.class) ? a.class : b.class;
  return { ...result, head, later, ahead, class: set };
}

function concatenated(a: Found, b: Found): Found {
  const text = prefix([...a.text, ...b.text]);
  return { ...a, text, reachesEnd: b.reachesEnd && text.length === a.text.length + b.text.length };
}

function either(a: Info, b: Info): Info {
  const text = (one: Found | undefined, other: Found | undefined): Found | undefined => {
    if (!one || !other || one.least !== other.least || one.most !== other.most) return undefined;
    let length = 0;
    while (length < one.text.length && one.text[length] === other.text[length]) ++length;
    if (length === 0) return undefined;
    const isWhole = length === one.text.length && length === other.text.length;
    return { ...one, text: one.text.slice(0, length), reachesEnd: one.reachesEnd && other.reachesEnd && isWhole };
  };
  const set = a.class && b.class && a.class.most >= b.class.least;
  return {
    least: Math.min(a.least, b.least),
    most: Math.max(a.most, b.most),
    left: a.left & b.left,
    right: a.right & b.right,
    head: text(a.head, b.head),
    later: text(a.later, b.later),
    ahead: text(a.ahead, b.ahead),
    class: set ? { least: Math.min(a.class!.least, b.class!.least), most: Math.max(a.class!.most, b.class!.most) } : undefined,
  };
}
