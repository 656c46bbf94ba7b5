// Whether an automaton splits every text in linear time.
//
// A match ends where the automaton last accepted. If it has read further without accepting again, the next match reads that text,
// its read-ahead, again. Each text is read a bounded number of times if no two matches read ahead far over the same text: of all
// matches whose read-ahead covers a position, only the earliest then has a long one. So this rules out two matches, the second
// beginning inside the first's read-ahead, that both continue without accepting for more than a few characters. Pairs of their
// states show how long that can be. An example is a*b|a on "aaaa…". States that are certain to accept later, as in [^a]++, do not
// count.

import { ACCEPT, START, STOP, type Automaton } from './automaton.js';

/** The engine's validator has the same bound. */
const MOST_READ_AHEAD = 64;

/** Whether the time to split a text is linear in its length. */
export function isLinear(automaton: Automaton): boolean {
  const { classCount, stateCount, table } = automaton;
  const entry = (state: number, input: number) => table[state * (classCount + 1) + input]!;
  const each = Array.from({ length: classCount }, (_, input) => input);

  const mayFail = failingStates(automaton);
  // The states of a match that is reading ahead, and the pairs with another match that begins inside.
  const ahead = new Set<number>();
  const pairs = new Map<number, number[]>();
  const queue: number[] = [];
  const pair = (first: number, second: number) => {
    const both = first * stateCount + second;
    if (mayFail.has(first) && second !== STOP && !pairs.has(both)) {
      pairs.set(both, []);
      queue.push(both);
    }
    return both;
  };
  for (let state = START; state < stateCount; ++state) {
    for (const input of each) {
      const next = entry(state, input);
      if (next & ACCEPT) {
        if (mayFail.has(next & ~ACCEPT)) ahead.add(next & ~ACCEPT);
        pair(next & ~ACCEPT, entry(START, input) & ~ACCEPT);
      }
    }
  }
  for (const input of each) {
    if (mayFail.has(entry(START, input))) ahead.add(entry(START, input));
  }
  for (const state of ahead) {
    for (const input of each) {
      const next = entry(state, input);
      if (next & ACCEPT || !mayFail.has(next)) continue;
      ahead.add(next);
      pair(next, entry(START, input) & ~ACCEPT);
    }
  }

  // The successor pairs; `pairs` keeps only steps in which neither accepts.
  for (let both = queue.pop(); both !== undefined; both = queue.pop()) {
    const [first, second] = [Math.floor(both / stateCount), both % stateCount];
    for (const input of each) {
      const [one, other] = [entry(first, input), entry(second, input)];
      if (one & ACCEPT || !mayFail.has(one) || (other & ~ACCEPT) === STOP) continue;
      const next = pair(one, other & ~ACCEPT);
      if (!(other & ACCEPT) && mayFail.has(other)) pairs.get(both)!.push(next);
    }
  }
  return !hasLongPath(pairs);
}

/** The states from which the automaton may stop without accepting again. */
function failingStates({ classCount, stateCount, table }: Automaton): Set<number> {
  const found = new Set<number>();
  for (let size = -1; size < found.size; ) {
    size = found.size;
    for (let state = START; state < stateCount; ++state) {
      const row = table.subarray(state * (classCount + 1), (state + 1) * (classCount + 1));
      if (row.some((entry) => entry === STOP || (!(entry & ACCEPT) && found.has(entry)))) found.add(state);
    }
  }
  return found;
}

/** Whether more than MOST_READ_AHEAD steps are possible; each node lists its successors. */
function hasLongPath(graph: Map<number, number[]>): boolean {
  let going = new Set(graph.keys());
  for (let steps = 0; steps < MOST_READ_AHEAD; ++steps) {
    const before = going;
    going = new Set([...before].filter((node) => graph.get(node)!.some((next) => before.has(next))));
    if (going.size === 0) return false;
  }
  return true;
}

/** Whether every text is a sequence of matches, without gaps. */
export function covers({ classCount, table }: Automaton): boolean {
  const before = new Set([START]); // states that have not accepted so far
  for (const state of before) {
    for (let input = 0; input <= classCount; ++input) {
      const next = table[state * (classCount + 1) + input]!;
      if (next & ACCEPT || (state === START && input === classCount)) continue;
      if (next === STOP) return false;
      before.add(next);
    }
  }
  return true;
}
