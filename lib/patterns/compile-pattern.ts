// A split pretokenizer of a tokenizer.json as tables: the automaton of its pattern, and what becomes of the text between
// matches.

import { automatonOf, type Automaton } from './automaton.js';
import { choice, type Expression } from './expression.js';
import { overBytes } from './over-bytes.js';
import { parsePattern } from './parse.js';
import { PatternError } from './pattern-error.js';
import { ConstructPositions } from './construct-positions.js';
import { covers, isLinear } from './read-ahead.js';

/** What Hugging Face's tokenizers call the ways to split. */
export type SplitBehavior = 'Isolated' | 'Removed' | 'MergedWithPrevious' | 'MergedWithNext' | 'Contiguous';

/** A split pretokenizer, as in a tokenizer.json. */
export interface Split {
  pattern: string;
  behavior: SplitBehavior;
  /** The text between matches is treated as matches are, and the other way round. */
  invert: boolean;
  /** It splits what ByteLevel has written. */
  overBytes?: boolean;
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
  /** The automaton reads bytes, each as the code point of its value. */
  overBytes: boolean;
}

/** Compiles a pretokenizer; throws PatternError for a pattern that has no such automaton. */
export function compileSplit({ pattern, behavior, invert, overBytes: ofBytes = false }: Split): CompiledSplit {
  const automaton = linearAutomaton(pattern, ofBytes);
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
  return { automaton, covers: noGaps, cuts, removed: removes === 'gaps' && noGaps ? 'nothing' : removes, overBytes: ofBytes };
}

function linearAutomaton(pattern: string, ofBytes: boolean): Automaton {
  const parsed = parsePattern(pattern);
  const expression = ofBytes ? overBytes(parsed) : parsed;
  try {
    return checked(expression);
  } catch (error) {
    if (!(error instanceof PatternError) || error.position !== undefined) throw error;
    throw new PatternError(error.what, positionOfFailure(pattern, expression, error.what));
  }
}

/** The automaton; throws PatternError for one that is too large, or may take too long. */
function checked(expression: Expression): Automaton {
  const automaton = automatonOf(expression);
  if (!isLinear(automaton)) throw new PatternError('a pattern that may read the same text again and again');
  return automaton;
}

/** Where an alternative begins with which, after those before it, a pattern fails; undefined if it has but one. */
function positionOfFailure(pattern: string, expression: Expression, what: string): number | undefined {
  const starts = new ConstructPositions(pattern).alternatives();
  if (expression.kind !== 'choice' || expression.items.length !== starts.length) return undefined;
  const { items } = expression;
  const fails = (count: number): boolean => {
    try {
      checked(choice(items.slice(0, count)));
      return false;
    } catch (error) {
      return error instanceof PatternError && error.what === what;
    }
  };
  // So many alternatives do not fail, and so many do.
  let [good, bad] = [0, items.length];
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (fails(middle)) bad = middle;
    else good = middle;
  }
  return starts[bad - 1];
}
