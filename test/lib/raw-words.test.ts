// WordPiece, Unigram and BPE whose words the engine caches by their raw text when no offsets are requested: for
// normalizers that rewrite each word independently of its context. Compared with Hugging Face's, however texts are cut and
// read.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileCartridge, Tokenizer } from 'crayon-tokenizer';

import { Random } from '../fuzz/random.mjs';
import { sample } from '../share.js';

const { Tokenizer: HuggingFace } = createRequire(import.meta.url)('tokenizers') as typeof import('tokenizers');

const fixture = (name: string) =>
  JSON.parse(readFileSync(fileURLToPath(new URL(`../models/${name}.tokenizer.json`, import.meta.url)), 'utf8'));
const sequence = (...normalizers: object[]) => ({ type: 'Sequence', normalizers });
const bert = (options: object) => (normalizer: object) => ({ ...normalizer, ...options });
const step = (type: string) => ({ type });

/** The normalizers, derived from a small file. */
const PIPELINES: Record<string, { file: string; normalizer(own: object): object }> = {
  BertNormalizer: { file: 'bert', normalizer: (own) => own },
  'BertNormalizer, which leaves letters as they are': { file: 'bert', normalizer: bert({ lowercase: false, strip_accents: false }) },
  'BertNormalizer, which takes nothing out': { file: 'bert', normalizer: bert({ clean_text: false }) },
  'BertNormalizer without ideographs': { file: 'bert', normalizer: bert({ handle_chinese_chars: false }) },
  Precompiled: { file: 't5', normalizer: (own) => own },
  'Nmt and NFKC': { file: 't5', normalizer: () => sequence(step('Nmt'), step('NFKC')) },
  'NFKD, StripAccents and Lowercase': { file: 't5', normalizer: () => sequence(step('NFKD'), step('StripAccents'), step('Lowercase')) },
  // Graphemes span words of the raw text.
  'Nmt and Precompiled': { file: 't5', normalizer: (own) => sequence(step('Nmt'), own) },
  // Words are the matches of a pattern; one of CLIP's words has two tokens.
  'NFC, Replace and Lowercase of CLIP': { file: 'clip', normalizer: (own) => own },
  'NFKC, which makes several characters of one': { file: 'clip', normalizer: () => sequence(step('NFKC'), step('Lowercase')) },
  'NFKD, StripAccents and Lowercase for a pattern': {
    file: 'clip',
    normalizer: () => sequence(step('NFKD'), step('StripAccents'), step('Lowercase')),
  },
  // Letters that one step reads together.
  'Replace of letters, and of the spaces before them': {
    file: 'clip',
    normalizer: () =>
      sequence(
        step('NFC'),
        { type: 'Replace', pattern: { Regex: ' a|el+' }, content: "'s" },
        { type: 'Replace', pattern: { String: 'b' }, content: ' - ' },
      ),
  },
  'BertNormalizer of GPT-1': { file: 'gpt', normalizer: (own) => own },
};

const WHITESPACE = [
  '\t',
  '\n',
  '\v',
  '\f',
  '\r',
  '\r\n',
  ' ',
  '  ',
  '\u0085',
  '\u00a0',
  '\u1680',
  '\u2000',
  '\u2009',
  '\u2028',
  '\u2029',
  '\u202f',
  '\u205f',
  '\u3000',
  '\u200b',
  '\ufeff',
  '\u180e',
  '\x1c',
  '\x01',
  '\x7f',
  '\0',
];
// Text in one grapheme with whitespace before or after it; text that changes; text that ends words.
const ODD = [
  '\u0600',
  '\u06dd',
  '\u{110bd}',
  '\u0d4e',
  '\u0301',
  '\u0308',
  '\u093f',
  '\u094d',
  '\u0e33',
  '\u200d',
  '\ufe0f',
  '👍🏽',
  '🇩',
  '\u1100',
  '\u1161',
  '\u11a8',
  '각',
  '▁',
  '▁▁',
  '’',
  '“',
  '…',
  '½',
  '™',
  'é',
  'e\u0301',
  'İ',
  'Σ',
  'ß',
  'ﷺ',
  'ﬁ',
  'Ａ',
  '，',
  '中',
  '国',
  '\u3400',
  '\u4dc0',
  '\u9fff',
  '\ua000',
  '\uf900',
  '\u{20000}',
  '\u{2b820}',
  '\u{2b920}',
  'か',
  '\u037e',
  '\u1fef',
  '\u2260',
  '\u0387',
  '\u00ad',
  '\ufffd',
  '</s>',
  '[MASK]',
  'क',
  'я',
  '-',
  '.',
  '`',
  '$',
  "'",
];
const WORDS = [
  "don't",
  "we'll've",
  "'S",
  '<|startoftext|>',
  '<|StartOfText|>',
  '<|endoftext|>',
  '|s',
  '2023年',
  'a1b2',
  '(é',
  'É)',
  'the',
  'The',
  'HELLO',
  'a',
  'b',
  'and',
  '123',
  '3.14',
  'xyzzy',
  'of-the',
];

function textOf(random: Random, parts: number): string {
  return Array.from({ length: parts }, () => {
    if (random.chance(0.05)) return String.fromCodePoint(random.integer(0, 0xd7ff));
    return random.pick(random.pick([WHITESPACE, ODD, WORDS]));
  }).join('');
}

const allow = { special: 'allow' } as const;

describe.each(Object.entries(PIPELINES))('words of raw text: %s', { timeout: 600_000 }, (_, { file, normalizer }) => {
  const whole = fixture(file);
  // Where tokens are searched for after the normalizer, there are no raw words.
  const added_tokens = whole.added_tokens.map((token: object) => ({ ...token, normalized: false }));
  const json = JSON.stringify({ ...whole, added_tokens, normalizer: normalizer(whole.normalizer) });
  const reference = HuggingFace.fromString(json);
  let bytes: Buffer;
  const tokenizers: Tokenizer[] = [];
  beforeAll(async () => {
    const cartridge = await compileCartridge(Buffer.from(json));
    bytes = Buffer.from(cartridge);
    for (const options of [{}, { kernel: 'scalar' }, { backend: 'wasm' }] as const) tokenizers.push(await Tokenizer.load(bytes, options));
  });
  afterAll(() => tokenizers.forEach((tokenizer) => tokenizer.close()));

  const idsThere = async (text: string) => (await reference.encode(text, null, { addSpecialTokens: false })).getIds();

  it('gives the ids of Hugging Face tokenizers', async () => {
    const random = new Random(11);
    for (let round = 0; round < sample(20_000, 400); round++) {
      const text = textOf(random, random.integer(0, round % 50 === 0 ? 300 : 12));
      const ids = await idsThere(text);
      for (const tokenizer of tokenizers) {
        expect([...tokenizer.encode(text, allow)], JSON.stringify(text)).toEqual(ids);
        expect(tokenizer.count(Buffer.from(text), allow), JSON.stringify(text)).toBe(ids.length);
        // In between, a text that is normalized first, with its own caches.
        if (round % 4 === 0) expect([...tokenizer.encodeWithOffsets(text, allow).ids], JSON.stringify(text)).toEqual(ids);
      }
    }
  });

  it("gives the same ids for a tokenizer's first text, and for a text normalized to nothing", async () => {
    for (const text of ['', ' ', '\n\n', '\x01', '\u0301', ' \x01 \x01', '\u0600 ', 'a', ...WORDS.map((word) => `${word}\v`), ...ODD]) {
      const tokenizer = await Tokenizer.load(bytes);
      expect([...tokenizer.encode(text, allow)], JSON.stringify(text)).toEqual(await idsThere(text));
      tokenizer.close();
    }
  });

  it('gives the same ids on threads, in windows, and with a small cache', async () => {
    const random = new Random(5);
    const text = textOf(random, 60_000);
    const ids = await idsThere(text);
    const [tokenizer] = tokenizers as [Tokenizer];
    expect([...(await tokenizer.encodeAsync(text, { ...allow, threads: 2 }))]).toEqual(ids);
    const small = await Tokenizer.load(bytes, { cacheBytes: 65_536 });
    for (const each of [small, ...tokenizers]) {
      expect([...each.encode(text, allow)]).toEqual(ids);
      const encoder = each.streamEncoder(allow);
      const read: number[] = [];
      for (let at = 0, size = 0; at < text.length; at += size) {
        size = random.pick([1, 2, 5, 63, 64, 1000, 20_000]);
        for (const id of encoder.push(text.slice(at, at + size))) read.push(id);
      }
      for (const id of encoder.end()) read.push(id);
      expect(read).toEqual(ids);
    }
    small.close();
  });

  it('gives invalid UTF-8 the ids of normalizing first', () => {
    const random = new Random(6);
    for (let round = 0; round < sample(4000, 200); round++) {
      const text = Buffer.from(textOf(random, 10));
      for (let left = random.integer(1, 5); left > 0 && text.length > 0; left--)
        text[random.integer(0, text.length - 1)] = random.integer(0, 255);
      for (const tokenizer of tokenizers) {
        expect([...tokenizer.encode(text, allow)], text.toString('hex')).toEqual([...tokenizer.encodeWithOffsets(text, allow).ids]);
      }
    }
  });
});

describe('a normalizer that doubles a letter eleven times', () => {
  it.each(['a', 'é', '中'])('is an error of texts with it, and of no others: %s', async (letter) => {
    const doubles = Array.from({ length: 11 }, () => ({ type: 'Replace', pattern: { String: letter }, content: letter + letter }));
    for (const file of ['bert', 'clip']) {
      using tokenizer = await Tokenizer.load(
        new TextEncoder().encode(
          JSON.stringify({ ...fixture(file), added_tokens: [], post_processor: null, normalizer: sequence(...doubles) }),
        ),
      );
      const ids = [...tokenizer.encode('the the')];
      for (const call of [
        () => tokenizer.encode(`the ${letter}`),
        () => tokenizer.count(letter),
        () => tokenizer.encodeWithOffsets(`x${letter}`),
      ]) {
        expect(call).toThrow(expect.objectContaining({ code: 'TEXT_TOO_LONG' }));
      }
      expect([...tokenizer.encode('the the')]).toEqual(ids);
    }
  });
});
