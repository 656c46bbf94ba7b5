// The engine's splitter: the scanner of a family, or tables for patterns.

import { familyOf } from '../import/pretokenizer.js';
import { needed, type Steps } from '../import/steps.js';
import type { Split } from '../patterns/compile-pattern.js';
import type { PatternAllowance, PatternRefusal } from '../patterns/tables.js';
import { quotedName } from '../base/errors.js';
import { pretokenizerOf } from './patterns.js';
import { isPattern } from './split-pattern.js';

/** In the form the engine takes. */
export interface Scanner {
  scanner: string;
  /** For the scanner `pattern`. */
  pattern?: Uint8Array;
}

/** The name of a family, `none`, or patterns, for an option's value: a known tiktoken pattern becomes its family. */
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
 * `resolved`: the name of a family, `none`, or patterns. `refuse` throws for patterns without tables. `may`: what they
 * are allowed to do with pieces.
 */
export function* scannerOf(
  resolved: string | readonly Split[],
  refuse: (why: PatternRefusal) => never,
  may: PatternAllowance = {},
): Steps<Scanner> {
  if (typeof resolved === 'string') return { scanner: resolved };
  const { patternTables } = yield* needed('tables', () => import('../patterns/tables.js'));
  const pattern = patternTables(resolved, may);
  return 'what' in pattern ? refuse(pattern) : { scanner: 'pattern', pattern };
}

/** Throws the error for the option `pretokenizer`'s patterns. */
export function refusedPattern(resolved: string | readonly Split[]): (why: PatternRefusal) => never {
  return ({ what, index }) => {
    const name = index === undefined || resolved.length === 1 ? 'pretokenizer' : `pretokenizer[${index}]`;
    const received = typeof resolved === 'string' ? resolved : resolved[index ?? 0]?.pattern;
    throw new RangeError(`expected a pattern that can be compiled for ${name} but received ${quotedName(received ?? '')}: ${what}`);
  };
}
