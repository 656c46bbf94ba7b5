// Splits a text with compiled pretokenizers: the engine's work in TypeScript, for texts of any length.

import { classOf, matchEnd } from '../../lib/vocabularies/patterns/automaton.js';
import type { CompiledSplit } from '../../lib/vocabularies/patterns/compile-pattern.js';

/** The pieces of a text: each pretokenizer splits the previous one's pieces. */
export function splitInTurn(splits: readonly CompiledSplit[], text: string): string[] {
  return splits.reduce((pieces, split) => pieces.flatMap((piece) => splitText(split, piece)), [text]);
}

/** The pieces of a text. */
export function splitText({ automaton, cuts, removed }: CompiledSplit, text: string): string[] {
  const characters = Array.from(text);
  const classes = characters.map((character) => classOf(automaton, character.codePointAt(0)!));
  const pieces: string[] = [];
  let before: 'match' | 'gap' | undefined;
  for (let begin = 0; begin < characters.length; ) {
    let end = matchEnd(automaton, classes, begin);
    const kind = end > begin ? 'match' : 'gap';
    if (kind === 'gap') {
      do ++end;
      while (end < characters.length && matchEnd(automaton, classes, end) === end);
    }
    const part = characters.slice(begin, end).join('');
    const cut = kind === 'gap' ? cuts.beforeGaps : before === 'gap' ? cuts.afterGaps : cuts.betweenMatches;
    if (removed !== (kind === 'gap' ? 'gaps' : 'matches')) {
      if (before === undefined || cut) pieces.push(part);
      else pieces.push(pieces.pop()! + part);
    }
    before = kind;
    begin = end;
  }
  return pieces;
}
