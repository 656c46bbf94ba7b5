// The engine's splitter: the scanner of a family, or tables for patterns.

import type { Split } from '../patterns/compile-pattern.js';
import { FAMILY_PATTERNS } from '../patterns/families.js';
import type { PatternAllowance, PatternRefusal, patternTables } from '../patterns/tables.js';
import { quotedName } from '../base/errors.js';
import { pretokenizerOf } from './patterns.js';
import { isPattern } from './split-pattern.js';

const raw = String.raw;

/** How patterns begin, and equivalent beginnings in some files. */
const SPELLINGS = [
  [raw`'s|'t|'re|'ve|'m|'ll|'d|`, raw`'(?:[sdmt]|ll|ve|re)|`],
  [raw`(?i:'s|'t|'re|'ve|'m|'ll|'d)|`, raw`'(?i:[sdmt]|ll|ve|re)|`],
] as const;

/**
 * The patterns with which Oniguruma, the library that Hugging Face uses, splits as a family does. A single pattern matches every
 * character, so there is nothing between matches. Several lines apply in order: each splits the pieces of the previous one.
 */
const FAMILIES = new Map<string, string>();
for (const [family, patterns] of Object.entries(FAMILY_PATTERNS)) {
  const published = patterns.join('\n');
  FAMILIES.set(published, family);
  for (const [begin, other] of SPELLINGS) {
    if (published.startsWith(begin)) FAMILIES.set(other + published.slice(begin.length), family);
  }
}

/** The name of the family that splits as these do, one after the other; undefined if there is none. */
export function familyOf(splits: readonly Split[]): string | undefined {
  const isAlone = splits.length === 1;
  // Where every character is in a match, these are the same.
  const keepsMatches = ({ behavior, invert }: Split) => behavior === 'Isolated' || (isAlone && behavior === 'Removed' && invert);
  if (!splits.every(keepsMatches)) return undefined;
  // Some files have the characters themselves.
  const spelled = splits.map(({ pattern }) => pattern.replaceAll('\r', raw`\r`).replaceAll('\n', raw`\n`)).join('\n');
  return FAMILIES.get(spelled);
}

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

/** `splits`: patterns. `refuse` throws for those without tables. `may`: what they are allowed to do with pieces. */
export function scannerOf(
  splits: readonly Split[],
  tablesOf: typeof patternTables,
  refuse: (why: PatternRefusal) => never,
  may: PatternAllowance = {},
): Scanner {
  const pattern = tablesOf(splits, may);
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
