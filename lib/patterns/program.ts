// An expression as a program for a backtracking matcher: where to continue, and which branch to prefer.

import { ALL, has, type CodePoints } from './code-points.js';
import type { Expression } from './expression.js';
import { PatternError } from './pattern-error.js';

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

export function programOf(expression: Expression): Program {
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
        const { item, least, most, lazy } = from;
        let after = next;
        if (most === Infinity) {
          after = add({ kind: 'either', first: next, second: next });
          const body = write(item, after);
          instructions[after] = lazy ? { kind: 'either', first: next, second: body } : { kind: 'either', first: body, second: next };
        } else {
          // x{0,2} is (x(x)?)?: the second requires the first.
          for (let i = least; i < most; ++i) after = either(write(item, after), next, lazy);
        }
        for (let i = 0; i < least; ++i) after = write(item, after);
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
