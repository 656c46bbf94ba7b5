// What the engine splits by: the scanner of a family, or tables of patterns.

import { familyOf } from '../import/pretokenizer.js';
import type { Split } from '../patterns/compile-pattern.js';
import type { PatternAllowance, PatternRefusal } from '../patterns/tables.js';
import { quotedName } from '../base/errors.js';
import { pretokenizerOf } from './patterns.js';
import { isPattern } from './split-pattern.js';

/** As the engine takes it. */
export interface Scanner {
  scanner: string;
  /** Of the scanner `pattern`. */
  pattern?: Uint8Array;
}

/** The name of a family, `none`, or patterns, for what an option says: a pattern of tiktoken is that family, too. */
export function resolvedPretokenizer(given: string | readonly Split[]): string | readonly Split[] {
  const splits = typeof given === 'string' ? splitsOf(given) : given;
  if (splits === undefined) return given;
  return (typeof given === 'string' ? pretokenizerOf(given) : undefined) ?? familyOf(splits) ?? splits;
}

/** Undefined for a name. */
function splitsOf(given: string): Split[] | undefined {
  return isPattern(given) ? [{ pattern: given, behavior: 'Isolated', invert: false }] : undefined;
}

/**
 * `resolved`: the name of a family, `none`, or patterns. `refuse` throws for patterns that have no tables. `may`: what
 * they may do with pieces.
 */
export async function scannerOf(
  resolved: string | readonly Split[],
  refuse: (why: PatternRefusal) => never,
  may: PatternAllowance = {},
): Promise<Scanner> {
  if (typeof resolved === 'string') return { scanner: resolved };
  const { patternTables } = await import('../patterns/tables.js');
  const pattern = patternTables(resolved, may);
  return 'what' in pattern ? refuse(pattern) : { scanner: 'pattern', pattern };
}

/** Throws the error for patterns of the option `pretokenizer`. */
export function refusedPattern(resolved: string | readonly Split[]): (why: PatternRefusal) => never {
  return ({ what, index }) => {
    const name = index === undefined || resolved.length === 1 ? 'pretokenizer' : `pretokenizer[${index}]`;
    const received = typeof resolved === 'string' ? resolved : resolved[index ?? 0]?.pattern;
    throw new RangeError(`expected a pattern that can be compiled for ${name} but received ${quotedName(received ?? '')}: ${what}`);
  };
}
