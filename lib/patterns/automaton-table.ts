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
