// The engine's splitter: the scanner of a family, or tables for patterns.

import type { Split } from '../patterns/compile-pattern.js';
import { FAMILY_PATTERNS } from '../patterns/families.js';
import type { PatternAllowance, PatternRefusal, patternTables } from '../patterns/pattern-section.js';
import { quotedName } from '../../base/errors.js';
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
function familiesByPatterns(): Map<string, string> {
  const families = new Map<string, string>();
  for (const [family, patterns] of Object.entries(FAMILY_PATTERNS)) {
    const published = patterns.join('\n');
    families.set(published, family);
    for (const [begin, other] of SPELLINGS) {
      if (published.startsWith(begin)) families.set(other + published.slice(begin.length), family);
    }
  }
  return families;
}

/** The name of the family that splits as these do, one after the other; undefined if there is none. */
export function familyOf(splits: readonly Split[]): string | undefined {
  const isAlone = splits.length === 1;
  // Where every character is in a match, these are the same.
  const keepsMatches = ({ behavior, invert }: Split) => behavior === 'Isolated' || (isAlone && behavior === 'Removed' && invert);
  if (!splits.every(keepsMatches)) return undefined;
  // Some files have the characters themselves.
  const spelled = splits.map(({ pattern }) => pattern.replaceAll('\r', raw`\r`).replaceAll('\n', raw`\n`)).join('\n');
  return familiesByPatterns().get(spelled);
}

/** In the form the engine takes. */
export interface Scanner {
  scanner: string;
  /** For the scanner `pattern`. */
  pattern?: Uint8Array;
}

/** The name of a family, `none`, or patterns, for an option's value: a known tiktoken pattern becomes its family. */
export function resolvedPretokenizer(pretokenizer: string | readonly Split[]): string | readonly Split[] {
  const splits = typeof pretokenizer === 'string' ? splitsOf(pretokenizer) : pretokenizer;
  if (splits === undefined) return pretokenizer;
  return (typeof pretokenizer === 'string' ? pretokenizerOf(pretokenizer) : undefined) ?? familyOf(splits) ?? splits;
}

/** Undefined for a name. */
function splitsOf(pretokenizer: string): Split[] | undefined {
  return isPattern(pretokenizer) ? [{ pattern: pretokenizer, behavior: 'Isolated', invert: false }] : undefined;
}

/** The scanner for patterns. `refuse` throws the error for a pattern without tables. `may`: what patterns may do with pieces. */
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

// The split patterns of the published encodings, and the equivalent pretokenizers. Packages spell the same pattern
// differently: tiktoken for Python, tiktoken for npm, and js-tiktoken, whose hosts may not support (?i:…).

const CONTRACTION = raw`(?i:'s|'t|'re|'ve|'m|'ll|'d)`;
/** An apostrophe and its possible suffixes, in any case, for JavaScript. */
const WITHOUT_FLAG = raw`('s|'S|'t|'T|'re|'rE|'Re|'RE|'ve|'vE|'Ve|'VE|'m|'M|'ll|'lL|'Ll|'LL|'d|'D)`;

const spelled = (pattern: string, contraction: string): string => pattern.replaceAll(CONTRACTION, () => contraction);

const [GPT2_PUBLISHED] = FAMILY_PATTERNS.gpt2;
const GPT2: readonly [string, ...string[]] = [
  GPT2_PUBLISHED,
  raw`'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`,
  raw`'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s`,
];

// Excludes the latest one of tiktoken for Python, with \s++$ before \s*[\r\n]: it splits white space with a line break
// at the end of a text differently.
const CL100K = [
  FAMILY_PATTERNS.cl100k[0],
  raw`${CONTRACTION}|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+`,
].flatMap((pattern) => [WITHOUT_FLAG, CONTRACTION, raw`'(?i:[sdmt]|ll|ve|re)`].map((contraction) => spelled(pattern, contraction)));

const O200K = [WITHOUT_FLAG, CONTRACTION].map((contraction) => spelled(FAMILY_PATTERNS.o200k[0], contraction));

/** Every spelling of each pattern, by pretokenizer. js-tiktoken's comes first. */
export const PATTERNS = {
  gpt2: GPT2,
  cl100k: CL100K as [string, ...string[]],
  o200k: O200K as [string, ...string[]],
} as const;

/** The pretokenizer equivalent to a pattern; undefined for an unknown pattern. */
export function pretokenizerOf(pattern: string): keyof typeof PATTERNS | undefined {
  const names = Object.keys(PATTERNS) as (keyof typeof PATTERNS)[];
  return names.find((name) => (PATTERNS[name] as readonly string[]).includes(pattern));
}
