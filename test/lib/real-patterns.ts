// Patterns of published tokenizers, from their tokenizer.json or the source it was made from.

const raw = String.raw;

const CONTRACTIONS = raw`(?i:'s|'t|'re|'ve|'m|'ll|'d)`;
const UPPER = raw`\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}`;
const LOWER = raw`\p{Ll}\p{Lm}\p{Lo}\p{M}`;
const SPACES = raw`\s*[\r\n]+|\s+(?!\S)|\s+`;

/** Words in two phases of case: o200k and its successors. */
const words = (but: string, suffix: string) =>
  [`[${UPPER}${but}]*[${LOWER}${but}]+${suffix}`, `[${UPPER}${but}]+[${LOWER}${but}]*${suffix}`]
    .map((word) => raw`[^\r\n\p{L}\p{N}]?${word}`)
    .join('|');

export const REAL_PATTERNS: Record<string, string> = {
  gpt2: raw`'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`,
  'cl100k, Llama 3': raw`${CONTRACTIONS}|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|${SPACES}`,
  'cl100k of tiktoken': raw`'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s`,
  'o200k, gpt-oss': raw`${words('', `${CONTRACTIONS}?`)}|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|${SPACES}`,
  'Qwen 2, 2.5, 3': raw`${CONTRACTIONS}|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|${SPACES}`,
  'tekken (Mistral Nemo)': raw`${words('', '')}|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|${SPACES}`,
  'Kimi K2': raw`[\p{Han}]+|${words(raw`&&[^\p{Han}]`, `${CONTRACTIONS}?`)}|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|${SPACES}`,
  'DeepSeek V3, digits': raw`\p{N}{1,3}`,
  'DeepSeek V3, ideographs and kana': '[一-龥\u3040-ゟ゠-ヿ]+',
  'DeepSeek V3, the rest': raw`[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_${'`'}{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|${SPACES}`,
};
