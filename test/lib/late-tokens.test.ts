// Added tokens that are normalized, where a normalizer comes before Metaspace: npm `tokenizers` looks for them between both. Without
// a normalizer, it looks for them before Metaspace, in what the other tokens leave.

import { createRequire } from 'node:module';
import { expect, it } from 'vitest';
import { compileCartridge, Tokenizer } from 'crayon-tokenizer';

import { Random } from '../fuzz/random.mjs';
import { sample } from '../share.js';
import { compare, referenceOf } from './added-token-files.js';

const { Tokenizer: HuggingFace } = createRequire(import.meta.url)('tokenizers') as typeof import('tokenizers');

const NORMALIZERS = [{ type: 'Lowercase' }, { type: 'NFC' }, { type: 'NFKD' }, { type: 'Replace', pattern: { String: 'b' }, content: ' ' }, { type: 'Strip', strip_left: true, strip_right: true }];
const TOKENS = ['ab', 'B', 'é', 'x', 'X.', 'Ab', '<m>'];
const WORDS = ['<unk>', '▁', 'a', 'b', 'ab', '▁a', '▁ab', '▁x', 'xa', 'c', '▁c', 'e', '.', '▁b', '<', 'm'];
const PARTS = ['a', 'b', 'ab', 'AB', 'Ab', ' ', '  ', '▁', '▁a', 'x', 'X.', 'x.', 'é', 'e\u0301', 'É', 'c', '<m>', '<M>', '\n', '中'];

interface Token {
  content: string;
  normalized: boolean;
  single_word?: boolean;
}

function fileOf(normalizer: object | null, tokens: Token[], metaspace: object): object {
  const flags = { single_word: false, lstrip: false, rstrip: false, special: false };
  const others = tokens.filter(({ content }) => !WORDS.includes(content));
  const idOf = (content: string) => (WORDS.includes(content) ? WORDS.indexOf(content) : WORDS.length + others.findIndex((other) => other.content === content));
  return {
    version: '1.0',
    added_tokens: tokens.map((token) => ({ id: idOf(token.content), ...flags, ...token })).sort((one, other) => one.id - other.id),
    normalizer,
    pre_tokenizer: { type: 'Metaspace', replacement: '▁', ...metaspace },
    post_processor: null,
    decoder: null,
    model: { type: 'Unigram', vocab: WORDS.map((word, id) => [word, -(id % 5) - word.length]), unk_id: 0, byte_fallback: false },
  };
}

const FILES = sample(300, 30);
it(`${FILES} files with a Metaspace that only marks spaces`, async () => {
  let compared = 0;
  for (let seed = 1; seed <= FILES; seed++) {
    const random = new Random(seed);
    const tokens = [...new Set(Array.from({ length: random.integer(1, 3) }, () => random.pick(TOKENS)))];
    const list = tokens.map((content, index) => ({ content, normalized: index === 0 || random.chance(0.5) }));
    const json = JSON.stringify(fileOf(random.pick(NORMALIZERS), list, { prepend_scheme: 'never', split: random.chance(0.5) }));
    let cartridge: Uint8Array;
    try {
      cartridge = await compileCartridge(Buffer.from(json));
    } catch (error) {
      // What a normalizer makes of a token may be nothing, another one, or have a space.
      expect((error as Error).message, json).toContain('added_tokens');
      continue;
    }
    using tokenizer = await Tokenizer.load(cartridge);
    const reference = HuggingFace.fromString(json);
    compared++;
    for (let round = 0; round < 10; round++) {
      const text = Array.from({ length: random.integer(0, 20) }, () => random.pick(PARTS)).join('');
      const expected = await reference.encode(text, null, { addSpecialTokens: false });
      const own = tokenizer.encodeWithOffsets(text);
      expect([...own.ids].join(), `${JSON.stringify(text)} ${json}`).toBe(expected.getIds().join());
      expect([...own.offsets].join(), `${JSON.stringify(text)} ${json}`).toBe(expected.getOffsets().flat().join());
    }
  }
  expect(compared).toBeGreaterThan(FILES / 3);
}, 120_000);

const SCHEMES = ['always', 'first', 'never'];
it(`${FILES} files with a Metaspace and no normalizer`, async () => {
  let compared = 0;
  for (let seed = 1; seed <= FILES; seed++) {
    const random = new Random(seed, 2);
    const tokens = [...new Set(Array.from({ length: random.integer(2, 5) }, () => random.pick([...TOKENS, 'xa', 'a b', 'b ', '▁x', '<', '中'])))];
    const list = tokens.map((content) => ({ content, normalized: random.chance(0.6), single_word: random.chance(0.1) }));
    const metaspace = { prepend_scheme: random.pick(SCHEMES), split: random.chance(0.7) };
    const single = { type: 'Metaspace', replacement: '▁', ...metaspace };
    const file = fileOf(null, list, metaspace);
    const words = { type: 'Sequence', pretokenizers: [{ type: 'WhitespaceSplit' }, single] };
    const areWords = metaspace.split && metaspace.prepend_scheme === 'always' && random.chance(0.5);
    const json = JSON.stringify(areWords ? { ...file, pre_tokenizer: words } : file);
    using tokenizer = await Tokenizer.load(await compileCartridge(Buffer.from(json), { slim: random.chance(0.5) }));
    if (list.some(({ normalized }) => normalized) && list.some(({ normalized }) => !normalized)) compared++;
    const texts = Array.from({ length: 10 }, () => Array.from({ length: random.integer(0, 20) }, () => random.pick(PARTS)).join(''));
    await compare(tokenizer, referenceOf(json), texts, random, json);
  }
  expect(compared).toBeGreaterThan(FILES / 3);
}, 120_000);

it.each([{ prepend_scheme: 'always', split: false }, { prepend_scheme: 'first', split: true }, { prepend_scheme: 'never', split: true }])('a Metaspace between whitespace that does not mark each word, or split, is refused: %j', async (metaspace) => {
  const pre_tokenizer = { type: 'Sequence', pretokenizers: [{ type: 'WhitespaceSplit' }, { type: 'Metaspace', replacement: '▁', ...metaspace }] };
  const json = JSON.stringify({ ...fileOf(null, [], metaspace), pre_tokenizer });
  await expect(compileCartridge(Buffer.from(json))).rejects.toThrow('pre_tokenizer: a Metaspace between whitespace is supported only if it marks each word and splits');
});

it('a token that is normalized and includes whitespace is refused with a Metaspace', async () => {
  const file = fileOf(null, [{ content: 'x', normalized: true }, { content: 'xa', normalized: false }], { prepend_scheme: 'first', split: true }) as { added_tokens: object[] };
  const json = JSON.stringify({ ...file, added_tokens: file.added_tokens.map((token) => ({ ...token, lstrip: true })) });
  await expect(compileCartridge(Buffer.from(json))).rejects.toThrow('added_tokens: "x" is normalized and has lstrip or rstrip, which is not supported with Metaspace');
});

it.each<[string, Token, object]>([
  ['a mark in front of words', { content: 'x', normalized: true }, { prepend_scheme: 'always', split: true }],
  ['a mark in front of the first word', { content: 'x', normalized: true }, { prepend_scheme: 'first', split: true }],
  ['a token with a space', { content: 'a b', normalized: true }, { prepend_scheme: 'never', split: true }],
  ['a token with a mark', { content: 'a▁', normalized: true }, { prepend_scheme: 'never', split: true }],
])('%s is refused', async (_, token, metaspace) => {
  const json = JSON.stringify(fileOf({ type: 'Lowercase' }, [token], metaspace));
  await expect(compileCartridge(Buffer.from(json))).rejects.toThrow(`added_tokens: ${JSON.stringify(token.content)} is normalized, which is not supported with a normalizer and Metaspace`);
});
