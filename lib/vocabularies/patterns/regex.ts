// Patterns as programs for the engine's backtracking matcher (native/include/crayon/layout/regex.h).

import { classesOf } from './automaton.js';
import { ALL, type CodePoints, complement, NONE, union } from './code-points.js';
import { oneOf } from './expression.js';
import { bareWord } from './properties.js';
import { mayBeEmpty, resolvedPattern } from './resolve.js';
import { type AssertionKind, type Choice, contains, type Group, type Look, type Node, type Repeat, UnsupportedPattern } from './tree.js';

const NO_WORD = 0xffffffff;
const HEAD = 13;
/** Of instructions: a group that is repeated is written that many times. */
const MAX_CODE = 1 << 16;
const MAX_WORDS = 1 << 20;
const TOO_LARGE = 'a pattern that is too large, which is not supported';

/** Numbers of layout/regex.h. */
const OP = {
  match: 0,
  character: 1,
  set: 2,
  repeat: 3,
  ahead: 4,
  behind: 5,
  assert: 6,
  jump: 7,
  push: 8,
  place: 9,
  innerPlace: 10,
  open: 11,
  openNot: 12,
  closeAtomic: 13,
  closeAhead: 14,
  closeNot: 15,
  back: 16,
  store: 17,
  advanced: 18,
  reference: 19,
} as const;
const MODE = { greedy: 0, lazy: 1, possessive: 2 } as const;
const FLAGS = { budget: 1, searchStart: 2 };
const ASSERTIONS: readonly AssertionKind[] = [
  'text_start',
  'text_end',
  'text_end_or_newline',
  'line_start',
  'line_end',
  'search_start',
  'word_boundary',
  'no_word_boundary',
];

/**
 * The program of a pattern in Oniguruma's own syntax, as words that the engine runs. Throws PatternError, with the position in the
 * pattern, for what Oniguruma refuses, and UnsupportedPattern for what the engine does not support.
 */
export function compileRegex(pattern: string): Uint32Array {
  return new Compiler().program(resolvedPattern(pattern));
}

/** A position in the code that is not known yet: the operands that refer to it. */
type Label = number[];

class Compiler {
  readonly #code: number[] = [];
  readonly #sets: CodePoints[] = [];
  readonly #setNumbers = new Map<string, number>();
  /** The first register of each node or set that has some. */
  readonly #registers = new Map<unknown, number>();
  #registerCount = 0;
  /** A pattern with references: a state is more than an instruction and a position, so the matcher remembers none and has a budget. */
  #hasReferences = false;
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

  program(root: Node): Uint32Array {
    this.#hasReferences = contains(root, ({ kind }) => kind === 'reference');
    const first = firstOf(root);
    // The engine looks for these characters before it tries a match.
    if (!first.mayBeEmpty && !this.#hasReferences && complement(first.set).length > 0) {
      this.#write(OP.ahead, this.#setNumber(first.set), 1);
    }
    this.#node(root);
    this.#write(OP.match);
    const { runs, count, members } = classesOf(this.#sets.length > 0 ? this.#sets : [[]]);
    const setWords = Math.ceil(count / 32);
    const sets = this.#sets.flatMap((_, set) =>
      Array.from({ length: setWords }, (__, word) =>
        members[set]!.slice(word * 32, word * 32 + 32).reduce((bits, isIn, i) => (isIn ? bits | (1 << i) : bits), 0),
      ),
    );
    const hasSearchStart = contains(root, (node) => node.kind === 'assertion' && node.what === 'search_start');
    const flags = (this.#hasReferences ? FLAGS.budget : 0) | (hasSearchStart ? FLAGS.searchStart : 0);
    const runsAt = this.#end();
    const setsAt = runsAt + runs.length * 2;
    const words = setsAt + sets.length;
    if (words > MAX_WORDS) throw new UnsupportedPattern(TOO_LARGE);
    const head = [words, flags, this.#registerCount, this.#places, this.#innerPlaces, this.#reach, count, setWords];
    head.push(runsAt, runs.length, setsAt, this.#sets.length, runsAt);
    return Uint32Array.from([...head, ...this.#code, ...runs.flat(), ...sets]);
  }

  /** Where the next instruction will be. */
  #end(): number {
    return HEAD + this.#code.length;
  }

  #write(op: number, ...operands: number[]): void {
    if (this.#code.length > MAX_CODE) throw new UnsupportedPattern(TOO_LARGE);
    this.#code.push(op, ...operands);
  }

  /** Writes an instruction whose last operand is a position that is not known yet. */
  #writeTo(label: Label, op: number, ...operands: number[]): void {
    this.#write(op, ...operands, 0);
    label.push(this.#code.length - 1);
  }

  #bind(label: Label, at = this.#end()): void {
    for (const operand of label) this.#code[operand] = at;
  }

  /** Marks a place that is reached in several ways, where the matcher remembers failures. */
  #join(): number {
    if (this.#hasReferences) return this.#end();
    if (this.#placeEnd === this.#code.length) return this.#placeBegin;
    this.#placeBegin = this.#end();
    const loops = this.#loops;
    if (this.#ends) this.#writeTo(this.#ends, OP.innerPlace, this.#innerPlaces);
    else this.#write(OP.place, this.#places);
    this.#code.push(loops.length, ...loops);
    // One for each number of loops in which nothing has been read.
    if (this.#ends) this.#innerPlaces += loops.length + 1;
    else this.#places += loops.length + 1;
    this.#placeEnd = this.#code.length;
    return this.#placeBegin;
  }

  /** The first of the registers of a node or set. */
  #registersOf(owner: unknown, count: number): number {
    let first = this.#registers.get(owner);
    if (first === undefined) {
      first = this.#registerCount;
      this.#registerCount += count;
      this.#registers.set(owner, first);
    }
    return first;
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
        for (const code of node.characters) this.#write(OP.character, code);
        break;
      case 'set':
        this.#write(OP.set, this.#setNumber(node.set));
        break;
      case 'list':
        for (const item of node.items) this.#node(item);
        break;
      case 'choice':
        this.#choice(node);
        break;
      case 'repeat':
        this.#repeat(node);
        break;
      case 'group':
        this.#group(node);
        break;
      case 'atomic': {
        const { item } = node;
        const set = item.kind === 'repeat' && item.greedy ? oneOf(item.item) : undefined;
        if (set && item.kind === 'repeat') this.#repeatSet(set, item, MODE.possessive);
        else {
          const mark = this.#registersOf(node, 3);
          this.#write(OP.open, mark);
          this.#barrier(item, OP.closeAtomic, mark);
        }
        break;
      }
      case 'options':
        this.#node(node.item);
        break;
      case 'look':
        this.#look(node);
        break;
      case 'assertion':
        this.#write(OP.assert, ASSERTIONS.indexOf(node.what), this.#setNumber(node.what.endsWith('word_boundary') ? bareWord() : NONE));
        break;
      case 'reference':
        this.#write(OP.reference, this.#registersOf(node.group, 2));
        break;
    }
  }

  #choice({ items }: Choice): void {
    const end: Label = [];
    for (const item of items.slice(0, -1)) {
      const next: Label = [];
      this.#writeTo(next, OP.push);
      this.#node(item);
      this.#writeTo(end, OP.jump);
      this.#bind(next);
    }
    this.#node(items.at(-1)!);
    this.#bind(end, this.#join());
  }

  /** What stands inside of an atomic group or a lookaround, up to the instruction that closes it. */
  #barrier(item: Node, close: number, mark: number): void {
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

  #look(node: Look): void {
    const { behind, negate, item, length } = node;
    if (behind) this.#reach += length;
    const set = oneOf(item);
    if (set) {
      this.#write(behind ? OP.behind : OP.ahead, this.#setNumber(set), negate ? 0 : 1);
      return;
    }
    const mark = this.#registersOf(node, 3);
    const after: Label = [];
    if (negate) this.#writeTo(after, OP.openNot, mark);
    else this.#write(OP.open, mark);
    if (behind) this.#write(OP.back, length);
    this.#barrier(item, negate ? OP.closeNot : behind ? OP.closeAtomic : OP.closeAhead, mark);
    this.#bind(after);
  }

  #repeat(node: Repeat): void {
    const { item, min, max, greedy } = node;
    if (max === 0) return;
    const set = oneOf(item);
    if (set) {
      this.#repeatSet(set, node, greedy ? MODE.greedy : MODE.lazy);
      return;
    }
    const exit: Label = [];
    if (max === Infinity) {
      for (let i = 1; i < min; ++i) this.#node(item);
      this.#loop(node, exit);
    } else {
      for (let i = 0; i < min; ++i) this.#node(item);
      for (let i = min; i < max; ++i) {
        if (greedy) this.#writeTo(exit, OP.push);
        else {
          const body: Label = [];
          this.#writeTo(body, OP.push);
          this.#writeTo(exit, OP.jump);
          this.#bind(body);
        }
        this.#node(item);
      }
    }
    this.#bind(exit, this.#join());
  }

  /** An endless repetition, which is entered inside if there is at least one iteration. */
  #loop(node: Repeat, exit: Label): void {
    const { item, min, greedy } = node;
    const body: Label = [];
    const test: Label = [];
    if (greedy && min > 0) this.#writeTo(body, OP.jump);
    if (!greedy && min === 0) this.#writeTo(test, OP.jump);
    const head = greedy ? this.#join() : this.#end();
    if (greedy) this.#writeTo(exit, OP.push);
    this.#bind(body);
    this.#placeEnd = -1;
    if (mayBeEmpty(item)) {
      // An iteration that reads nothing is the last one.
      const start = this.#registersOf(node, 1);
      this.#write(OP.store, start);
      this.#loops.push(start);
      this.#node(item);
      this.#loops.pop();
      this.#writeTo(exit, OP.advanced, start);
    } else this.#node(item);
    if (greedy) this.#write(OP.jump, head);
    else {
      this.#bind(test, this.#join());
      this.#write(OP.push, head);
    }
  }

  #repeatSet(set: CodePoints, { min, max }: Repeat, mode: number): void {
    const number = this.#setNumber(set);
    if (min > 0) this.#write(OP.repeat, number, min, min, MODE.possessive, 0, 0);
    if (max === min) return;
    if (max < Infinity || this.#hasReferences) {
      this.#write(OP.repeat, number, 0, max === Infinity ? NO_WORD : max - min, mode, this.#loops.length > 0 ? 1 : 0, 0);
      // It ends in several places, and may begin in others.
      this.#join();
    } else if (this.#loops.length > 0) {
      this.#loopOverSet(set, mode);
    } else if (this.#ends) {
      this.#writeTo(this.#ends, OP.repeat, number, 0, NO_WORD, mode, this.#innerPlaces++);
    } else {
      this.#write(OP.repeat, number, 0, NO_WORD, mode, this.#places++, 0);
    }
  }

  /** An endless repetition whose positions are places of loops, too. */
  #loopOverSet(set: CodePoints, mode: number): void {
    if (mode === MODE.possessive) {
      const mark = this.#registersOf(set, 3);
      this.#write(OP.open, mark);
      this.#barrier({ kind: 'repeat', item: { kind: 'set', set }, min: 0, max: Infinity, greedy: true, at: 0 }, OP.closeAtomic, mark);
      return;
    }
    const exit: Label = [];
    const head = this.#join();
    this.#writeTo(exit, OP.push);
    if (mode === MODE.lazy) {
      this.#writeTo(exit, OP.jump);
      this.#bind([exit.shift()!]);
    }
    this.#write(OP.set, this.#setNumber(set));
    this.#write(OP.jump, head);
    this.#bind(exit);
  }

  #group(group: Group): void {
    if (!group.isReferenced) {
      this.#node(group.item);
      return;
    }
    const begin = this.#registersOf(group, 2);
    this.#write(OP.store, begin);
    this.#node(group.item);
    this.#write(OP.store, begin + 1);
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
      return { set: union(...each.map(({ set }) => set)), mayBeEmpty: each.some((first) => first.mayBeEmpty) };
    }
    case 'repeat': {
      const first = firstOf(node.item);
      return { set: first.set, mayBeEmpty: first.mayBeEmpty || node.min === 0 };
    }
    case 'group':
    case 'atomic':
    case 'options':
      return firstOf(node.item);
    case 'look':
    case 'assertion':
      return { set: NONE, mayBeEmpty: true };
    case 'reference':
      return { set: ALL, mayBeEmpty: true };
  }
}
