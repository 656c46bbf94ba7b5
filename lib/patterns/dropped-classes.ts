// Which characters a pretokenizer drops if it removes matches, or the gaps between them.
//
// The engine recognizes dropped text by its characters alone, and does not match again where an id begins. So a character must be
// dropped everywhere or nowhere: every character that begins a match must be a match by itself, and matches must contain no
// others; or the same for gaps.

import { ACCEPT, START, STOP } from './automaton-table.js';
import type { CompiledSplit } from './compile-pattern.js';
import { PatternError } from './pattern-error.js';

/** The classes of dropped characters; throws PatternError for a pretokenizer that drops some of them only next to others. */
export function droppedClasses({ automaton, removed }: CompiledSplit): number[] {
  if (removed === 'nothing') return [];
  const { classCount, stateCount, table } = automaton;
  const rowOf = (state: number) => table.subarray(state * (classCount + 1), (state + 1) * (classCount + 1));
  const classes = Array.from({ length: classCount }, (_, input) => input);
  const begins = (input: number) => (rowOf(START)[input]! & ~ACCEPT) !== STOP;
  const dropped = classes.filter((input) => begins(input) === (removed === 'matches'));
  const areAlone = classes.filter(begins).every((input) => rowOf(rowOf(START)[input]!).every((entry) => entry & ACCEPT));
  // A character that continues a match is dropped or kept with it.
  const others = removed === 'matches' ? classes.filter((input) => !dropped.includes(input)) : dropped;
  const states = Array.from({ length: stateCount - 1 }, (_, index) => index + START);
  const areApart = states.every((state) => others.every((input) => (rowOf(state)[input]! & ~ACCEPT) === STOP));
  if (!areAlone || !areApart) throw new PatternError(`${removed} are removed from the text that other characters say the ends of`);
  return dropped;
}
