// Whether the pieces of several pretokenizers, applied in sequence, are independent of the text before them.
//
// The engine starts to split wherever a piece has ended: for a thread, in a stream, at an edit. The rest must then be split as
// in the whole text. For a single pattern it is, because it sees nothing before the position where it begins. With a second
// one, a piece may end inside a match of the first, which the first would not find again from there. So for each pattern
// except the last, either its matches continue from each of their positions as a match beginning there would, as for [一-龥]+,
// or no later pattern ends a piece inside them, as for \p{N}{1,3} if later ones treat all digits alike or ignore them.

import { ACCEPT, START, STOP, type Automaton, classOf } from './automaton.js';
import type { CompiledSplit } from './compile-pattern.js';

/** Whether a scan may begin at the end of any piece. */
export function mayRestart(splits: readonly CompiledSplit[]): boolean {
  return splits.every(({ automaton, cuts }, index) => {
    const later = splits.slice(index + 1);
    if (later.length === 0) return true;
    // If pieces extend past the ends of matches, a position inside one does not determine the text before it.
    if (!cuts.betweenMatches || !cuts.beforeGaps || !cuts.afterGaps) return false;
    const mayCut = (input: number) => later.some((each) => mayCutBefore(each, automaton, input));
    return goesOnAlike(automaton, mayCut) || later.every((each) => leavesWhole(each.automaton, automaton));
  });
}

/** Whether a match, from each of its positions where a later pattern may cut, ends where a match that begins there does. */
function goesOnAlike({ classCount, stateCount, table }: Automaton, mayCut: (input: number) => boolean): boolean {
  for (let state = START; state < stateCount; ++state) {
    for (let input = 0; input < classCount; ++input) {
      const next = table[state * (classCount + 1) + input]! & ~ACCEPT;
      if (next !== STOP && next !== (table[START * (classCount + 1) + input]! & ~ACCEPT) && mayCut(input)) return false;
    }
  }
  return true;
}

/** Whether a pattern may end a piece before a character of a class of the other one. */
function mayCutBefore({ automaton, covers }: CompiledSplit, other: Automaton, input: number): boolean {
  if (!covers) return true;
  const { classCount, stateCount, table } = automaton;
  const rowOf = (state: number) => table.subarray(state * (classCount + 1), (state + 1) * (classCount + 1));
  // The match that could end there does not, if it ends later in any case.
  const endsLater = (state: number) => state !== STOP && rowOf(state).every((entry) => entry & ACCEPT);
  const firsts = [...other.runs, ...automaton.runs]
    .map(([codePoint]) => codePoint)
    .filter((codePoint) => classOf(other, codePoint) === input);
  const classes = new Set(firsts.map((codePoint) => classOf(automaton, codePoint)));
  for (let state = START; state < stateCount; ++state) {
    for (const each of classes) {
      const entry = rowOf(state)[each]!;
      if (entry & ACCEPT && !endsLater(entry & ~ACCEPT)) return true;
    }
  }
  return false;
}

/** Whether a pattern has no match inside the other's matches, or the same ones. */
function leavesWhole(inner: Automaton, outer: Automaton): boolean {
  // For each class of the other pattern that occurs in its matches, the classes of its characters here.
  const classes = new Map<number, Set<number>>();
  for (const first of new Set([...outer.runs, ...inner.runs].map(([codePoint]) => codePoint))) {
    const input = classOf(outer, first);
    if (occurs(outer, input)) classes.set(input, (classes.get(input) ?? new Set()).add(classOf(inner, first)));
  }
  return hasNone(inner, new Set([...classes.values()].flatMap((each) => [...each]))) || hasTheSame(inner, outer, classes);
}

function occurs({ classCount, stateCount, table }: Automaton, input: number): boolean {
  for (let state = START; state < stateCount; ++state) {
    if ((table[state * (classCount + 1) + input]! & ~ACCEPT) !== STOP) return true;
  }
  return false;
}

/** Whether no text consisting of the given classes has a match. */
function hasNone({ classCount, table }: Automaton, classes: Set<number>): boolean {
  const states = new Set([START]);
  for (const state of states) {
    for (const input of [...classes, classCount]) {
      const entry = table[state * (classCount + 1) + input]!;
      if (entry & ACCEPT) return false;
      if (entry !== STOP) states.add(entry);
    }
  }
  return true;
}

/** Whether each match of the outer pattern, as a separate text, is a single match of the inner one. */
function hasTheSame(inner: Automaton, outer: Automaton, classes: Map<number, Set<number>>): boolean {
  const row = ({ classCount, table }: Automaton, state: number) => table.subarray(state * (classCount + 1), (state + 1) * (classCount + 1));
  const seen = new Set<number>();
  const queue: [number, number][] = [[START, START]];
  for (const [innerState, other] of queue) {
    for (const [input, alike] of classes) {
      const next = row(outer, other)[input]! & ~ACCEPT;
      if (next === STOP) continue;
      for (const each of alike) {
        const to = row(inner, innerState)[each]! & ~ACCEPT;
        const mayEnd = row(outer, next).some((entry) => entry & ACCEPT);
        if (to === STOP || (mayEnd && !(row(inner, to).at(-1)! & ACCEPT))) return false;
        const pair = to * outer.stateCount + next;
        if (!seen.has(pair)) queue.push([to, next]);
        seen.add(pair);
      }
    }
  }
  return true;
}
