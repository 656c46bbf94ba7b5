// Parses patterns as the reference does: Oniguruma 6.9.10 with its own syntax. Its quirks are its own; each stays, since a
// pattern means what it means there.

import { closedUnderFolding, expansions } from './case-folding.js';
import { codeOf, lengthOf, readClass } from './character-class.js';
import { ALL, ASCII, characters, codePoints, complement, intersection, union, type CodePoints } from './code-points.js';
import { empty, type Group, type Node, type OneOf, type Pattern, PatternError, type Repeat, type Step } from './tree.js';
import { bareWord, isAsciiUnder, isWord, posixBracket, property } from './properties.js';
import { HIGHEST_CODE, Tokens, type Reference, type Token } from './pattern-tokens.js';

/** As in the reference: each group takes two, each quantifier and class one. */
const MOST_DEPTH = 4096;
const MOST_GROUPS = 32767;

interface Flags {
  ignoreCase: boolean;
  dotAll: boolean;
  extended: boolean;
  /** The options W, D, S and P that are set: classes are of ASCII alone. */
  ascii: string;
}

/** Parses a pattern; throws PatternError where the reference refuses it for its syntax. */
export function parse(pattern: string): Pattern {
  const alone = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.exec(pattern);
  if (alone) throw new PatternError('half of a surrogate pair', alone.index);
  return new Parser(pattern).parse();
}

class Parser {
  readonly #tokens: Tokens;
  readonly #names = new Map<string, number[]>();
  /** By number; undefined while the group is open. */
  readonly #groups: (Group | undefined)[] = [undefined];
  #flags: Flags = { ignoreCase: false, dotAll: false, extended: false, ascii: '' };
  #token!: Token;
  #depth = 0;
  #ids = 0;
  #namedCount = 0;
  #hasCalls = false;
  #callsAll = false;
  readonly #tags = new Set<string>();
  #hasReferences = false;

  constructor(pattern: string) {
    this.#tokens = new Tokens(pattern);
  }

  parse(): Pattern {
    this.#next();
    let root = this.#alternatives('end');
    if (this.#callsAll) {
      const all: Group = { kind: 'group', number: 0, named: false, item: root, at: 0 };
      this.#groups[0] = all;
      root = all;
    }
    return {
      root,
      groups: this.#groups as Group[],
      names: this.#names,
      namedCount: this.#namedCount,
      hasCalls: this.#hasCalls,
      hasReferences: this.#hasReferences,
    };
  }

  #next(): void {
    this.#tokens.skipsSpace = this.#flags.extended;
    this.#token = this.#tokens.next();
  }

  #deeper(): void {
    if (++this.#depth > MOST_DEPTH) throw this.#tokens.error('a pattern that is nested too deeply');
  }

  #error(what: string, at: number): PatternError {
    return this.#tokens.error(what, at);
  }

  /** Up to the end, or the parenthesis that closes the group which `open` began. `isHead`: a group that comes first stays apart. */
  #alternatives(end: 'end' | 'close', open = 0, isHead = false): Node {
    this.#deeper();
    const depth = this.#depth;
    const flags = this.#flags;
    const first = this.#branch(end, isHead);
    const items = [first];
    while (this.#token.type === 'alternative') {
      this.#next();
      items.push(this.#branch(end, false));
    }
    if (this.#token.type !== end) throw this.#error('a group without an end', open);
    this.#flags = flags;
    this.#depth = depth - 1;
    return items.length > 1 ? { kind: 'choice', items } : first;
  }

  #branch(end: 'end' | 'close', isHead: boolean): Node {
    this.#deeper();
    const depth = this.#depth;
    const first = this.#expression(end, isHead);
    const items = [first];
    while (this.#token.type !== 'end' && this.#token.type !== end && this.#token.type !== 'alternative') {
      const item = this.#expression(end, false);
      if (item.kind === 'list') items.push(...item.items);
      else items.push(item);
    }
    this.#depth = depth - 1;
    return items.length > 1 ? { kind: 'list', items } : first;
  }

  /** An item with its quantifiers. */
  #expression(end: 'end' | 'close', isHead: boolean): Node {
    const token = this.#token;
    const { at } = token;
    const depth = this.#depth;
    let item: Node;
    /** A group of no kind: its text is repeated as a whole. */
    let isGroup = false;
    switch (token.type) {
      case 'alternative':
      case 'end':
        return empty();
      case 'close':
        if (end === 'close') return empty();
        throw this.#error('a parenthesis that closes no group', at);
      case 'repeat':
        throw this.#error('a quantifier without anything to repeat', at);
      case 'open': {
        const group = this.#group(at);
        if (group === 'options') {
          // Options hold to the end of the group, its other alternatives included.
          const flags = this.#flags;
          this.#flags = this.#newFlags;
          this.#next();
          const rest = this.#alternatives(end, at);
          this.#flags = flags;
          return { kind: 'options', item: rest };
        }
        item = group.node;
        isGroup = group.isPlain;
        if (isGroup && isHead) item = { kind: 'list', items: [item] };
        this.#next();
        break;
      }
      case 'character': {
        const text: number[] = [];
        for (let next: Token = token; next.type === 'character'; next = this.#token) {
          text.push(next.code);
          this.#next();
        }
        item = { kind: 'text', characters: text, ignoreCase: this.#flags.ignoreCase };
        break;
      }
      case 'byte':
        item = { kind: 'text', characters: [this.#characterOfBytes(token)], ignoreCase: this.#flags.ignoreCase };
        break;
      case 'code':
        if (token.code > HIGHEST_CODE) throw this.#error('a code point that is too high', at);
        item = { kind: 'text', characters: [token.code], ignoreCase: this.#flags.ignoreCase };
        this.#next();
        break;
      case 'class':
        item = this.#class(at);
        this.#next();
        break;
      default:
        item = this.#single(token);
        this.#next();
    }

    let isDropped = isGroup && isHead;
    let tail: Node | undefined;
    for (let next: Token = this.#token; next.type === 'repeat'; next = this.#token) {
      const target: Node = tail ?? item;
      if (!isRepeatable(target)) throw this.#error('a quantifier of what is not repeated', next.at);
      this.#deeper();
      const repeated = isDropped && target.kind === 'list' ? target.items[0]! : target;
      isDropped = false;
      const { least, most, greedy, possessive } = next;
      const repeat = (each: Node): Node => {
        const result = quantified({ kind: 'repeat', item: each, least, most, greedy, at: next.at });
        if (!result) throw this.#error('a repetition of too many times', next.at);
        return possessive ? { kind: 'atomic', item: result, at: next.at } : result;
      };
      if (least !== 1 || most !== 1) {
        if (repeated.kind === 'text' && repeated.characters.length > 1 && !isGroup) {
          // Only the last character is repeated.
          const last = { ...repeated, characters: repeated.characters.slice(-1) };
          tail = repeat(last);
          item = { kind: 'list', items: [{ ...repeated, characters: repeated.characters.slice(0, -1) }, tail] };
        } else {
          const result = repeat(repeated);
          if (tail && item.kind === 'list') item.items[1] = tail = result;
          else item = result;
        }
      } else if (!tail) {
        item = repeated;
      }
      isGroup = false;
      this.#next();
    }
    this.#depth = depth;
    return item;
  }

  #characterOfBytes(token: Token & { type: 'byte' }): number {
    const bytes = [token.code];
    this.#next();
    while (bytes.length < lengthOf(token.code)) {
      const next: Token = this.#token;
      if (next.type !== 'byte') throw this.#error('bytes that are no character', token.at);
      bytes.push(next.code);
      this.#next();
    }
    const code = bytes.length === 1 ? (token.code < 0x80 ? token.code : undefined) : codeOf(bytes);
    // No text has these bytes.
    if (code === undefined && token.code >= 0xf5) return HIGHEST_CODE;
    if (code === undefined) throw this.#error('bytes that are no character', token.at);
    return code;
  }

  #class(at: number): Node {
    const depth = this.#depth;
    const { set, excluded, negated, hasBytes } = readClass(
      this.#tokens,
      at,
      () => this.#deeper(),
      (name, isBracket) => this.#set(name, (isBracket ? posixBracket : property)(name)!),
    );
    this.#depth = depth;
    const closed = this.#flags.ignoreCase ? closedUnderFolding(set) : set;
    // What folds beyond ASCII is compared by whole characters.
    const whole = classOf(negated ? complement((closed.at(-1)?.[1] ?? 0) < 0x80 ? union(closed, excluded) : closed) : closed);
    if (hasBytes && !negated) whole.hasBytes = true;
    if (!this.#flags.ignoreCase) return whole;
    const others = negated ? [] : expansions(closed);
    if (others.length === 0) return whole;
    return { kind: 'choice', items: [whole, ...others.map((sets): Node => ({ kind: 'list', items: sets.map(classOf) }))] };
  }

  /** The set of a name, as the options have it. */
  #set(name: string, set: CodePoints): CodePoints {
    return isAsciiUnder(this.#flags.ascii, name) ? intersection(set, ASCII) : set;
  }

  /** A token that is an item by itself. */
  #single(token: Token): Node {
    const { at } = token;
    switch (token.type) {
      case 'any':
        return { kind: 'set', set: this.#flags.dotAll ? ALL : complement(characters('\n')), form: 'any' };
      case 'set':
      case 'property': {
        const word = token.type === 'set' ? token.name === 'word' : isWord(token.name);
        const set = this.#set(token.name, word ? bareWord() : property(token.name)!);
        const form = !word ? 'class' : token.negate ? 'not_word' : 'word';
        return { kind: 'set', set: token.negate ? complement(set) : set, form };
      }
      case 'assertion':
        return { kind: 'assertion', what: token.what, isAscii: isAsciiUnder(this.#flags.ascii, 'word'), at };
      case 'keep':
        return this.#step('keep', at);
      case 'newline':
        return {
          kind: 'condition',
          test: { kind: 'text', characters: [13, 10], ignoreCase: false },
          otherwise: classOf(codePoints([10, 13], [0x85, 0x85], [0x2028, 0x2029])),
          at,
        };
      case 'grapheme': {
        const inside: Node = { kind: 'list', items: [{ kind: 'assertion', what: 'no_grapheme_boundary', at }, anyCharacter()] };
        const rest: Node = { kind: 'repeat', item: inside, least: 0, most: Infinity, greedy: true, at };
        return { kind: 'atomic', item: { kind: 'list', items: [anyCharacter(), rest] }, at };
      }
      case 'reference':
        return this.#reference(token.reference, at, false);
      case 'call': {
        const { to } = token.reference;
        if (typeof to === 'number' && to < 0) throw this.#error('a call of a group that does not exist', at);
        this.#hasCalls = true;
        if (to === 0) this.#callsAll = true;
        return { kind: 'call', group: to, at };
      }
      default:
        throw new Error(token.type);
    }
  }

  #step(what: Step['what'], at: number, id = ++this.#ids): Step {
    return { kind: 'step', what, id, at };
  }

  #reference({ to, level }: Reference, at: number, isTest: boolean): Node {
    const groups = typeof to === 'string' ? this.#names.get(to) : [to];
    if (!groups) throw this.#error(`a reference to the group ${to}, which does not exist`, at);
    if (groups[0]! <= 0) throw this.#error('a reference to a group that does not exist', at);
    this.#hasReferences = true;
    return {
      kind: 'reference',
      groups: [...groups],
      byName: typeof to === 'string',
      ignoreCase: this.#flags.ignoreCase,
      isTest,
      isInside: groups.some((group) => group <= this.#tokens.groupCount && !this.#groups[group]),
      level,
      at,
    };
  }

  /** The options of the isolated group that was read last. */
  #newFlags!: Flags;

  /** After an open parenthesis. The closing one is the current token then, except for 'options'. */
  #group(at: number): { node: Node; isPlain: boolean } | 'options' {
    const tokens = this.#tokens;
    if (tokens.peek() === undefined) throw this.#error('a group without an end', at);
    const node = (result: Node) => ({ node: result, isPlain: false });
    if (tokens.takeIf('*')) return node(this.#callout(at, false));
    if (!tokens.takeIf('?')) return node(this.#capture(at));
    if (tokens.peek() === '{') return node(this.#callout(at, true));
    const ends = 'a group without an end';
    const kind = tokens.take(ends);
    switch (kind) {
      case ':':
        return { node: this.#body(at), isPlain: true };
      case '=':
      case '!':
        return node({ kind: 'look', behind: false, negate: kind === '!', item: this.#body(at), length: 0, at });
      case '>':
        return node({ kind: 'atomic', item: this.#body(at), at });
      case "'":
        return node(this.#capture(at, tokens.name(kind)));
      case '<':
        if (tokens.takeIf('=')) return node({ kind: 'look', behind: true, negate: false, item: this.#body(at), length: 0, at });
        if (tokens.takeIf('!')) return node({ kind: 'look', behind: true, negate: true, item: this.#body(at), length: 0, at });
        return node(this.#capture(at, tokens.name(kind)));
      case '~':
        return node(this.#absent(at));
      case '(':
        return node(this.#condition(at));
    }
    if (!/[-imxWDSPy]/.test(kind)) throw this.#error('a group of an unknown kind', at);
    const flags = { ...this.#flags };
    let enables = true;
    for (let flag = kind; ; flag = tokens.take(ends)) {
      if (flag === '-') enables = false;
      else if (flag === 'x') flags.extended = enables;
      else if (flag === 'i') flags.ignoreCase = enables;
      else if (flag === 'm') flags.dotAll = enables;
      else if (/[WDSP]/.test(flag)) flags.ascii = flags.ascii.replace(flag, '') + (enables ? flag : '');
      else if (flag === 'y' && enables && tokens.takeIf('{g}'))
        continue; // \X and \y are of grapheme clusters anyway
      else if (flag === ')') {
        this.#newFlags = flags;
        return 'options';
      } else if (flag === ':') {
        const before = this.#flags;
        this.#flags = flags;
        const item = this.#body(at);
        this.#flags = before;
        return node({ kind: 'options', item });
      } else throw this.#error('a group of an unknown kind', at);
    }
  }

  /** (?{contents}) and (*COUNT), of which nobody is told, as in the reference, and (*FAIL). */
  #callout(at: number, contents: boolean): Step {
    const tokens = this.#tokens;
    if (contents) {
      const braces = /^\{+/.exec(tokens.pattern.slice(tokens.at))![0].length;
      tokens.at = tokens.pattern.indexOf('}'.repeat(braces), tokens.at) + braces;
    }
    const rest = contents
      ? /(?:\[(?<tag>[a-zA-Z_]\w*)\])?[X<>]?\)/y
      : /(?:(?<fail>FAIL)|(?:TOTAL_)?COUNT)(?:\[(?<tag>[a-zA-Z_]\w*)\])?(?:\{(?<direction>[X<>]?)\})?\)/y;
    rest.lastIndex = tokens.at;
    const found = rest.exec(tokens.pattern);
    const { tag, fail, direction } = found?.groups ?? {};
    if (!found || (fail && direction) || this.#tags.has(tag!)) throw this.#error('a callout that is not supported', at);
    if (tag !== undefined) this.#tags.add(tag);
    tokens.at += found[0].length;
    return this.#step(fail ? 'fail' : 'nothing', at);
  }

  /** What a group has inside. */
  #body(at: number, isHead = false): Node {
    this.#next();
    return this.#alternatives('close', at, isHead);
  }

  #capture(at: number, name?: string): Group {
    const number = ++this.#tokens.groupCount;
    if (number > MOST_GROUPS) throw this.#error('too many groups', at);
    this.#groups[number] = undefined;
    if (name !== undefined) {
      this.#names.set(name, [...(this.#names.get(name) ?? []), number]);
      ++this.#namedCount;
    }
    const group: Group = { kind: 'group', number, named: name !== undefined, item: this.#body(at), at };
    this.#groups[number] = group;
    return group;
  }

  /** (?(test)then|otherwise) */
  #condition(at: number): Node {
    const tokens = this.#tokens;
    const begin = tokens.at;
    const first = tokens.take('a group without an end');
    if (tokens.peek() === undefined) throw this.#error('a group without an end', at);
    let test: Node | undefined;
    const isEnclosed = first === '<' || first === "'";
    if (isEnclosed || /[-+0-9]/.test(first)) {
      if (!isEnclosed) tokens.at = begin;
      let reference: Reference | undefined;
      try {
        reference = tokens.reference(isEnclosed ? first : '(', true);
      } catch (error) {
        if (isEnclosed) throw error;
      }
      if (reference) {
        test = this.#reference(reference, begin, true);
        if (isEnclosed && !tokens.takeIf(')')) throw this.#error('a condition without an end', begin);
      }
    }
    const isTest = test !== undefined;
    if (first === '*' || (first === '?' && tokens.peek() === '{')) {
      test = this.#callout(begin, first === '?');
    } else if (!test) {
      tokens.at = begin;
      test = this.#body(begin);
    }
    if (tokens.peek() === undefined) throw this.#error('a group without an end', at);
    if (tokens.peek() === ')') {
      if (!isTest) throw this.#error('a condition with nothing to match', at);
      // The parenthesis is the current token, as after other groups.
      tokens.takeIf(')');
      return test;
    }
    if (tokens.takeIf('|')) return { kind: 'condition', test, otherwise: this.#body(at, true), at };
    const rest = this.#body(at, true);
    if (rest.kind !== 'choice') return { kind: 'condition', test, passed: rest, at };
    const [passed, ...others] = rest.items;
    return { kind: 'condition', test, passed: passed!, otherwise: others.length > 1 ? { kind: 'choice', items: others } : others[0]!, at };
  }

  /** (?~absent), (?~|absent|expression), (?~|absent) and (?~|) */
  #absent(at: number): Node {
    const tokens = this.#tokens;
    if (tokens.peek() === undefined) throw this.#error('a group without an end', at);
    const hasBar = tokens.takeIf('|');
    if (hasBar && tokens.peek() === undefined) throw this.#error('a group without an end', at);
    if (hasBar && tokens.takeIf(')')) {
      const save = this.#step('save_limit', at);
      const clear: Step = { ...this.#step('limit_at_end', at), lasts: true };
      const restore: Node = { kind: 'list', items: [this.#step('limit_from_limit', at, save.id), this.#step('fail', at)] };
      return { kind: 'list', items: [save, { kind: 'choice', items: [clear, restore], isKept: true }] };
    }
    const body = this.#body(at, true);
    if (!hasBar) return this.#absentRepeat(at, body, anyRepeat(at), false);
    if (body.kind !== 'choice') return this.#absentCutter(at, body);
    const [absent, ...others] = body.items;
    const expression: Node = others.length > 1 ? { kind: 'choice', items: others } : others[0]!;
    const simple = simpleRepeat(expression);
    return simple ? this.#absentRepeat(at, absent!, simple.repeat, simple.possessive) : this.#absentExpression(at, absent!, expression);
  }

  /** Repeats `one`, and limits the text to where `absent` would first have matched. */
  #absentEngine(saved: Step, absent: Node, one: Node, repeat: { least: number; most: number }, possessive: boolean, lasts: boolean): Node {
    const { at } = saved;
    const place = this.#step('save_place', at);
    const limit: Step = { ...this.#step('limit_from_place', at, place.id), ...(lasts ? { lasts } : {}) };
    const look: Node = { kind: 'list', items: [place, absent, limit, this.#step('fail', at)] };
    const item: Node = { kind: 'choice', items: [look, one] };
    let repeated: Node = { kind: 'repeat', item, least: repeat.least, most: repeat.most, greedy: true, at: 0 };
    if (possessive) repeated = { kind: 'atomic', item: repeated, at: 0 };
    const restore: Node = { kind: 'list', items: [this.#step('limit_from_limit', at, saved.id), this.#step('fail', at)] };
    return { kind: 'choice', items: [repeated, restore], ...(lasts ? { isKept: true } : {}) };
  }

  #absentRepeat(at: number, absent: Node, repeat: Repeat, possessive: boolean): Node {
    const saved = this.#step('save_limit', at);
    const engine = this.#absentEngine(saved, absent, repeat.item, repeat, possessive, false);
    return { kind: 'list', items: [saved, engine, this.#step('limit_from_limit', at, saved.id)] };
  }

  #absentCutter(at: number, absent: Node): Node {
    const saved = this.#step('save_limit', at);
    const place = this.#step('save_place', at);
    const engine = this.#absentEngine(saved, absent, anyCharacter(), { least: 0, most: Infinity }, true, true);
    return { kind: 'list', items: [saved, place, engine, this.#step('place_from_place', at, place.id)] };
  }

  #absentExpression(at: number, absent: Node, expression: Node): Node {
    const saved = this.#step('save_limit', at);
    const place = this.#step('save_place', at);
    const engine = this.#absentEngine(saved, absent, anyCharacter(), { least: 0, most: Infinity }, true, false);
    const back = this.#step('place_from_place', at, place.id);
    const cut = this.#step('save_limit', at);
    const again: Node = { kind: 'list', items: [this.#step('limit_from_limit', at, cut.id), this.#step('fail', at)] };
    const end: Node = { kind: 'choice', items: [this.#step('limit_from_limit', at, saved.id), again] };
    return { kind: 'list', items: [saved, place, engine, back, expression, cut, end] };
  }
}

const classOf = (set: CodePoints): OneOf => ({ kind: 'set', set, form: 'class' });
const anyCharacter = (): Node => ({ kind: 'set', set: ALL, form: 'any' });
const anyRepeat = (at: number): Repeat => ({ kind: 'repeat', item: anyCharacter(), least: 0, most: Infinity, greedy: true, at });

/** A greedy repetition of one character or class, for which absent groups have a form of their own. */
function simpleRepeat(node: Node): { repeat: Repeat; possessive: boolean } | undefined {
  const possessive = node.kind === 'atomic';
  const repeat = possessive ? node.item : node;
  if (repeat.kind !== 'repeat' || !repeat.greedy) return undefined;
  const { item } = repeat;
  const isOne = item.kind === 'text' ? item.characters.length === 1 : item.kind === 'set' && item.form === 'class';
  return isOne ? { repeat, possessive } : undefined;
}

function isRepeatable(node: Node): boolean {
  switch (node.kind) {
    case 'assertion':
    case 'look':
    case 'step':
      return false;
    case 'choice':
      return node.items.every(isRepeatable);
    default:
      return true;
  }
}

/** As an index into the table of reductions; -1 for other quantifiers. */
function simpleKind({ least, most, greedy }: Repeat): number {
  const kind = least === 0 && most === 1 ? 0 : least === 0 && most === Infinity ? 1 : least === 1 && most === Infinity ? 2 : -1;
  return kind < 0 || greedy ? kind : kind + 3;
}

/** For inner and outer quantifiers ? * + ?? *? +?: what both together become. `inner`: the inner one alone; `both`: as written. */
const REDUCTIONS = [
  ['inner', '*', '*', '??', '*?', 'both'],
  ['inner', 'inner', 'inner', '+ ??', '+ ??', 'inner'],
  ['*', '*', 'inner', 'both', '+ ??', 'inner'],
  ['inner', '*?', '*?', 'inner', '*?', '*?'],
  ['inner', 'inner', 'inner', 'inner', 'inner', 'inner'],
  ['both', '*', '+', '*?', '*?', 'inner'],
] as const;

/** A quantifier, merged with the one that it repeats; undefined if the product of their counts is too big. */
function quantified(outer: Repeat): Node | undefined {
  const inner = outer.item;
  if (inner.kind !== 'repeat') return outer;
  const [innerKind, outerKind] = [simpleKind(inner), simpleKind(outer)];
  if (innerKind >= 0 && outerKind < 0) {
    // (?:a*){n,m} matches no more than (?:a*){n}.
    const once = (innerKind === 1 || innerKind === 2) && outer.most !== Infinity && outer.most > 1 && outer.greedy;
    return once ? { ...outer, most: outer.least === 0 ? 1 : outer.least } : outer;
  }
  return reduced(outer, inner);
}

/** Two quantifiers, merged; undefined if the product of their counts is too big. */
export function reduced(outer: Repeat, inner: Repeat): Node | undefined {
  const [innerKind, outerKind] = [simpleKind(inner), simpleKind(outer)];
  if (innerKind < 0 || outerKind < 0) {
    if (inner.least !== inner.most || outer.least !== outer.most) return outer;
    const count = inner.least * outer.least;
    return count > 0x7fffffff ? undefined : { ...outer, item: inner.item, least: count, most: count };
  }
  const reduction = REDUCTIONS[innerKind]![outerKind]!;
  switch (reduction) {
    case 'inner':
      return inner;
    case 'both':
      return outer;
    case '+ ??':
      return { ...outer, least: 0, most: 1, greedy: false, item: { ...inner, least: 1, most: Infinity, greedy: true } };
    default:
      return {
        ...outer,
        item: inner.item,
        least: reduction === '+' ? 1 : 0,
        most: reduction === '??' ? 1 : Infinity,
        greedy: !reduction.endsWith('?'),
      };
  }
}
