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

import { ACCEPT, START, STOP, type Automaton } from './automaton-table.js';
import type { Expression } from './expression.js';
import { PatternError } from './pattern-error.js';
import { classesOf, programOf, type Classes, type Program } from './program.js';

/** Limits of the file format; before equivalent states are merged, there may be more. */
export const MOST_STATES = 128;
export const MOST_CLASSES = 127;
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
  const kept = [...columns.values()].map((number) => classOf.indexOf(number));
  const runs: [number, number][] = [];
  for (const [first, input] of classes.runs) {
    if (runs.at(-1)?.[1] !== classOf[input]) runs.push([first, classOf[input]!]);
  }
  const table = Uint16Array.from(reduced.flatMap((row) => [...kept.map((input) => row[input]!), row.at(-1)!]));
  return { runs, classCount: kept.length, stateCount: reduced.length, table };
}
