// Normalized added tokens in files where a normalizer comes before Metaspace: npm `tokenizers` searches for them between
// the two, and words begin after them. Without a normalizer, it searches before Metaspace, in the text that the other
// tokens leave.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { compileCartridge, Tokenizer } from 'crayon-tokenizer';

import { Random } from '../fuzz/random.mjs';
import { sample } from '../share.js';
import { compare, compareGeneral, compareLong, idsOf, referenceOf } from './added-token-files.js';

const NORMALIZERS = [
  { type: 'Lowercase' },
  { type: 'NFC' },
  { type: 'NFKD' },
  { type: 'Replace', pattern: { String: 'b' }, content: ' ' },
  { type: 'Strip', strip_left: true, strip_right: true },
];
const TOKENS = ['ab', 'B', 'é', 'x', 'X.', 'Ab', '<m>'];
const WORDS = ['<unk>', '▁', 'a', 'b', 'ab', '▁a', '▁ab', '▁x', 'xa', 'c', '▁c', 'e', '.', '▁b', '<', 'm'];
const PARTS = ['a', 'b', 'ab', 'AB', 'Ab', ' ', '  ', '▁', '▁a', 'x', 'X.', 'x.', 'é', 'e\u0301', 'É', 'c', '<m>', '<M>', '\n', '中'];

interface Token {
  content: string;
  normalized: boolean;
  lstrip?: boolean;
  rstrip?: boolean;
  single_word?: boolean;
  special?: boolean;
}

function fileOf(normalizer: object | null, tokens: Token[], metaspace: object): object {
  const flags = { single_word: false, lstrip: false, rstrip: false, special: false };
  const others = tokens.filter(({ content }) => !WORDS.includes(content));
  const idOf = (content: string) =>
    WORDS.includes(content) ? WORDS.indexOf(content) : WORDS.length + others.findIndex((other) => other.content === content);
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

const betweenWhitespace = (metaspace: object) => ({
  type: 'Sequence',
  pretokenizers: [{ type: 'WhitespaceSplit' }, { type: 'Metaspace', replacement: '▁', ...metaspace }],
});

const FILES = sample(300, 30);
const SCHEMES = ['always', 'first', 'never'];

/** A file with random tokens, whose Metaspace may also come after the words between whitespace. */
function randomFile(random: Random, normalizer: object | null, tokens: Token[], splits: number): string {
  const metaspace = { prepend_scheme: random.pick(SCHEMES), split: random.chance(splits) };
  const file = fileOf(normalizer, tokens, metaspace);
  const areWords = metaspace.split && metaspace.prepend_scheme === 'always' && random.chance(0.5);
  return JSON.stringify(areWords ? { ...file, pre_tokenizer: betweenWhitespace(metaspace) } : file);
}

/** Undefined if it is refused: a normalizer may turn a token into nothing, into another token, or into text with a space. */
async function compiled(json: string, random: Random): Promise<Uint8Array | undefined> {
  return compileCartridge(Buffer.from(json), { slim: random.chance(0.5) }).catch((error: Error) => {
    expect(error.message, json).toContain('added_tokens');
    return undefined;
  });
}

const textsOf = (random: Random, count: number, longest: number, parts: readonly string[]) =>
  Array.from({ length: count }, () => Array.from({ length: random.integer(0, longest) }, () => random.pick(parts)).join(''));

/** None that a normalizer makes equal: of these, the order of a hash table of the reference decides. */
function someOf(random: Random, fewest: number, most: number, contents: readonly string[]): string[] {
  const some = Array.from({ length: random.integer(fewest, most) }, () => random.pick(contents));
  return [...new Map(some.map((content) => [content.toLowerCase(), content])).values()];
}

it(`${FILES} files with a normalizer and a Metaspace`, async () => {
  let compared = 0;
  for (let seed = 1; seed <= FILES; seed++) {
    const random = new Random(seed);
    const tokens = someOf(random, 1, 3, TOKENS).map((content, index) => ({
      content,
      normalized: index === 0 || random.chance(0.5),
      special: random.chance(0.4),
    }));
    const json = randomFile(random, random.pick(NORMALIZERS), tokens, 0.5);
    const cartridge = await compiled(json, random);
    if (!cartridge) continue;
    using tokenizer = await Tokenizer.load(cartridge);
    compared++;
    const texts = textsOf(random, 10, 20, PARTS);
    await compare(tokenizer, referenceOf(json), texts, random, json);
    if (seed % 4 > 0) continue;
    using wasm = await Tokenizer.load(cartridge, { backend: 'wasm' });
    for (const text of texts) expect([...wasm.encode(text)], json).toEqual([...tokenizer.encode(text)]);
  }
  expect(compared).toBeGreaterThan(FILES / 3);
}, 300_000);

it(`${FILES} files with a Metaspace and no normalizer`, async () => {
  let compared = 0;
  for (let seed = 1; seed <= FILES; seed++) {
    const random = new Random(seed, 2);
    const contents = someOf(random, 2, 5, [...TOKENS, 'xa', 'a b', 'b ', '▁x', '<', '中']);
    const tokens = contents.map((content) => ({ content, normalized: random.chance(0.6), single_word: random.chance(0.1) }));
    const json = randomFile(random, null, tokens, 0.7);
    using tokenizer = await Tokenizer.load(await compileCartridge(Buffer.from(json), { slim: random.chance(0.5) }));
    if (tokens.some(({ normalized }) => normalized) && tokens.some(({ normalized }) => !normalized)) compared++;
    await compare(tokenizer, referenceOf(json), textsOf(random, 10, 20, PARTS), random, json);
  }
  expect(compared).toBeGreaterThan(FILES / 3);
}, 120_000);

it.each([
  { prepend_scheme: 'always', split: false },
  { prepend_scheme: 'first', split: true },
  { prepend_scheme: 'never', split: true },
])('a Metaspace between whitespace that does not mark each word, or split: %j', async (metaspace) => {
  const json = JSON.stringify({ ...fileOf(null, [], metaspace), pre_tokenizer: betweenWhitespace(metaspace) });
  await compareGeneral(
    json,
    textsOf(new Random(1), 20, 16, PARTS),
    'pre_tokenizer: a Metaspace between whitespace that does not mark each word',
  );
});

// As <mask> of NLLB, mBART, XLNet.
describe('normalized tokens that include whitespace', () => {
  const CONTENTS = ['<m>', '<M>', 'x', 'é', 'ab', 'X.', '<s>'];
  const SPACED = [...PARTS, '<m>', ' <m>', '<m> ', ' ', '\n', '\u3000', 'x ', '<s>', ' <s> ', '\u00a0'];

  it.each([true, false])(
    `${FILES} files, with a normalizer: %s`,
    async (hasNormalizer) => {
      let compared = 0;
      for (let seed = 1; seed <= FILES; seed++) {
        const random = new Random(seed, hasNormalizer ? 5 : 6);
        const tokens = someOf(random, 1, 4, CONTENTS).map((content, index) => ({
          content,
          normalized: index === 0 || random.chance(0.6),
          lstrip: random.chance(0.6),
          rstrip: random.chance(0.3),
          special: random.chance(0.4),
        }));
        const json = randomFile(random, hasNormalizer ? random.pick(NORMALIZERS) : null, tokens, 0.7);
        const cartridge = await compiled(json, random);
        if (!cartridge) continue;
        using tokenizer = await Tokenizer.load(cartridge);
        compared++;
        const texts = textsOf(random, 20, 16, SPACED);
        await compare(tokenizer, referenceOf(json), texts, random, `${seed} ${json}`);
        if (seed % 4 > 0) continue;
        using wasm = await Tokenizer.load(cartridge, { backend: 'wasm' });
        for (const text of texts)
          expect([...wasm.encode(text, { special: 'allow' })], json).toEqual([...tokenizer.encode(text, { special: 'allow' })]);
      }
      expect(compared).toBeGreaterThan(FILES / 3);
    },
    300_000,
  );

  it.each(SCHEMES)('are text where special ones are, with the whitespace around them: prepend_scheme %s', async (prepend_scheme) => {
    const mask = { content: '<m>', normalized: true, special: true, lstrip: true, rstrip: true };
    const metaspace = { prepend_scheme, split: true };
    using tokenizer = await Tokenizer.load(Buffer.from(JSON.stringify(fileOf({ type: 'Lowercase' }, [mask], metaspace))));
    const reference = referenceOf(JSON.stringify(fileOf({ type: 'Lowercase' }, [], metaspace)));
    const random = new Random(7);
    const texts = Array.from({ length: sample(500, 50) }, () =>
      Array.from({ length: random.integer(0, 12) }, () => random.pick(SPACED)).join(''),
    );
    const expected = await idsOf(reference, texts);
    for (const [index, text] of texts.entries()) {
      // In turns: what one text leaves behind must not serve the other.
      tokenizer.encode(text, { special: 'allow' });
      expect([...tokenizer.encode(text)], JSON.stringify(text)).toEqual(expected[index]);
    }
  });

  it('are found in what the normalizers of XLM-R make, with whitespace that only these have made', async () => {
    const file = JSON.parse(readFileSync(new URL('../models/xlm-roberta.tokenizer.json', import.meta.url), 'utf8'));
    file.added_tokens.push({
      id: file.model.vocab.length,
      content: '<mask>',
      single_word: false,
      lstrip: true,
      rstrip: false,
      normalized: true,
      special: true,
    });
    const json = JSON.stringify(file);
    using tokenizer = await Tokenizer.load(Buffer.from(json));
    const random = new Random(9);
    const parts = [
      'the ',
      '<mask>',
      ' <mask>',
      '<mask> ',
      'tokens',
      '  ',
      '</s>',
      'Ａ',
      'ﬁ',
      'e\u0301',
      '\n',
      '\u3000',
      '日本',
      '\u00a0',
      '<',
      'mask>',
      '▁',
    ];
    const texts = Array.from({ length: sample(2000, 100) }, () =>
      Array.from({ length: random.integer(0, 12) }, () => random.pick(parts)).join(''),
    );
    await compare(tokenizer, referenceOf(json), texts, random, 'XLM-R');
  });

  it('belong to long texts, on threads and from files', async () => {
    const mask = { content: '<mask>', normalized: true, special: true, lstrip: true };
    const json = JSON.stringify(fileOf({ type: 'NFKD' }, [mask], { prepend_scheme: 'always', split: true }));
    using tokenizer = await Tokenizer.load(Buffer.from(json));
    const random = new Random(8);
    const text = Array.from({ length: sample(200_000, 40_000) }, () => random.pick([...SPACED, ' <mask>', '<mask> a', 'mask', '   '])).join(
      '',
    );
    const folder = mkdtempSync(join(tmpdir(), 'late-'));
    await compareLong(tokenizer, referenceOf(json), text, random, folder);
    rmSync(folder, { recursive: true });
  }, 60_000);

  it.each<[string, Token[]]>([
    [
      'a token that another one makes with what is before it',
      [
        { content: 'b', normalized: true, lstrip: true },
        { content: 'ab', normalized: true },
      ],
    ],
    [
      'a token that another one makes with what is after it',
      [
        { content: 'b', normalized: true, rstrip: true },
        { content: 'bc', normalized: true },
      ],
    ],
    [
      'a special token that begins with another one',
      [
        { content: '<m>', normalized: true, lstrip: true, special: true },
        { content: '<', normalized: true },
      ],
    ],
    [
      'a token that is a single word beside one that includes whitespace',
      [
        { content: '<m>', normalized: true, lstrip: true },
        { content: 'x', normalized: true, single_word: true },
      ],
    ],
  ])('%s', async (_, list) => {
    const json = JSON.stringify(fileOf({ type: 'Lowercase' }, list, { prepend_scheme: 'never', split: true }));
    await compareGeneral(json, textsOf(new Random(1), 20, 16, SPACED), 'added_tokens');
  });
});

it.each<[string, Token, string]>([
  ['a token that is a single word', { content: 'x', normalized: true, single_word: true }, 'first'],
  ['a token with a space', { content: 'a b', normalized: true }, 'never'],
  ['a token with a mark', { content: 'a▁', normalized: true }, 'always'],
])('%s', async (_, token, prepend_scheme) => {
  const json = JSON.stringify(fileOf({ type: 'Lowercase' }, [token], { prepend_scheme, split: true }));
  await compareGeneral(json, [token.content, ...textsOf(new Random(1), 20, 16, PARTS)], 'added_tokens');
});

// As of DeBERTa v3, whose [UNK] is special and normalized.
describe('a special token that is normalized', () => {
  it('is found in what the normalizers of XLM-R make', async () => {
    const file = JSON.parse(readFileSync(new URL('../models/xlm-roberta.tokenizer.json', import.meta.url), 'utf8'));
    file.added_tokens[0].normalized = true;
    file.normalizer.normalizers.unshift({ type: 'Strip', strip_left: true, strip_right: true });
    const json = JSON.stringify(file);
    using tokenizer = await Tokenizer.load(Buffer.from(json));
    const random = new Random(3, 3);
    const parts = ['the ', '<unk>', '<unk>', 'tokens', ' ', '  ', '</s>', 'Ａ', 'ﬁ', 'e\u0301', '\n', '日本', '\u200b', '<', 'unk>'];
    const texts = Array.from({ length: sample(2000, 60) }, () =>
      Array.from({ length: random.integer(0, 12) }, () => random.pick(parts)).join(''),
    );
    const expected = await idsOf(referenceOf(json), texts);
    for (const [index, text] of texts.entries())
      expect([...tokenizer.encode(text, { special: 'allow' })], JSON.stringify(text)).toEqual(expected[index]);
  });

  const token = { content: 'x', normalized: true, special: true };
  const TEXTS = ['x', 'axa', 'ab x AB', 'Xb', 'xx a', ' x', 'cxxc x', 'AxBxC'];

  it.each(SCHEMES)('is none where it is not allowed, but a segment begins behind it: prepend_scheme %s', async (prepend_scheme) => {
    using tokenizer = await Tokenizer.load(
      Buffer.from(JSON.stringify(fileOf({ type: 'Lowercase' }, [token], { prepend_scheme, split: true }))),
    );
    // What the normalizer and Metaspace make of a text, whose pieces a file without the token has.
    const readyOf = (text: string) => {
      const segments = text
        .toLowerCase()
        .replaceAll(' ', '▁')
        .split(/(?<=x)/);
      const isMarked = (segment: string, index: number) =>
        prepend_scheme === 'never' || (prepend_scheme === 'first' && index > 0) || /^[▁x]/.test(segment);
      return segments.map((segment, index) => (isMarked(segment, index) ? segment : `▁${segment}`)).join('');
    };
    const reference = referenceOf(JSON.stringify(fileOf(null, [], { prepend_scheme: 'never', split: true })));
    const expected = await idsOf(reference, TEXTS.map(readyOf));
    for (const [index, text] of TEXTS.entries()) expect([...tokenizer.encode(text)], text).toEqual(expected[index]);
  });
});

it('many tokens that are prefixes of each other', async () => {
  const list = Array.from({ length: 65 }, (_, index) => ({ content: 'q'.repeat(index + 1), normalized: true }));
  const json = JSON.stringify(fileOf({ type: 'Lowercase' }, list, { prepend_scheme: 'always', split: true }));
  await compareGeneral(json, ['qqq', 'a qq', 'q'.repeat(66), 'Q', 'aQqb'], 'added_tokens');
});

it('a token of the model that the normalizer changes', async () => {
  const file = JSON.parse(readFileSync(new URL('../models/bert.tokenizer.json', import.meta.url), 'utf8'));
  file.added_tokens[0].normalized = true;
  await compareGeneral(JSON.stringify(file), ['[PAD]', 'a [pad] b', 'the'], 'added_tokens: the normalizer makes "[pad]" of "[PAD]"');
});
