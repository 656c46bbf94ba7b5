// The split patterns of the published encodings, and the equivalent pretokenizers. Packages spell the same pattern
// differently: tiktoken for Python, tiktoken for npm, and js-tiktoken, whose hosts may not support (?i:…).

import { FAMILY_PATTERNS } from '../patterns/families.js';

const raw = String.raw;

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
