// Split pretokenizers, applied in sequence, as tables for the engine's scanner: the entry of this folder. It is loaded only
// for compiling, since it brings a parser and Unicode tables.

import { compileSplit, type Split } from './compile-pattern.js';
import { droppedClasses } from './dropped-classes.js';
import { NESTED, PatternError } from './pattern-error.js';
import { MOST_PATTERNS, patternSection } from './section.js';

/** Why there are no tables. */
export interface PatternRefusal {
  what: string;
  /** The index of the pretokenizer at fault; undefined: all of them together. */
  index: number | undefined;
}

/** What a vocabulary's model can do with pieces. */
export interface PatternAllowance {
  drop?: boolean;
  beInner?: boolean;
}

/**
 * The cartridge section (cartridges/FORMAT.md §11), or why there is none. `may`: whether text may be removed, and
 * whether patterns may be inner ones.
 */
export function patternTables(splits: readonly Split[], may: PatternAllowance = {}): Uint8Array | PatternRefusal {
  if (splits.length > MOST_PATTERNS) return { what: `${splits.length} patterns, one after the other`, index: undefined };
  let index: number | undefined;
  try {
    const compiled = splits.map((split, at) => {
      index = at;
      const each = compileSplit(split);
      if (each.removed !== 'nothing' && !may.drop)
        throw new PatternError(`${each.removed} are removed from the text, which no id would have`);
      droppedClasses(each);
      return each;
    });
    index = undefined;
    return patternSection(compiled, may.beInner);
  } catch (error) {
    if (error instanceof PatternError) return { what: error.message, index };
    // Stack overflow.
    if (error instanceof RangeError) return { what: NESTED, index };
    throw error;
  }
}
