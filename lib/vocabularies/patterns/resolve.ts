// What the reference does with a parsed pattern before it compiles it: references and calls are resolved, lookbehinds are checked,
// and texts without regard to case become sets and alternatives. What remains is matched as it stands.

import { equalAt } from './case-folding.js';
import { codePoints, has, intersection } from './code-points.js';
import {
  type Call,
  children,
  empty,
  type Group,
  type List,
  type Look,
  mapChildren,
  type Node,
  type OneOf,
  type Pattern,
  PatternError,
  type Repeat,
  type Text,
} from './tree.js';
import { reduced } from './syntax.js';

const LONGEST_LOOKBEHIND = 65535;

/** Resolves a pattern in place; throws PatternError where the reference refuses it. */
export function resolve(pattern: Pattern): Resolved {
  mergeTexts(pattern.root);
  if (pattern.namedCount > 0) {
    if (pattern.namedCount < pattern.groups.length - 1) dropUnnamed(pattern);
    else forbidNumbers(pattern.root);
  }
  checkReferences(pattern.root, pattern);
  const resolver = new Resolver(pattern);
  if (pattern.hasCalls) resolver.calls();
  pattern.root = resolver.tune(pattern.root, false);
  const resolved: Resolved = {
    ...pattern,
    recursive: resolver.recursive,
    called: resolver.called,
    referenced: resolver.referenced,
    isNullable: resolver.isNullable,
    watched: new Map(),
  };
  if (pattern.hasReferences) watchGroups(resolved);
  return resolved;
}

export interface Resolved extends Pattern {
  /** Groups that call themselves. */
  recursive: ReadonlySet<Group>;
  /** Groups that are called. */
  called: ReadonlySet<Group>;
  /** Groups to which a reference refers. */
  referenced: ReadonlySet<number>;
  /** Whether a repeated item may match the empty text, and whether then a group inside decides how that goes on. */
  isNullable: (repeat: Repeat) => boolean;
  /** The groups whose matches tell whether an iteration that matched nothing has changed anything. */
  watched: Map<Repeat, Set<number>>;
}

/** Neighbouring texts of a list become one. */
function mergeTexts(node: Node): void {
  if (node.kind === 'list') {
    const items: Node[] = [];
    for (const item of node.items) {
      const before = items.at(-1);
      if (item.kind === 'text' && before?.kind === 'text' && before.ignoreCase === item.ignoreCase)
        before.characters.push(...item.characters);
      else items.push(item);
    }
    node.items = items;
  }
  for (const child of children(node)) mergeTexts(child);
}

/** With named groups, others do not capture. */
function dropUnnamed(pattern: Pattern): void {
  const numbers = new Map<number, number>();
  const named: (Group | undefined)[] = [pattern.groups[0]];
  const without = (node: Node): { node: Node; dropped: boolean } => {
    if (node.kind === 'group' && node.number > 0) {
      if (!node.named) return { node: without(node.item).node, dropped: true };
      numbers.set(node.number, named.length);
      node.number = named.length;
      named.push(node);
    }
    if (node.kind === 'repeat') {
      const item = without(node.item);
      node.item = item.node;
      if (item.dropped && item.node.kind === 'repeat') {
        const merged = reduced(node, item.node);
        if (!merged) throw new PatternError('a repetition of too many times', node.at);
        return { node: merged, dropped: false };
      }
      return { node, dropped: false };
    }
    mapChildren(node, (child) => without(child).node);
    return { node, dropped: false };
  };
  pattern.root = without(pattern.root).node;
  forbidNumbers(pattern.root, numbers);
  pattern.groups = named as Group[];
  for (const [name, groups] of pattern.names)
    pattern.names.set(
      name,
      groups.map((group) => numbers.get(group)!),
    );
}

/** References by number throw; with new numbers, those by name get these. */
function forbidNumbers(node: Node, numbers?: ReadonlyMap<number, number>): void {
  if (node.kind === 'reference') {
    if (!node.byName) throw new PatternError('a reference by number in a pattern with named groups', node.at);
    if (numbers) node.groups = node.groups.map((group) => numbers.get(group)!);
  }
  for (const child of children(node)) forbidNumbers(child, numbers);
}

function checkReferences(node: Node, pattern: Pattern): void {
  if (node.kind === 'reference' && node.groups.some((group) => group >= pattern.groups.length))
    throw new PatternError('a reference to a group that does not exist', node.at);
  for (const child of children(node)) checkReferences(child, pattern);
}

/** The length of what a node matches, in characters. `isSure`: no anchor or group makes it matter even if it is 0. */
interface Lengths {
  least: number;
  most: number;
  isSure: boolean;
  /** Alternatives of different lengths, each of one length. */
  alternatives?: boolean;
}

class Resolver {
  readonly recursive = new Set<Group>();
  readonly referenced = new Set<number>();
  /** Groups that matching can call: not from inside of what is repeated zero times, other than by a call. */
  readonly called = new Set<Group>();
  readonly #recursiveCalls = new Set<Call>();
  /** Groups with a call, even if matching never gets there. */
  readonly #named = new Set<Group>();
  readonly #leastOf = new Map<Group, boolean>();
  readonly #lengthsOf = new Map<Group, Lengths>();
  readonly #open = new Set<Group>();

  constructor(readonly pattern: Pattern) {
    const visit = (node: Node) => {
      if (node.kind === 'reference') for (const group of node.groups) this.referenced.add(group);
      for (const child of children(node)) visit(child);
    };
    visit(pattern.root);
  }

  readonly #nullable = new Set<Repeat>();

  isNullable = (repeat: Repeat): boolean => this.#nullable.has(repeat);

  #group(call: Call): Group {
    return this.pattern.groups[call.group as number]!;
  }

  /** Resolves calls, and refuses recursion without end. */
  calls(): void {
    const { groups, names, namedCount, root } = this.pattern;
    const resolveCalls = (node: Node) => {
      if (node.kind === 'call') {
        if (typeof node.group === 'number') {
          if (namedCount > 0) throw new PatternError('a call by number in a pattern with named groups', node.at);
        } else {
          const numbers = names.get(node.group);
          if (!numbers) throw new PatternError(`a call of the group ${node.group}, which does not exist`, node.at);
          if (numbers.length > 1) throw new PatternError(`a call of the group ${node.group}, of which there are several`, node.at);
          node.group = numbers[0]!;
        }
        if (!groups[node.group]) throw new PatternError('a call of a group that does not exist', node.at);
        this.#named.add(this.#group(node));
      }
      for (const child of children(node)) resolveCalls(child);
    };
    resolveCalls(root);
    const reach = (node: Node, isCalled: boolean) => {
      if (node.kind === 'repeat' && node.most === 0 && !isCalled) return;
      if (node.kind === 'call' && !this.called.has(this.#group(node))) {
        this.called.add(this.#group(node));
        reach(this.#group(node).item, true);
      }
      for (const child of children(node)) reach(child, isCalled);
    };
    reach(root, false);
    for (const group of groups) {
      if (group && this.#reaches(group.item, group, new Set())) this.recursive.add(group);
    }
    const markCalls = (node: Node) => {
      if (node.kind === 'call' && this.#reaches(this.#group(node).item, this.#group(node), new Set())) this.#recursiveCalls.add(node);
      for (const child of children(node)) markCalls(child);
    };
    markCalls(root);
    for (const group of this.recursive) {
      if (!this.called.has(group)) continue;
      const found = this.#recursion(group.item, true, group, new Set());
      if (found.must || found.endless) throw new PatternError('a recursion without an end', group.at);
    }
  }

  /** Whether a node calls a group, or has it inside. */
  #reaches(node: Node, group: Group, visited: Set<Group>): boolean {
    if (node === group) return true;
    if (node.kind === 'call') return this.#reaches(this.#group(node), group, visited);
    if (node.kind === 'group') {
      if (visited.has(node)) return false;
      visited.add(node);
    }
    return children(node).some((child) => this.#reaches(child, group, visited));
  }

  /**
   * How a node calls a group: whether each way through it does, and whether one does before it has read a character. `isHead`:
   * nothing has been read before.
   */
  #recursion(node: Node, isHead: boolean, group: Group, open: Set<Group>): { must: boolean; endless: boolean } {
    const never = { must: false, endless: false };
    switch (node.kind) {
      case 'list': {
        let must = false;
        let head = isHead;
        for (const item of node.items) {
          const found = this.#recursion(item, head, group, open);
          if (found.endless) return found;
          must ||= found.must;
          if (head && !this.mayBeEmpty(item)) head = false;
        }
        return { must, endless: false };
      }
      case 'choice': {
        let must = true;
        for (const item of node.items) {
          const found = this.#recursion(item, isHead, group, open);
          if (found.endless) return found;
          must &&= found.must;
        }
        return { must, endless: false };
      }
      case 'repeat': {
        if (node.most === 0) return never;
        const found = this.#recursion(node.item, isHead, group, open);
        return node.least === 0 ? { ...found, must: false } : found;
      }
      case 'call':
        return this.#recursion(this.#group(node), isHead, group, open);
      case 'group': {
        if (open.has(node)) return never;
        if (node === group) return { must: true, endless: isHead };
        open.add(node);
        const found = this.#recursion(node.item, isHead, group, open);
        open.delete(node);
        return found;
      }
      case 'condition': {
        const test = this.#recursion(node.test, isHead, group, open);
        if (test.endless) return test;
        let { must } = test;
        if (node.passed) {
          const then = this.#recursion(node.passed, isHead && this.mayBeEmpty(node.test), group, open);
          if (then.endless) return then;
          must ||= then.must;
        }
        if (!node.otherwise) return { must: false, endless: false };
        const otherwise = this.#recursion(node.otherwise, isHead, group, open);
        if (otherwise.endless) return otherwise;
        return { must: must && otherwise.must, endless: false };
      }
      case 'atomic':
      case 'options':
      case 'look':
        return this.#recursion(node.item, isHead, group, open);
      default:
        return never;
    }
  }

  /** Whether a node may match the empty text. */
  mayBeEmpty(node: Node): boolean {
    switch (node.kind) {
      case 'text':
        return node.characters.length === 0;
      case 'set':
        return false;
      case 'list':
        return node.items.every((item) => this.mayBeEmpty(item));
      case 'choice':
        return node.items.some((item) => this.mayBeEmpty(item));
      case 'repeat':
        return node.least === 0 || this.mayBeEmpty(node.item);
      case 'group': {
        const known = this.#leastOf.get(node);
        if (known !== undefined) return known;
        if (this.#open.has(node)) return true;
        this.#open.add(node);
        const result = this.mayBeEmpty(node.item);
        this.#open.delete(node);
        this.#leastOf.set(node, result);
        return result;
      }
      case 'atomic':
      case 'options':
        return this.mayBeEmpty(node.item);
      case 'condition': {
        const then = this.mayBeEmpty(node.test) && (!node.passed || this.mayBeEmpty(node.passed));
        return then || !node.otherwise || this.mayBeEmpty(node.otherwise);
      }
      case 'reference':
        return node.isTest || node.isInside || node.groups.some((group) => this.mayBeEmpty(this.pattern.groups[group]!));
      case 'call':
        return this.mayBeEmpty(this.#group(node));
      case 'step':
        return node.what !== 'fail';
      default:
        return true;
    }
  }

  /** Rewrites a node and what is inside. */
  tune(node: Node, isBehind: boolean): Node {
    switch (node.kind) {
      case 'text':
        return node.ignoreCase && node.characters.length > 0 ? withoutCase(node, isBehind) : node;
      case 'repeat':
        if (node.most > 0 && this.mayBeEmpty(node.item)) this.#nullable.add(node);
        node.item = this.tune(node.item, isBehind);
        if (node.item.kind === 'text' && node.least === node.most && node.least > 1) return repeatedText(node, node.item);
        return node;
      case 'look':
        return node.behind ? this.#lookbehind(node, isBehind) : this.#inside(node, isBehind);
      default:
        return this.#inside(node, isBehind);
    }
  }

  #inside(node: Node, isBehind: boolean): Node {
    mapChildren(node, (child) => this.tune(child, isBehind));
    return node;
  }

  #lookbehind(look: Look, isBehind: boolean): Node {
    const refuse = () => new PatternError('a lookbehind that the reference refuses', look.at);
    const used = { is: false };
    if (!this.#mayBeBehind(look.item, look.negate, used)) throw refuse();
    look.item = this.tune(look.item, true);
    if (!shorten(look.item)) throw refuse();
    const lengths = this.#lengths(look.item, 1);
    if (!lengths || (lengths.most !== Infinity && lengths.most > LONGEST_LOOKBEHIND) || lengths.least > LONGEST_LOOKBEHIND) throw refuse();
    if (lengths.least === 0 && lengths.isSure && !used.is)
      return look.negate ? { kind: 'step', what: 'fail', id: 0, at: look.at } : empty();
    if (lengths.alternatives && look.item.kind === 'choice') {
      const looks = look.item.items.map((item): Node => ({ ...look, item }));
      return this.tune(look.negate ? { kind: 'list', items: looks } : { kind: 'choice', items: looks }, isBehind);
    }
    if (lengths.least === Infinity) throw refuse();
    look.length = lengths.least;
    if (lengths.least !== lengths.most) look.most = lengths.most;
    return look;
  }

  /** Whether a lookbehind may have this inside. `used`: set if something there can have an effect outside. */
  #mayBeBehind(node: Node, negate: boolean, used: { is: boolean }): boolean {
    const inside = () => children(node).every((child) => this.#mayBeBehind(child, negate, used));
    switch (node.kind) {
      case 'group':
        if (negate || !inside()) return false;
        if (this.referenced.has(node.number) || this.#named.has(node)) used.is = true;
        return true;
      case 'look':
        return node.behind && (negate || !node.negate) && inside();
      case 'assertion':
        return node.what !== 'text_end' && node.what !== 'text_end_or_newline';
      case 'step':
        if (node.what === 'keep') used.is = true;
        return !node.lasts;
      case 'call':
        if (this.#recursiveCalls.has(node)) {
          used.is = true;
          return true;
        }
        return !this.#lasts(this.#group(node), new Set());
      default:
        return inside();
    }
  }

  #lasts(node: Node, open: Set<Node>): boolean {
    if (node.kind === 'step') return node.lasts === true;
    if (node.kind === 'group') {
      if (open.has(node)) return false;
      open.add(node);
    }
    return children(node).some((child) => this.#lasts(child, open));
  }

  /** Undefined for what has no length that the reference computes. */
  #lengths(node: Node, depth: number): Lengths | undefined {
    const one = (least: number, most = least, isSure = true): Lengths => ({ least, most, isSure });
    switch (node.kind) {
      case 'text':
        return node.ignoreCase ? undefined : one(node.characters.length);
      case 'set':
        return one(1);
      case 'list':
        return this.#sum(node, depth);
      case 'choice': {
        const each = node.items.map((item) => this.#lengths(item, depth + 1));
        if (!each.every((lengths) => lengths !== undefined)) return undefined;
        const all = each.reduce(eitherOf);
        const isOne = all.least === all.most && all.least !== Infinity;
        // As in the reference, the first one may have any length.
        const areFixed = each.slice(1).every(({ least, most }) => least === most && least !== Infinity);
        return isOne || depth > 1 || !areFixed ? all : { ...all, alternatives: true };
      }
      case 'repeat': {
        if (node.most === 0) return one(0);
        const item = this.#lengths(node.item, depth + 1);
        if (!item) return undefined;
        const least = node.least === 0 ? 0 : item.least * node.least;
        if (node.least === node.most)
          return { ...item, least, most: times(item.most, node.most), alternatives: item.alternatives ?? false };
        return { ...item, least, most: node.most === Infinity ? Infinity : times(item.most, node.most) };
      }
      case 'call':
        return this.#recursiveCalls.has(node) ? one(0, Infinity, false) : this.#lengths(this.#group(node), depth + 1);
      case 'group': {
        const known = this.#lengthsOf.get(node);
        if (known) return { ...known, isSure: false };
        if (this.#open.has(node)) return one(0, Infinity, false);
        this.#open.add(node);
        const item = this.#lengths(node.item, depth + 1);
        this.#open.delete(node);
        if (!item) return undefined;
        this.#lengthsOf.set(node, { ...item, alternatives: false });
        return { ...item, isSure: false };
      }
      case 'atomic':
      case 'options':
        return this.#lengths(node.item, depth + 1);
      case 'condition': {
        let then = this.#lengths(node.test, depth + 1);
        if (!then) return undefined;
        if (node.passed) {
          const more = this.#lengths(node.passed, depth + 1);
          if (!more) return undefined;
          then = sumOf(then, more);
        }
        const otherwise = node.otherwise ? this.#lengths(node.otherwise, depth + 1) : one(0);
        return otherwise && eitherOf(then, otherwise);
      }
      case 'step':
        return one(0);
      case 'assertion':
      case 'look':
        return one(0, 0, false);
      case 'reference': {
        if (node.isTest) return one(0, 0, false);
        if (node.isInside) return node.level === undefined ? one(0, 0, false) : one(0, Infinity, false);
        const each = node.groups.map((group) => this.#lengths(this.pattern.groups[group]!, depth + 1));
        if (!each.every((lengths) => lengths !== undefined)) return undefined;
        return each.map((lengths) => (lengths.least === lengths.most ? lengths : { ...lengths, isSure: false })).reduce(eitherOf);
      }
    }
  }

  #sum({ items }: List, depth: number): Lengths | undefined {
    let sum: Lengths | undefined;
    for (const item of items) {
      const lengths = this.#lengths(item, depth + 1);
      if (!lengths) return undefined;
      sum = sum ? sumOf(sum, lengths) : lengths;
    }
    return { ...sum!, alternatives: false };
  }
}

const times = (length: number, count: number) => (length === 0 || count === 0 ? 0 : length * count);

function sumOf(a: Lengths, b: Lengths): Lengths {
  return { least: a.least + b.least, most: a.most + b.most, isSure: a.isSure && b.isSure };
}

function eitherOf(a: Lengths, b: Lengths): Lengths {
  const isSure = a.least === b.least ? a.isSure || b.isSure : (a.least < b.least ? a : b).isSure;
  return { least: Math.min(a.least, b.least), most: Math.max(a.most, b.most), isSure };
}

/**
 * What begins a lookbehind and may be repeated is repeated as few times as it may be: nothing in front of it is read. False for a
 * list of which nothing remains then, which the reference refuses.
 */
function shorten(node: Node): boolean {
  if (node.kind === 'choice') return node.items.every(shortenList);
  return shortenList(node);
}

function shortenList(node: Node): boolean {
  /** Whether nothing remains. */
  const shortens = (item: Node, next?: Node): boolean => {
    if (item.kind !== 'repeat' || !['text', 'set', 'reference'].includes(item.item.kind) || becomesPossessive(item, next)) return false;
    item.most = item.least;
    return item.most === 0;
  };
  if (node.kind === 'list') return node.items.some((item, i) => !shortens(item, node.items[i + 1]));
  shortens(node);
  return true;
}

/** Whether the reference makes a repetition possessive, since what follows begins with none of its characters. */
export function becomesPossessive(repeat: Repeat, next: Node | undefined): boolean {
  if (!repeat.greedy || repeat.most !== Infinity || repeat.least > 1 || !next) return false;
  const own = ['text', 'set'].includes(repeat.item.kind) && headOf(repeat.item);
  const following = headOf(next);
  return Boolean(own && following && areExclusive(own, following));
}

type Head = Text | OneOf;

/** What a node begins with: a text, or one character. */
function headOf(node: Node): Head | undefined {
  switch (node.kind) {
    case 'text':
      return node.characters.length > 0 ? node : undefined;
    case 'set':
      return node.form === 'any' ? undefined : node;
    case 'list':
      return headOf(node.items[0]!);
    case 'repeat':
      return node.least > 0 ? headOf(node.item) : undefined;
    case 'options':
    case 'group':
    case 'atomic':
      return headOf(node.item);
    case 'look':
      return node.behind || node.negate ? undefined : headOf(node.item);
    default:
      return undefined;
  }
}

/** As the reference compares them: two classes with characters beyond ASCII never are. */
function areExclusive(a: Head, b: Head): boolean {
  if (a.kind === 'text') {
    if (b.kind === 'set') return !has(b.set, a.characters[0]!);
    return a.characters.some((code, i) => i < b.characters.length && code !== b.characters[i]);
  }
  if (b.kind === 'text') return areExclusive(b, a);
  if (a.form !== 'class' && b.form !== 'class') return a.form !== b.form;
  const isAscii = ({ set }: OneOf) => (set.at(-1)?.[1] ?? 0) < 0x80;
  if (a.form === 'class' && b.form === 'class' ? !isAscii(a) && !isAscii(b) : !isAscii(a.form === 'class' ? a : b)) return false;
  return intersection(a.set, b.set).every(([first]) => first > 0xff);
}

/** A text without regard to case, as the reference expands it. */
function withoutCase({ characters }: Text, isBehind: boolean): Node {
  const items: Node[] = [];
  const add = (item: Node) => {
    const before = items.at(-1);
    if (item.kind === 'text' && before?.kind === 'text') before.characters.push(...item.characters);
    else items.push(item);
  };
  const text = (own: number[]): Text => ({ kind: 'text', characters: own, ignoreCase: false });
  for (let at = 0; at < characters.length; ) {
    let { length, others } = equalAt(characters, at);
    if (isBehind) {
      // One character there is one character.
      if (length > 1) ({ length, others } = equalAt([characters[at]!], 0));
      others = others.filter((other) => other.length === 1);
    }
    const own = characters.slice(at, at + length);
    if (others.length === 0) add(text(own));
    else if (length === 1 && others.every((other) => other.length === 1)) {
      add({ kind: 'set', set: codePoints(...[own, ...others].map(([code]): [number, number] => [code!, code!])), form: 'class' });
    } else items.push({ kind: 'choice', items: [own, ...others].map(text) });
    at += length;
  }
  return items.length === 1 ? items[0]! : { kind: 'list', items };
}

const LONGEST_REPEATED_TEXT = 100;

/** A text that is repeated a few times, as one. */
function repeatedText(repeat: Repeat, item: Text): Node {
  const bytes = item.characters.reduce((sum, code) => sum + (code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4), 0);
  if (repeat.least > LONGEST_REPEATED_TEXT || bytes * repeat.least > LONGEST_REPEATED_TEXT) return repeat;
  return { ...item, characters: Array.from({ length: repeat.least }, () => item.characters).flat() };
}

/**
 * For each repetition that may match nothing: the groups inside to which something outside refers. If one of them matched anew,
 * another iteration may differ, although the last one matched nothing.
 */
function watchGroups(resolved: Resolved): void {
  const { root, watched, referenced, isNullable } = resolved;
  const parents = new Map<Node, Node>();
  const references: Node[] = [];
  const visit = (node: Node) => {
    if (node.kind === 'reference') references.push(node);
    for (const child of children(node)) {
      parents.set(child, node);
      visit(child);
    }
  };
  visit(root);
  /** By group: the innermost such repetition around it. */
  const around = new Map<number, Repeat>();
  const place = (node: Node, repeat: Repeat | undefined) => {
    let inside = repeat;
    if (node.kind === 'repeat' && isNullable(node)) inside = node;
    if (node.kind === 'look' && (node.behind ? !node.negate : !node.negate)) inside = undefined;
    for (const child of children(node)) place(child, inside);
    if (node.kind === 'group' && inside && referenced.has(node.number)) around.set(node.number, inside);
  };
  place(root, undefined);
  for (const reference of references) {
    if (reference.kind !== 'reference') continue;
    for (const group of reference.groups) {
      const repeat = around.get(group);
      if (!repeat) continue;
      let ancestor: Node | undefined = reference;
      while (ancestor && ancestor !== repeat) ancestor = parents.get(ancestor);
      if (ancestor) continue;
      watched.set(repeat, (watched.get(repeat) ?? new Set()).add(group));
    }
  }
}
