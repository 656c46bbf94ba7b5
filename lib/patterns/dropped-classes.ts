// Which characters a pretokenizer drops that removes matches, or what lies between them.
//
// The engine knows dropped text by its characters alone: it looks for no match again where an id begins. So a character is dropped
// wherever it is or nowhere: all that begin a match are one by themselves, at least, and matches have no others; or the same of
// the gaps.

import { ACCEPT, START, STOP } from './automaton.js';
import type { CompiledSplit } from './compile-pattern.js';
import { PatternError } from './pattern-error.js';
import { classOf } from './split.js';

/** The classes of the characters; throws PatternError for a pretokenizer that drops some of them only next to others. */
export function droppedClasses({ automaton, removed, overBytes }: CompiledSplit): number[] {
  if (removed === 'nothing') return [];
  const { classCount, stateCount, table } = automaton;
  const rowOf = (state: number) => table.subarray(state * (classCount + 1), (state + 1) * (classCount + 1));
  const classes = Array.from({ length: classCount }, (_, input) => input);
  const begins = (input: number) => (rowOf(START)[input]! & ~ACCEPT) !== STOP;
  const dropped = classes.filter((input) => begins(input) === (removed === 'matches'));
  const areAlone = classes.filter(begins).every((input) => rowOf(rowOf(START)[input]!).every((entry) => entry & ACCEPT));
  // What a match goes on with is dropped if the match is, and is not if it is not.
  const others = removed === 'matches' ? classes.filter((input) => !dropped.includes(input)) : dropped;
  const states = Array.from({ length: stateCount - 1 }, (_, index) => index + START);
  const areApart = states.every((state) => others.every((input) => (rowOf(state)[input]! & ~ACCEPT) === STOP));
  if (!areAlone || !areApart) throw new PatternError(`${removed} are removed from the text that other characters say the ends of`);
  // Where text is dropped, offsets are those of characters.
  const ofParts = new Set(Array.from({ length: 0x80 }, (_, index) => classOf(automaton, 0x80 + index)));
  if (overBytes && dropped.some((each) => ofParts.has(each))) throw new PatternError(`${removed} are removed that are parts of characters`);
  return dropped;
}
