// The patterns that the published encodings split text by, and the pretokenizer that splits as each says. Packages spell
// one pattern in several ways: tiktoken of Python and of npm, and js-tiktoken, whose hosts may not have (?i:…).

const raw = String.raw;

/** An apostrophe and what may follow it, in any case, for JavaScript. */
const WITHOUT_FLAG = raw`('s|'S|'t|'T|'re|'rE|'Re|'RE|'ve|'vE|'Ve|'VE|'m|'M|'ll|'lL|'Ll|'LL|'d|'D)`;
const CONTRACTIONS = [WITHOUT_FLAG, raw`(?i:'s|'t|'re|'ve|'m|'ll|'d)`];

const GPT2 = [
  raw`'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`,
  raw`'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`,
  raw`'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s`,
] as const;

// Not among them is the latest one of tiktoken of Python, with \s++$ in front of \s*[\r\n]: it splits white space with a
// line break at the end of a text in another way.
const CL100K = [
  raw`[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`,
  raw`[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+`,
].flatMap((rest) => [...CONTRACTIONS, raw`'(?i:[sdmt]|ll|ve|re)`].map((contraction) => `${contraction}|${rest}`));

const O200K = CONTRACTIONS.map((contraction) =>
  [
    raw`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+${contraction}?`,
    raw`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*${contraction}?`,
    raw`\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`,
  ].join('|'),
);

/** Every spelling of each pattern, by the pretokenizer. The first one is as js-tiktoken has it. */
export const PATTERNS = {
  gpt2: GPT2,
  cl100k: CL100K as [string, ...string[]],
  o200k: O200K as [string, ...string[]],
} as const;

/** The pretokenizer that splits as a pattern says; undefined for a pattern that is not known. */
export function pretokenizerOf(pattern: string): keyof typeof PATTERNS | undefined {
  const names = Object.keys(PATTERNS) as (keyof typeof PATTERNS)[];
  return names.find((name) => (PATTERNS[name] as readonly string[]).includes(pattern));
}
