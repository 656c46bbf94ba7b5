// The patterns that DeepSeek-V3 and R1 split text by.

const raw = String.raw;

/** As in tokenizer.json: each splits the pieces of the one before. */
export const DEEPSEEK3 = [
  raw`\p{N}{1,3}`,
  '[一-龥\u3040-ゟ゠-ヿ]+',
  [
    raw`[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_${'`'}{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+`,
    raw` ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`,
  ].join('|'),
] as const;
