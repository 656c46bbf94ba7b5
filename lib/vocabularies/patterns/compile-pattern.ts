// Compiles a split pretokenizer of a tokenizer.json to tables: its pattern's automaton, and the treatment of text
// between matches.

import { type Automaton, automatonOf } from './automaton.js';
import { parsePattern } from './expression.js';
import { PatternError } from './tree.js';
import { covers, isLinear } from './read-ahead.js';

/** The names of split behaviours in Hugging Face tokenizers. */
export type SplitBehavior = 'Isolated' | 'Removed' | 'MergedWithPrevious' | 'MergedWithNext' | 'Contiguous';

/** A split pretokenizer, as in a tokenizer.json. */
export interface Split {
  pattern: string;
  behavior: SplitBehavior;
  /** Swaps matches and the text between them. */
  invert: boolean;
}

/** Where pieces end: between two matches, between a match and a following gap (text without a match), and after a gap. */
export interface Cuts {
  betweenMatches: boolean;
  beforeGaps: boolean;
  afterGaps: boolean;
}

export interface CompiledSplit {
  automaton: Automaton;
  /** Whether every text is a sequence of matches, without gaps. */
  covers: boolean;
  cuts: Cuts;
  /** The part of the text that is dropped. */
  removed: 'nothing' | 'matches' | 'gaps';
}

/** Compiles a pretokenizer; throws PatternError for a pattern without an automaton that takes linear time. */
export function compileSplit({ pattern, behavior, invert }: Split): CompiledSplit {
  const automaton = linearAutomaton(pattern);
  const noGaps = covers(automaton);
  // With `Removed`, at every possible position: the text between two removed parts is a piece.
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

function linearAutomaton(pattern: string): Automaton {
  const automaton = automatonOf(parsePattern(pattern));
  if (!isLinear(automaton)) throw new PatternError('a pattern that may read the same text again and again');
  return automaton;
}
