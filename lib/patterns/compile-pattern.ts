// A split pretokenizer of a tokenizer.json as tables: the automaton of its pattern, and what becomes of the text between
// matches.

import { automatonOf, type Automaton } from './automaton.js';
import { parsePattern } from './parse.js';
import { PatternError } from './pattern-error.js';
import { covers, isLinear } from './read-ahead.js';

/** What Hugging Face's tokenizers call the ways to split. */
export type SplitBehavior = 'Isolated' | 'Removed' | 'MergedWithPrevious' | 'MergedWithNext' | 'Contiguous';

/** A split pretokenizer, as in a tokenizer.json. */
export interface Split {
  pattern: string;
  behavior: SplitBehavior;
  /** The text between matches is treated as matches are, and the other way round. */
  invert: boolean;
}

/** Where pieces end: between two matches, after a match before a gap (text without a match), after a gap. */
export interface Cuts {
  betweenMatches: boolean;
  beforeGaps: boolean;
  afterGaps: boolean;
}

export interface CompiledSplit {
  automaton: Automaton;
  /** Every text is a sequence of matches: there are no gaps. */
  covers: boolean;
  cuts: Cuts;
  /** What is dropped of the text. */
  removed: 'nothing' | 'matches' | 'gaps';
}

/** Compiles a pretokenizer; throws PatternError for a pattern that has no such automaton. */
export function compileSplit({ pattern, behavior, invert }: Split): CompiledSplit {
  const automaton = automatonOf(parsePattern(pattern));
  if (!isLinear(automaton)) throw new PatternError('a pattern that may read the same text again and again');
  const noGaps = covers(automaton);
  // With `Removed`, every cut there can be: what is left between two removed parts is a piece.
  const all: Cuts = { betweenMatches: true, beforeGaps: true, afterGaps: true };
  const cuts: Cuts = {
    Isolated: all,
    Removed: all,
    // A match joins the text before it, or (inverted) a gap does.
    MergedWithPrevious: { betweenMatches: true, beforeGaps: !invert, afterGaps: invert },
    MergedWithNext: { betweenMatches: true, beforeGaps: invert, afterGaps: !invert },
    Contiguous: { betweenMatches: false, beforeGaps: true, afterGaps: true },
  }[behavior];
  const removes = behavior === 'Removed' ? (invert ? 'gaps' : 'matches') : 'nothing';
  return { automaton, covers: noGaps, cuts, removed: removes === 'gaps' && noGaps ? 'nothing' : removes };
}
