// Split pretokenizers, one after the other, as tables for the engine's scanner: the entry of this folder. It is loaded when
// there is something to compile, for it brings a parser and tables of Unicode.

import { type CompiledSplit, compileSplit, type Split } from './compile-pattern.js';
import { droppedClasses } from './dropped-classes.js';
import { MATCHES_NOTHING, NESTED, PatternError } from './pattern-error.js';
import { MOST_PATTERNS, patternSection } from './section.js';

/** Why there are no tables. */
export interface PatternRefusal {
  what: string;
  /** The pretokenizer that it is about; undefined: all of them together. */
  index: number | undefined;
}

/** What the model of a vocabulary can do with pieces. */
export interface PatternAllowance {
  drop?: boolean;
  beInner?: boolean;
}

/**
 * The section of a cartridge (cartridges/FORMAT.md §11), or why there is none. `may`: whether text may be removed, and
 * whether patterns may be inner ones.
 */
export function patternTables(splits: readonly Split[], may: PatternAllowance = {}): Uint8Array | PatternRefusal {
  if (splits.length > MOST_PATTERNS) return { what: `${splits.length} patterns, one after the other`, index: undefined };
  let index: number | undefined;
  try {
    const compiled = splits.flatMap((split, at) => {
      index = at;
      const each = compiledOf(split);
      if (!each) return [];
      if (each.removed !== 'nothing' && !may.drop)
        throw new PatternError(`${each.removed} are removed from the text, which no id would have`);
      droppedClasses(each);
      return each;
    });
    index = undefined;
    return patternSection(compiled, may.beInner);
  } catch (error) {
    if (error instanceof PatternError) return { what: error.message, index };
    // The stack is full.
    if (error instanceof RangeError) return { what: NESTED, index };
    throw error;
  }
}

/** Undefined for one that leaves every text as it is. */
function compiledOf(split: Split): CompiledSplit | undefined {
  try {
    return compileSplit(split);
  } catch (error) {
    // Of the characters that ByteLevel writes it may know none.
    const leavesAll = split.overBytes === true && (split.behavior !== 'Removed' || !split.invert);
    if (leavesAll && error instanceof PatternError && error.what === MATCHES_NOTHING) return undefined;
    throw error;
  }
}
