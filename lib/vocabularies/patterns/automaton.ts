// A pattern as an automaton that finds the same matches as a backtracking matcher: of all matches at a position, the preferred
// one.
//
// A state is the list of instructions at which the matcher could be, in the order it would try them; the first that matches
// wins, and later ones are dropped (as in RE2). Matching ends one character late: the character read decides whether a match
// ends before it, so a lookahead of one character needs no separate state. In \s+(?!\S)|\s+ on "  a", the state after the
// first space is
//
//   [ \s+ again or (?!\S), \s+ again or the end ]
//
// If a space comes next, (?!\S) holds: a match ends before it, but the matcher prefers to continue. If "a" comes next,
// neither \s+ nor (?!\S) continues, and the match of the second alternative ends before it. The last match found on the way
// counts.

import type { Expression } from './expression.js';
import { PatternError } from './tree.js';
import { ALL, has, type CodePoints } from './code-points.js';

/** Limits of the file format; before equivalent states are merged, there may be more. */
const MOST_STATES = 128;
const MOST_CLASSES = 127;
const MOST_STATES_AT_FIRST = 512;

/** The automaton of an expression; throws PatternError if it is too large, or matches the empty string. */
export function automatonOf(expression: Expression): Automaton {
  const program = programOf(expression);
  const classes = classesOf(program.sets);
  const rows = determinize(program, classes);
  if (rows[START]!.some((entry) => entry & ACCEPT)) throw new PatternError('a pattern that matches the empty text');
  const automaton = smallest(withoutDeadEnds(rows), classes);
  if (automaton.stateCount > MOST_STATES) throw new PatternError('a pattern with too many states');
  if (automaton.classCount > MOST_CLASSES) throw new PatternError('a pattern with too many different classes of characters');
  return automaton;
}

/** By state, and by class or the end of the text: the entry of the table. */
type Rows = number[][];

function determinize({ instructions, start }: Program, { count, members }: Classes): Rows {
  const rows: Rows = [Array<number>(count + 1).fill(STOP)];
  const lists: number[][] = [[]];
  const numbers = new Map<string, number>([['', STOP]]);
  const numberOf = (list: number[]) => {
    const key = list.join();
    let number = numbers.get(key);
    if (number === undefined) {
      number = lists.push(list) - 1;
      if (number >= MOST_STATES_AT_FIRST) throw new PatternError('a pattern with too many states');
      numbers.set(key, number);
    }
    return number;
  };
  numberOf([start]);

  const seen = new Uint32Array(instructions.length);
  let time = 0;
  for (let state = START; state < lists.length; ++state) {
    const row: number[] = [];
    for (let input = 0; input <= count; ++input) {
      const ends = input === count;
      const list: number[] = [];
      let accepts = false;
      ++time;
      // Depth first, the preferred branch first. An instruction already tried would fail again.
      const stack = [...lists[state]!].reverse();
      while (stack.length > 0) {
        const at = stack.pop()!;
        if (seen[at] === time) continue;
        seen[at] = time;
        const instruction = instructions[at]!;
        if (instruction.kind === 'match') {
          accepts = true;
          break;
        }
        if (instruction.kind === 'either') {
          stack.push(instruction.second, instruction.first);
        } else if (instruction.kind === 'ahead') {
          if (ends ? instruction.end : members[instruction.set]![input]) stack.push(instruction.next);
        } else if (!ends && members[instruction.set]![input] && !list.includes(instruction.next)) {
          list.push(instruction.next);
        }
      }
      row.push(numberOf(list) | (accepts ? ACCEPT : 0));
    }
    rows.push(row);
  }
  return rows;
}

/** Redirects states from which no match can end to the end state. */
function withoutDeadEnds(rows: Rows): Rows {
  const alive = rows.map((row) => row.some((entry) => entry & ACCEPT));
  for (let changed = true; changed; ) {
    changed = false;
    for (const [state, row] of rows.entries()) {
      if (alive[state] || !row.some((entry) => alive[entry & ~ACCEPT])) continue;
      alive[state] = changed = true;
    }
  }
  if (!alive[START]) throw new PatternError('a pattern that matches nothing');
  return rows.map((row) => row.map((entry) => (alive[entry & ~ACCEPT] ? entry : entry & ACCEPT)));
}

/** Merges equivalent states and equivalent classes, and numbers them in the order they are reached. */
function smallest(rows: Rows, classes: Classes): Automaton {
  let blocks: number[] = rows.map((_, state) => (state === STOP ? 0 : 1));
  for (let count = 0; ; ) {
    const numbers = new Map<string, number>();
    const next = rows.map((row, state) => {
      const key = `${blocks[state]}:${row.map((entry) => blocks[entry & ~ACCEPT]! | (entry & ACCEPT)).join()}`;
      if (!numbers.has(key)) numbers.set(key, numbers.size);
      return numbers.get(key)!;
    });
    blocks = next;
    if (numbers.size === count) break;
    count = numbers.size;
  }

  const numbers = new Map([
    [blocks[STOP]!, STOP],
    [blocks[START]!, START],
  ]);
  const representatives = [STOP, START];
  for (let i = START; i < representatives.length; ++i) {
    for (const entry of rows[representatives[i]!]!) {
      const state = entry & ~ACCEPT;
      if (numbers.has(blocks[state]!)) continue;
      numbers.set(blocks[state]!, representatives.length);
      representatives.push(state);
    }
  }
  const reduced = representatives.map((state) => rows[state]!.map((entry) => numbers.get(blocks[entry & ~ACCEPT]!)! | (entry & ACCEPT)));

  const columns = new Map<string, number>();
  const classOf: number[] = [];
  for (let input = 0; input < classes.count; ++input) {
    const key = reduced.map((row) => row[input]).join();
    if (!columns.has(key)) columns.set(key, columns.size);
    classOf.push(columns.get(key)!);
  }
  const representative = [...columns.values()].map((number) => classOf.indexOf(number));
  const runs: [number, number][] = [];
  for (const [first, input] of classes.runs) {
    if (runs.at(-1)?.[1] !== classOf[input]) runs.push([first, classOf[input]!]);
  }
  const table = Uint16Array.from(reduced.flatMap((row) => [...representative.map((input) => row[input]!), row.at(-1)!]));
  return { runs, classCount: representative.length, stateCount: reduced.length, table };
}

// The table of an automaton (automaton.ts), and matching with it.

export interface Automaton {
  /** Ascending: the first code point of each run of one class, and the class's number. */
  runs: [first: number, number: number][];
  classCount: number;
  /** State 0 is the end, state 1 the beginning of a match. */
  stateCount: number;
  /** By state and input, a class or (last) the end of the text: the next state, plus ACCEPT if a match ends before the input. */
  table: Uint16Array;
}

export const ACCEPT = 0x8000;
export const STOP = 0;
export const START = 1;

/** The class of a code point. */
export function classOf({ runs }: Automaton, codePoint: number): number {
  let low = 0;
  let high = runs.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (runs[middle]![0] <= codePoint) low = middle;
    else high = middle;
  }
  return runs[low]![1];
}

/** The end of the match from `begin` on, in characters; `begin` if there is none. */
export function matchEnd(automaton: Automaton, classes: readonly number[], begin: number): number {
  const { classCount, table } = automaton;
  let end = begin;
  let state = START;
  for (let at = begin; state !== STOP; ++at) {
    const entry = table[state * (classCount + 1) + (at < classes.length ? classes[at]! : classCount)]!;
    if (entry & ACCEPT) end = at;
    state = entry & ~ACCEPT;
  }
  return end;
}

// An expression as a program for a backtracking matcher: where to continue, and which branch to prefer.

export type Instruction =
  /** Consumes a character of the set. */
  | { kind: 'set'; set: number; next: number }
  /** Continues if the next character is in the set; with `end`, also at the end of the text. */
  | { kind: 'ahead'; set: number; end: boolean; next: number }
  /** The first one is preferred. */
  | { kind: 'either'; first: number; second: number }
  | { kind: 'match' };

export interface Program {
  instructions: Instruction[];
  start: number;
  /** The distinct sets. */
  sets: CodePoints[];
}

const MOST_INSTRUCTIONS = 4096;

function programOf(expression: Expression): Program {
  const instructions: Instruction[] = [{ kind: 'match' }];
  const sets: CodePoints[] = [];
  const numbers = new Map<string, number>();

  const setNumber = (set: CodePoints) => {
    const key = set.join(';');
    let number = numbers.get(key);
    if (number === undefined) {
      number = sets.push(set) - 1;
      numbers.set(key, number);
    }
    return number;
  };
  const add = (instruction: Instruction) => {
    if (instructions.length >= MOST_INSTRUCTIONS) throw new PatternError('a pattern that is too large', 0);
    return instructions.push(instruction) - 1;
  };
  const either = (preferred: number, other: number, lazy: boolean) =>
    add(lazy ? { kind: 'either', first: other, second: preferred } : { kind: 'either', first: preferred, second: other });

  /** Adds code that matches the expression and continues at `next`; returns its first instruction. */
  const write = (from: Expression, next: number): number => {
    switch (from.kind) {
      case 'set':
        return add({ kind: 'set', set: setNumber(from.set), next });
      case 'ahead':
        return add({ kind: 'ahead', set: setNumber(from.set), end: from.end, next });
      case 'sequence':
        return from.items.reduceRight((after, item) => write(item, after), next);
      case 'choice':
        return from.items
          .slice(0, -1)
          .reduceRight((others, item) => either(write(item, next), others, false), write(from.items.at(-1)!, next));
      case 'repeat': {
        const { item, min, max, lazy } = from;
        let after = next;
        if (max === Infinity) {
          after = add({ kind: 'either', first: next, second: next });
          const body = write(item, after);
          instructions[after] = lazy ? { kind: 'either', first: next, second: body } : { kind: 'either', first: body, second: next };
        } else {
          // x{0,2} is (x(x)?)?: the second requires the first.
          for (let i = min; i < max; ++i) after = either(write(item, after), next, lazy);
        }
        for (let i = 0; i < min; ++i) after = write(item, after);
        return after;
      }
    }
  };
  const start = write(expression, 0);
  return { instructions, start, sets };
}

/** Code points in the same sets form one class. */
export interface Classes {
  /** Ascending: the first code point of each run of one class, and the class's number. */
  runs: [first: number, number: number][];
  count: number;
  /** By set and class: whether the class is in the set. */
  members: boolean[][];
}

export function classesOf(sets: CodePoints[]): Classes {
  const borders = new Set(sets.flatMap((set) => set.flatMap(([first, last]) => [first, last + 1])));
  borders.add(0);
  borders.delete(ALL[0]![1] + 1);
  const numbers = new Map<string, number>();
  const runs: [number, number][] = [];
  for (const first of [...borders].sort((a, b) => a - b)) {
    const key = sets.map((set) => (has(set, first) ? '1' : '0')).join('');
    let number = numbers.get(key);
    if (number === undefined) {
      number = numbers.size;
      numbers.set(key, number);
    }
    if (runs.at(-1)?.[1] !== number) runs.push([first, number]);
  }
  const keys = [...numbers.keys()];
  return { runs, count: keys.length, members: sets.map((_, set) => keys.map((key) => key[set] === '1')) };
}
