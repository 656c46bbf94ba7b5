// Patterns as programs for the engine's backtracking matcher (native/include/crayon/layout/regex.h).

import { foldings } from './case-folding.js';
import { ALL, ASCII, complement, intersection, NONE, union, type CodePoints } from './code-points.js';
import { oneOf } from './expression.js';
import {
  children,
  type Choice,
  type Condition,
  type Group,
  type List,
  type Look,
  NESTED,
  type Node,
  type OneOf,
  PatternError,
  type Repeat,
} from './tree.js';
import { classesOf } from './automaton.js';
import { bareWord, graphemeSets } from './properties.js';
import { becomesPossessive, resolve, type Resolved } from './resolve.js';
import { searchOf } from './search.js';
import { parse } from './syntax.js';

const NO_WORD = 0xffffffff;
const HEAD = 16;
/** Above this, repetitions are counted and calls are calls: then nothing is remembered. */
const MOST_EXPANDED = 1 << 16;
const MOST_WORDS = 1 << 20;
const MOST_CALLS = 20;
/** As in the reference, which repeats what is longer in another way. */
const MOST_UNROLLED = 10;
const DEEPEST_TAIL = 15;

enum Op {
  Fail,
  Match,
  Character,
  Set,
  Repeat,
  Ahead,
  Behind,
  Assert,
  Jump,
  Push,
  PushKept,
  Place,
  InnerPlace,
  Open,
  OpenNot,
  CloseAtomic,
  CloseAhead,
  CloseNot,
  Back,
  Store,
  Copy,
  Advanced,
  Changed,
  Reference,
  Test,
  Level,
  CountStart,
  CountNext,
  Call,
  Return,
  Keep,
  SaveLimit,
  LimitFrom,
  LimitAtEnd,
  PlaceFrom,
}

enum Mode {
  Greedy,
  Lazy,
  Possessive,
}

const FLAGS = { budget: 1, searchStart: 2, calls: 4 };
const SEARCHES = { anywhere: 0, start: 8, exact_start: 16, lines: 32 };

const ASSERTIONS = [
  ...['text_start', 'text_end', 'text_end_or_newline', 'line_start', 'line_end', 'search_start', 'word_boundary', 'no_word_boundary'],
  ...['grapheme_boundary', 'no_grapheme_boundary'],
];

const STEPS = {
  fail: Op.Fail,
  keep: Op.Keep,
  save_limit: Op.SaveLimit,
  save_place: Op.Store,
  limit_from_place: Op.LimitFrom,
  limit_from_limit: Op.LimitFrom,
  place_from_place: Op.PlaceFrom,
  limit_at_end: Op.LimitAtEnd,
};

/**
 * The program of a pattern in the syntax of the reference (Oniguruma's own), as words that the engine runs. Throws PatternError,
 * with the position in the pattern, for what the reference refuses.
 */
export function compileRegex(pattern: string): Uint32Array {
  try {
    const resolved = resolve(parse(pattern));
    return new Compiler(resolved, false).program() ?? new Compiler(resolved, true).program()!;
  } catch (error) {
    if (error instanceof RangeError) throw new PatternError(NESTED);
    throw error;
  }
}

/** Thrown where the code becomes longer than it may be. */
const TOO_LONG = Symbol('too long');

/** A place in the code that is not known yet: what refers to it. */
type Label = number[];

class Compiler {
  readonly #code: number[] = [];
  readonly #sets: CodePoints[] = [];
  readonly #setNumbers = new Map<string, number>();
  /** The first register of each node that has some. */
  readonly #registers = new Map<unknown, number>();
  #locals = 0;
  readonly #groups = new Map<number, number>();
  #budget: boolean;
  #places = 0;
  #innerPlaces = 0;
  /** Operands that are to be the end of the innermost atomic group or lookaround; undefined outside. */
  #ends: Label | undefined;
  /** The last place, if the code ends with it. */
  #placeBegin = 0;
  #placeEnd = -1;
  /** The registers of the loops that are open, inside of the innermost atomic group or lookaround, and end if they read nothing. */
  #loops: number[] = [];
  #reach = 0;
  #hasSearchStart = false;
  #ignoresCase = false;
  /** An absent group limits what follows it. */
  #hasCutter = false;
  #callDepth = 0;
  /** Matches from the end to the beginning: a lookbehind of several lengths. What has failed may then be remembered. */
  #isReversed = false;
  /** Where the code of a called group begins. */
  readonly #routines = new Map<Group, Label>();

  /** `counts`: repetitions are counted, and calls are calls. */
  constructor(
    readonly pattern: Resolved,
    readonly counts: boolean,
  ) {
    let budget = counts || pattern.recursive.size > 0;
    const visit = (node: Node) => {
      if (node.kind === 'reference' || (node.kind === 'step' && !['nothing', 'keep', 'fail'].includes(node.what))) budget = true;
      if (node.kind === 'look' && node.most !== undefined) looks.push(node);
      if (node.kind === 'step' && node.lasts) this.#hasCutter = true;
      if (node.kind === 'assertion' && node.what === 'search_start') this.#hasSearchStart = true;
      for (const child of children(node)) visit(child);
    };
    const looks: Look[] = [];
    visit(pattern.root);
    this.#budget = budget || looks.some(({ item }) => this.#hasSearchStart || !isReversible(item, pattern));
  }

  get #hasCalls(): boolean {
    return this.pattern.hasCalls && (this.counts || this.pattern.recursive.size > 0);
  }

  /** Undefined if the code becomes too long. */
  program(): Uint32Array | undefined {
    try {
      const first = firstOf(this.pattern.root);
      if (!first.mayBeEmpty && !this.#budget && complement(first.set).length > 0) this.#write(Op.Ahead, this.#setNumber(first.set), 1);
      this.#node(this.pattern.root);
      this.#write(Op.Match);
      this.#writeRoutines();
      return this.#assemble();
    } catch (error) {
      if (error !== TOO_LONG) throw error;
      if (!this.counts) return undefined;
      throw new PatternError('a pattern that is too large');
    }
  }

  #assemble(): Uint32Array {
    const { runs, count, members } = classesOf(this.#sets.length > 0 ? this.#sets : [[]]);
    const setWords = Math.ceil(count / 32);
    const sets = this.#sets.flatMap((_, set) =>
      Array.from({ length: setWords }, (__, word) =>
        members[set]!.slice(word * 32, word * 32 + 32).reduce((bits, isIn, i) => (isIn ? bits | (1 << i) : bits), 0),
      ),
    );
    const folds = this.#ignoresCase
      ? [...foldings()]
          .sort(([a], [b]) => a - b)
          .flatMap(([code, to]) => [code, ...to, ...Array.from({ length: 3 - to.length }, () => NO_WORD)])
      : [];
    for (const operand of this.#groupOperands) this.#code[operand]! += this.#locals;
    const end = HEAD + this.#code.length;
    const runsAt = end;
    const setsAt = runsAt + runs.length * 2;
    const foldsAt = setsAt + sets.length;
    const words = foldsAt + folds.length;
    if (words > MOST_WORDS) throw TOO_LONG;
    const flags =
      (this.#budget ? FLAGS.budget : 0) |
      (this.#hasSearchStart ? FLAGS.searchStart : 0) |
      (this.#hasCalls ? FLAGS.calls : 0) |
      SEARCHES[searchOf(this.pattern)];
    const captures = this.#groups.size * 2;
    const head = [words, flags, this.#locals + captures, this.#locals, this.#places, this.#innerPlaces, this.#reach, count, setWords];
    head.push(runsAt, runs.length, setsAt, this.#sets.length, foldsAt, folds.length / 4, end);
    return Uint32Array.from([...head, ...this.#code, ...runs.flat(), ...sets, ...folds]);
  }

  #here(): number {
    return HEAD + this.#code.length;
  }

  #write(op: Op, ...operands: number[]): void {
    if (this.#code.length > (this.counts ? MOST_WORDS : MOST_EXPANDED)) throw TOO_LONG;
    this.#code.push(op, ...operands);
  }

  /** Writes an instruction whose last operand is a place that is not known yet. */
  #writeTo(label: Label, op: Op, ...operands: number[]): void {
    this.#write(op, ...operands, 0);
    label.push(this.#code.length - 1);
  }

  #bind(label: Label, at = this.#here()): void {
    for (const operand of label) this.#code[operand] = at;
  }

  /** Marks a place that is reached in several ways, where the matcher remembers failures. */
  #join(): number {
    if (this.#budget) return this.#here();
    if (this.#placeEnd === this.#code.length) return this.#placeBegin;
    this.#placeBegin = this.#here();
    const loops = this.#loops;
    if (this.#ends) this.#writeTo(this.#ends, Op.InnerPlace, this.#innerPlaces);
    else this.#write(Op.Place, this.#places);
    this.#code.push(loops.length, ...loops);
    // One for each number of loops in which nothing has been read.
    if (this.#ends) this.#innerPlaces += loops.length + 1;
    else this.#places += loops.length + 1;
    this.#placeEnd = this.#code.length;
    return this.#placeBegin;
  }

  #local(of: unknown, count: number): number {
    const known = this.#registers.get(of);
    if (known !== undefined) return known;
    const first = this.#locals;
    this.#locals += count;
    this.#registers.set(of, first);
    return first;
  }

  /** The registers of a group: behind all others, which are known at the end. */
  #capture(group: number): number {
    if (!this.#groups.has(group)) this.#groups.set(group, this.#groups.size);
    return this.#groups.get(group)! * 2;
  }

  #setNumber(set: CodePoints): number {
    const key = set.join(';');
    let number = this.#setNumbers.get(key);
    if (number === undefined) {
      number = this.#sets.push(set) - 1;
      this.#setNumbers.set(key, number);
    }
    return number;
  }

  #node(node: Node): void {
    switch (node.kind) {
      case 'text':
        for (const code of this.#inOrder(node.characters)) this.#one([[code, code]]);
        break;
      case 'set':
        this.#one(node.set);
        break;
      case 'list':
        for (const item of this.#inOrder(node.items)) this.#node(item);
        break;
      case 'choice':
        this.#choice(node);
        break;
      case 'repeat':
        this.#repeat(node);
        break;
      case 'group':
        if (this.pattern.called.has(node)) this.#call(node);
        else this.#group(node);
        break;
      case 'atomic': {
        const { item } = node;
        const set = item.kind === 'repeat' && item.greedy ? oneOf(item.item) : undefined;
        if (set && item.kind === 'repeat') this.#repeatSet(set, item, Mode.Possessive);
        else {
          const mark = this.#local(node, 3);
          this.#write(Op.Open, mark);
          this.#barrier(item, Op.CloseAtomic, mark);
        }
        break;
      }
      case 'options':
        this.#node(node.item);
        break;
      case 'condition':
        this.#condition(node);
        break;
      case 'look':
        this.#look(node);
        break;
      case 'assertion': {
        const words = node.what.endsWith('word_boundary') && (node.isAscii ? intersection(bareWord(), ASCII) : bareWord());
        const sets = words ? [words] : node.what.endsWith('grapheme_boundary') ? graphemeSets() : [];
        const numbers = sets.length > 1 ? this.#setsInRow(sets) : this.#setNumber(sets[0] ?? []);
        this.#write(Op.Assert, ASSERTIONS.indexOf(node.what), numbers);
        break;
      }
      case 'reference': {
        // The reference tries the groups of a name from the last one on.
        const groups = node.groups.map((group) => this.#capture(group)).reverse();
        const kind = node.isTest ? 0 : node.ignoreCase ? 2 : 1;
        if (kind === 2) this.#ignoresCase = true;
        if (node.level !== undefined) this.#writeGroups([Op.Level, kind, node.level >>> 0], groups);
        else if (node.isTest) this.#writeGroups([Op.Test], groups);
        else this.#writeGroups([Op.Reference, kind - 1], groups);
        break;
      }
      case 'call':
        this.#call(this.pattern.groups[node.group as number]!);
        break;
      case 'step': {
        if (node.what === 'nothing') break;
        const op = STEPS[node.what];
        if (op === Op.Fail || op === Op.Keep || op === Op.LimitAtEnd) this.#write(op);
        else this.#write(op, this.#local(node.id, 1));
        break;
      }
    }
  }

  /** Operands that are registers of groups, counted from the first of these. */
  readonly #groupOperands: number[] = [];

  #writeGroups([op, ...operands]: readonly [Op, ...number[]], groups: readonly number[]): void {
    this.#write(op, ...operands, groups.length);
    for (const group of groups) this.#writeGroup(group);
  }

  #writeGroup(register: number): void {
    this.#groupOperands.push(this.#code.length);
    this.#code.push(register);
  }

  #one(set: CodePoints): void {
    if (this.#isReversed) this.#write(Op.Back, 1);
    if (set.length === 1 && set[0]![0] === set[0]![1]) this.#write(Op.Character, set[0]![0]);
    else this.#write(Op.Set, this.#setNumber(set));
    if (this.#isReversed) this.#write(Op.Back, 1);
  }

  #inOrder<T>(items: readonly T[]): readonly T[] {
    return this.#isReversed ? [...items].reverse() : items;
  }

  #setsInRow(sets: CodePoints[]): number {
    const key = 'graphemes';
    let first = this.#setNumbers.get(key);
    if (first === undefined) {
      first = this.#sets.length;
      this.#sets.push(...sets);
      this.#setNumbers.set(key, first);
    }
    return first;
  }

  #choice({ items, isKept }: Choice): void {
    const end: Label = [];
    for (const item of items.slice(0, -1)) {
      const next: Label = [];
      this.#writeTo(next, isKept ? Op.PushKept : Op.Push);
      this.#node(item);
      this.#writeTo(end, Op.Jump);
      this.#bind(next);
    }
    this.#node(items.at(-1)!);
    this.#bind(end, this.#join());
  }

  /** What stands inside of an atomic group or a lookaround, up to the instruction that closes it. */
  #barrier(item: Node, close: Op, mark: number): void {
    const [outer, loops] = [this.#ends, this.#loops];
    const ends: Label = [];
    this.#ends = ends;
    this.#loops = [];
    this.#node(item);
    this.#ends = outer;
    this.#loops = loops;
    this.#bind(ends);
    this.#placeEnd = -1;
    this.#write(close, mark);
  }

  #condition(node: Condition): void {
    const mark = this.#local(node, 3);
    const otherwise: Label = [];
    const end: Label = [];
    this.#write(Op.Open, mark);
    this.#writeTo(otherwise, Op.Push);
    this.#barrier(node.test, Op.CloseAtomic, mark);
    if (node.passed) this.#node(node.passed);
    this.#writeTo(end, Op.Jump);
    this.#bind(otherwise);
    if (node.otherwise) this.#node(node.otherwise);
    this.#bind(end, this.#join());
  }

  #look(node: Look): void {
    const { behind, negate, item, length, most } = node;
    if (most !== undefined && this.#budget) {
      this.#lookBetween(node, most);
      return;
    }
    if (behind) this.#reach += length;
    const set = oneOf(item);
    if (set && (!behind || length === 1) && !this.#budget) {
      this.#write(behind ? Op.Behind : Op.Ahead, this.#setNumber(set), negate ? 0 : 1);
      return;
    }
    const mark = this.#local(node, 3);
    const after: Label = [];
    if (negate) this.#writeTo(after, Op.OpenNot, mark);
    else this.#write(Op.Open, mark);
    this.#isReversed = most !== undefined;
    if (length > 0 && !this.#isReversed) this.#write(Op.Back, length);
    this.#barrier(item, negate ? Op.CloseNot : behind && !this.#isReversed ? Op.CloseAtomic : Op.CloseAhead, mark);
    this.#isReversed = false;
    this.#bind(after);
  }

  /** In a budget, a lookbehind of several lengths: tries the shortest first, and takes the text to end where it stands, so that none is longer. */
  #lookBetween(node: Look, most: number): void {
    const { negate, item, length } = node;
    const mark = this.#local(node, 6);
    const [place, limit, count] = [mark + 3, mark + 4, mark + 5];
    this.#write(Op.Store, place);
    this.#write(Op.SaveLimit, limit);
    this.#write(Op.LimitFrom, place);
    const after: Label = [];
    const first: Label = [];
    if (negate) this.#writeTo(after, Op.OpenNot, mark);
    else {
      // The limit is not undone: what fails sets it back.
      const failed: Label = [];
      this.#write(Op.Open, mark);
      this.#writeTo(failed, Op.Push);
      this.#writeTo(first, Op.Jump);
      this.#bind(failed);
      this.#write(Op.LimitFrom, limit);
      this.#write(Op.Fail);
      this.#bind(first);
    }
    if (length > 0) this.#write(Op.Back, length);
    const begin: Label = [];
    this.#write(Op.CountStart, count);
    this.#writeTo(begin, Op.Jump);
    const further = this.#here();
    this.#write(Op.Back, 1);
    this.#bind(begin);
    this.#write(Op.CountNext, count, 0, most === Infinity ? NO_WORD : most - length + 1, further, 0);
    this.#node(item);
    const ends: Label = [];
    this.#write(Op.LimitFrom, place);
    this.#writeTo(ends, Op.Advanced, place);
    this.#write(Op.Fail);
    this.#bind(ends);
    this.#write(Op.LimitFrom, limit);
    this.#write(negate ? Op.CloseNot : Op.CloseAtomic, mark);
    this.#bind(after);
    if (negate) this.#write(Op.LimitFrom, limit);
  }

  #repeat(node: Repeat): void {
    const { item, least, most, greedy } = node;
    const length = this.#length(item);
    if (length === 0 || most === 0) return;
    const set = oneOf(item);
    if (set && !this.#isReversed) {
      this.#repeatSet(set, node, greedy ? Mode.Greedy : Mode.Lazy);
      return;
    }
    const exit: Label = [];
    const isEndless = most === Infinity;
    const checks = this.pattern.isNullable(node);
    /** An iteration; if it matches nothing, it is the last one. */
    const checked = () => {
      if (checks) this.#checked(node, exit);
      else this.#node(item);
    };
    const unrolls = isEndless
      ? least <= 1 || length * least <= MOST_UNROLLED
      : (greedy && (most === 1 || (length + 1) * most <= MOST_UNROLLED)) || (!greedy && least === 0 && most === 1);
    if (!unrolls && this.counts) {
      this.#counted(node, checked, exit);
      this.#bind(exit, this.#join());
      return;
    }
    // The reference checks the iterations only that it does not write out.
    const once = unrolls ? () => this.#node(item) : checked;
    // It enters a long loop inside.
    const entersInside = isEndless && least === 1 && length > MOST_UNROLLED;
    if (!entersInside) for (let i = 0; i < least; ++i) once();
    if (isEndless) {
      const inside: Label = [];
      if (entersInside) this.#writeTo(inside, Op.Jump);
      if (greedy) {
        const head = this.#join();
        this.#writeTo(exit, Op.Push);
        this.#bind(inside);
        this.#placeEnd = -1;
        checked();
        this.#write(Op.Jump, head);
      } else {
        const test: Label = [];
        if (!entersInside) this.#writeTo(test, Op.Jump);
        const body = this.#here();
        this.#bind(inside);
        this.#placeEnd = -1;
        checked();
        this.#bind(test, this.#join());
        this.#write(Op.Push, body);
      }
    } else {
      for (let i = least; i < most; ++i) {
        if (greedy) {
          this.#writeTo(exit, Op.Push);
        } else {
          const body: Label = [];
          this.#writeTo(body, Op.Push);
          this.#writeTo(exit, Op.Jump);
          this.#bind(body);
        }
        once();
      }
    }
    this.#bind(exit, this.#join());
  }

  #checked(node: Repeat, exit: Label): void {
    const watched = [...(this.pattern.watched.get(node) ?? [])].map((group) => this.#capture(group));
    const start = this.#local(node, 1 + watched.length * 2);
    for (const [i, group] of watched.entries()) {
      for (const part of [0, 1]) {
        this.#write(Op.Copy);
        this.#writeGroup(group + part);
        this.#code.push(start + 1 + i * 2 + part);
      }
    }
    this.#write(Op.Store, start);
    this.#loops.push(start);
    this.#node(node.item);
    this.#loops.pop();
    if (watched.length === 0) {
      this.#writeTo(exit, Op.Advanced, start);
      return;
    }
    this.#writeTo(exit, Op.Changed, start);
    this.#code.push(watched.length);
    for (const [i, group] of watched.entries()) {
      this.#writeGroup(group);
      this.#code.push(start + 1 + i * 2);
    }
  }

  #counted(node: Repeat, checked: () => void, exit: Label): void {
    const { least, most, greedy } = node;
    const count = this.#local(node.item, 1);
    const body: Label = [];
    this.#write(Op.CountStart, count);
    if (least === 0 && greedy) this.#writeTo(exit, Op.Push);
    else if (least === 0) {
      this.#writeTo(body, Op.Push);
      this.#writeTo(exit, Op.Jump);
    }
    this.#bind(body);
    const begin = this.#here();
    checked();
    this.#write(Op.CountNext, count, least, most === Infinity ? NO_WORD : most, begin, greedy ? 1 : 0);
  }

  #repeatSet(set: CodePoints, { least, most }: Repeat, mode: Mode): void {
    const number = this.#setNumber(set);
    if (least > 0) this.#write(Op.Repeat, number, least, least, Mode.Possessive, 0, 0);
    if (most === least) return;
    if (most < Infinity || this.#budget) {
      this.#write(Op.Repeat, number, 0, most === Infinity ? NO_WORD : most - least, mode, this.#loops.length > 0 ? 1 : 0, 0);
      // It ends in several places, and may begin in others.
      this.#join();
    } else if (this.#loops.length > 0) {
      this.#loopOverSet(number, mode);
    } else if (this.#ends) {
      this.#writeTo(this.#ends, Op.Repeat, number, 0, NO_WORD, mode, this.#innerPlaces++);
    } else {
      this.#write(Op.Repeat, number, 0, NO_WORD, mode, this.#places++, 0);
    }
  }

  /** An endless repetition whose positions are places of loops, too. */
  #loopOverSet(set: number, mode: Mode): void {
    if (mode === Mode.Possessive) {
      const mark = this.#local(this.#sets[set], 3);
      this.#write(Op.Open, mark);
      const item: OneOf = { kind: 'set', set: this.#sets[set]!, form: 'class' };
      this.#barrier({ kind: 'repeat', item, least: 0, most: Infinity, greedy: true, at: 0 }, Op.CloseAtomic, mark);
      return;
    }
    const exit: Label = [];
    const head = this.#join();
    this.#writeTo(exit, Op.Push);
    if (mode === Mode.Lazy) {
      this.#writeTo(exit, Op.Jump);
      this.#bind([exit.shift()!]);
    }
    this.#write(Op.Set, set);
    this.#write(Op.Jump, head);
    this.#bind(exit);
  }

  #writeRoutines(): void {
    const begins = new Map<Label, number>();
    // Writing one may add others, behind it.
    for (const [group, label] of this.#routines) {
      begins.set(label, this.#here());
      this.#placeEnd = -1;
      this.#group(group);
      this.#write(Op.Return);
    }
    for (const [label, begin] of begins) this.#bind(label, begin);
  }

  /** A group that is called somewhere: the reference calls it where it stands, too. */
  #call(group: Group): void {
    if (this.#hasCalls) {
      const label = this.#routines.get(group) ?? [];
      this.#routines.set(group, label);
      this.#writeTo(label, Op.Call);
    } else if (this.#callDepth === MOST_CALLS) {
      // The reference allows no more calls inside each other.
      this.#write(Op.Fail);
    } else {
      ++this.#callDepth;
      this.#group(group);
      --this.#callDepth;
    }
  }

  #group(group: Group): void {
    if (!this.pattern.referenced.has(group.number)) {
      this.#node(group.item);
      return;
    }
    const capture = this.#capture(group.number);
    // Calls inside set where the group begins.
    const begin = this.pattern.recursive.has(group) ? this.#local(group, 1) : undefined;
    if (begin !== undefined) this.#write(Op.Store, begin);
    this.#write(Op.Store);
    this.#writeGroup(capture);
    // A group that is open has not matched, even if it has before. Nothing is stored in that register.
    this.#write(Op.Copy, this.#local('none', 1));
    this.#writeGroup(capture + 1);
    this.#node(group.item);
    if (begin !== undefined) {
      this.#write(Op.Copy, begin);
      this.#writeGroup(capture);
    }
    this.#write(Op.Store);
    this.#writeGroup(capture + 1);
  }

  /** How many instructions the reference has for a node: by that it decides how a repetition is written. */
  #length(node: Node): number {
    switch (node.kind) {
      case 'text': {
        const widths = node.characters.map((code) => (code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4));
        return widths.filter((width, i) => width !== widths[i - 1]).length;
      }
      case 'list':
        return this.#lengthOfList(node);
      case 'choice':
        return node.items.reduce((sum, item) => sum + this.#length(item), 2 * (node.items.length - 1));
      case 'repeat':
        return this.#lengthOfRepeat(node);
      case 'group':
        return this.#length(node.item) + (!this.pattern.called.has(node) ? 2 : node.number === 0 ? 3 : 5);
      case 'atomic': {
        const { item } = node;
        const isSimple = item.kind === 'repeat' && item.most === Infinity && item.least <= 1 && item.greedy && isStrict(item.item);
        return isSimple ? this.#length(item.item) * (item.least + 1) + 3 : this.#length(item) + 2;
      }
      case 'options':
        return this.#length(node.item);
      case 'condition':
        return [node.test, node.passed, node.otherwise].reduce((sum, item) => sum + (item ? this.#length(item) : 0), 5);
      case 'look':
        if (node.most !== undefined) return this.#length(node.item) + this.#lengthAround(node);
        return this.#length(node.item) + (node.behind ? (node.negate ? 6 : 3) : node.negate ? 5 : 2);
      default:
        return 1;
    }
  }

  /** Of a lookbehind of several lengths. The reference looks for the text or class that it ends with, first of all. */
  #lengthAround({ item, negate }: Look): number {
    const tail = this.#tail(item);
    return (negate ? 14 : 12) + (tail ? 1 + this.#length(tail) : 0) + (this.#hasCutter ? 2 : 0);
  }

  /** Undefined if there is none; 'nothing' if what stands before decides. */
  #tail(item: Node): Node | undefined {
    const find = (node: Node, depth: number): Node | 'nothing' | undefined => {
      if (depth >= DEEPEST_TAIL) return undefined;
      switch (node.kind) {
        case 'set':
          return node.form === 'any' ? undefined : node;
        case 'text':
          return node.characters.length === 0 ? 'nothing' : node;
        case 'list':
          // The reference's lists are nested, one level for each item.
          return node.items.reduceRight<ReturnType<typeof find>>(
            (found, each, i) => (found === 'nothing' ? find(each, depth + i + 1) : found),
            'nothing',
          );
        case 'repeat':
          return node.least > 0 ? find(node.item, depth + 1) : undefined;
        case 'group':
        case 'atomic':
        case 'options':
          return find(node.item, depth + 1);
        case 'call':
          return find(this.pattern.groups[node.group as number]!, depth + 1);
        case 'condition':
          return find(node.test, depth + 1);
        case 'look':
        case 'assertion':
        case 'step':
          return 'nothing';
        default:
          return undefined;
      }
    };
    const found = find(item, 0);
    return found === 'nothing' ? undefined : found;
  }

  #lengthOfList({ items }: List): number {
    return items.reduce((sum, item, i) => {
      let repeat = item;
      while (repeat.kind === 'group') repeat = repeat.item;
      const grows = repeat.kind === 'repeat' && becomesPossessive(repeat, items[i + 1]);
      return sum + this.#length(item) + (grows ? 1 : 0);
    }, 0);
  }

  #lengthOfRepeat(node: Repeat): number {
    const { item, least, most, greedy } = node;
    const length = this.#length(item);
    if (length === 0) return 0;
    const isEndless = most === Infinity;
    const isShort = least <= 1 || length * least <= MOST_UNROLLED;
    if (isEndless && greedy && isShort && item.kind === 'set' && item.form === 'any') return 1 + least;
    const checked = length + (this.pattern.isNullable(node) ? 2 : 0);
    if (isEndless && isShort) return (least === 1 && length > MOST_UNROLLED ? 1 : length * least) + checked + 2;
    if (most === 0) return hasCalled(item, this.pattern) ? 1 + length : 0;
    if (!isEndless && greedy && (most === 1 || (length + 1) * most <= MOST_UNROLLED)) return length * least + (length + 1) * (most - least);
    return (!greedy && most === 1 && least === 0 ? length : checked) + 2;
  }
}

/** The characters that a match may begin with. `mayBeEmpty`: or it may begin with what follows. */
function firstOf(node: Node): { set: CodePoints; mayBeEmpty: boolean } {
  switch (node.kind) {
    case 'text':
      return { set: node.characters.slice(0, 1).map((code) => [code, code] as const), mayBeEmpty: node.characters.length === 0 };
    case 'set':
      return { set: node.set, mayBeEmpty: false };
    case 'list': {
      let set = NONE;
      for (const item of node.items) {
        const first = firstOf(item);
        set = union(set, first.set);
        if (!first.mayBeEmpty) return { set, mayBeEmpty: false };
      }
      return { set, mayBeEmpty: true };
    }
    case 'choice': {
      const each = node.items.map(firstOf);
      return { set: union(...each.map(({ set }) => set)), mayBeEmpty: each.some(({ mayBeEmpty }) => mayBeEmpty) };
    }
    case 'repeat': {
      const first = firstOf(node.item);
      return { set: first.set, mayBeEmpty: first.mayBeEmpty || node.least === 0 };
    }
    case 'group':
    case 'atomic':
    case 'options':
      return firstOf(node.item);
    case 'look':
    case 'assertion':
    case 'step':
      return { set: NONE, mayBeEmpty: true };
    default:
      return { set: ALL, mayBeEmpty: true };
  }
}

/** Whether a lookbehind may match from its end on: nothing in it depends on what is preferred, or on where it is taken to end. */
function isReversible(node: Node, pattern: Resolved): boolean {
  switch (node.kind) {
    case 'text':
    case 'set':
      return true;
    case 'assertion':
      return !node.what.endsWith('word_boundary');
    case 'group':
    case 'list':
    case 'choice':
    case 'repeat':
    case 'options':
      return !(node.kind === 'group' && pattern.called.has(node)) && children(node).every((child) => isReversible(child, pattern));
    default:
      return false;
  }
}

function isStrict(node: Node): boolean {
  return node.kind === 'set' || (node.kind === 'text' && node.characters.length > 0);
}

function hasCalled(node: Node, pattern: Resolved): boolean {
  return (node.kind === 'group' && pattern.called.has(node)) || children(node).some((child) => hasCalled(child, pattern));
}
