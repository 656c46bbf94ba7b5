// Merges of no-break spaces, which Llama 2 has, and copies of such a file in which something has made them spaces.

import { createRequire } from 'node:module';
import { expect, it } from 'vitest';
import { Tokenizer } from 'crayon-tokenizer';

const { Tokenizer: HuggingFace } = createRequire(import.meta.url)('tokenizers') as typeof import('tokenizers');

const SPACE = '\u00a0';
const TOKENS = ['<unk>', '▁', 'a', SPACE, SPACE + SPACE, `▁${SPACE}`, SPACE.repeat(4)];
const FILE = JSON.stringify({
  version: '1.0',
  added_tokens: [],
  normalizer: { type: 'Replace', pattern: { String: ' ' }, content: '▁' },
  pre_tokenizer: null,
  post_processor: null,
  decoder: null,
  model: {
    type: 'BPE',
    unk_token: '<unk>',
    fuse_unk: true,
    vocab: Object.fromEntries(TOKENS.map((token, id) => [token, id])),
    merges: [`${SPACE} ${SPACE}`, `▁ ${SPACE}`, `${SPACE}${SPACE} ${SPACE}${SPACE}`],
  },
});

it('merges no-break spaces as the reference does', async () => {
  const reference = HuggingFace.fromString(FILE);
  using tokenizer = await Tokenizer.load(Buffer.from(FILE));
  for (const text of [
    SPACE,
    SPACE.repeat(2),
    SPACE.repeat(7),
    `a${SPACE} ${SPACE}a`,
    ` ${SPACE}${SPACE}`,
    `  a ${SPACE}${SPACE}${SPACE}`,
  ]) {
    expect([...tokenizer.encode(text)], JSON.stringify(text)).toEqual((await reference.encode(text)).getIds());
  }
});

it('refuses a copy with spaces in their place, as the reference does, and says what has happened', async () => {
  const copy = FILE.replaceAll(SPACE, ' ');
  expect(() => HuggingFace.fromString(copy)).toThrow('Merges text file invalid');
  await expect(Tokenizer.load(Buffer.from(copy))).rejects.toThrow(
    'model.merges[0]: expected two tokens and a space between but found "   ", as in a copy whose no-break spaces have become spaces: get the original',
  );
});
