// A prefix cache returns what the tokenizer returns without one, whatever it has seen before: traces of texts that grow, share
// beginnings, and change in the middle, for every kind of tokenizer.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileCartridge, type EncodeOptions, PrefixCache, type SpecialPolicy, Tokenizer, TokenizerError } from 'crayon-tokenizer';

import { Random } from '../fuzz/random.mjs';
import { nastyString } from '../fuzz/strings.mjs';
import { sample, SHARE } from '../share.js';
import { added, around, METASPACE, small, wordPiece } from './small-models.js';
import { thrown } from './thrown.js';

const SEED = Number(process.env.CRAYON_FUZZ_SEED ?? 1);
const wrong = (value: unknown): any => value;

const PIECES: [string, number][] = [
  ['<unk>', 0],
  ['▁', -2],
  ['▁the', -3],
  ['▁word', -4],
  ['the', -3.5],
  ['a', -3],
  ['b', -3.25],
  ['ab', -4.5],
  ['▁a', -2.75],
  ['t', -5],
  ['h', -5],
  ['e', -5],
  ['in', -4],
  ['g', -5.5],
  ['▁in', -4.25],
  ['é', -7],
  ['s', -4],
];
const LETTERS = ['a', 'b', ' ', 'ab', 'ba ', 'abab', 'é', '😀中😀', 'the'];
/** Parts of 中 and é, and the end of one with the beginning of the next. */
const HALVES = [[0xe4, 0xb8], [0xad], [0xad, 0xe4], [0xa9, 0xc3], [0xf0, 0x9f]].map((bytes) => Uint8Array.from(bytes));

const SOURCES: Record<string, () => Promise<Tokenizer>> = {
  o200k_base: () => Tokenizer.load('o200k_base'),
  cl100k_base: () => Tokenizer.load('cl100k_base'),
  gpt2: () => Tokenizer.load('gpt2'),
  lite: () => Tokenizer.load('lite'),
  'a list of tokens, and bytes that are unknown': async () =>
    Tokenizer.load(await compileCartridge([...LETTERS, ...HALVES, '<UNK>'], { unknownUnit: 'byte' })),
  'a list of tokens': async () => Tokenizer.load(await compileCartridge([...LETTERS, '<unk>'])),
  'NFC, with tokens that strip and whole words': () =>
    small((file) => {
      file.normalizer = { type: 'NFC' };
    }, 4),
  'a space in front of each text': () =>
    small((file) => {
      file.pre_tokenizer.add_prefix_space = true;
    }, 1),
  'BPE without a pretokenizer': () =>
    small((file) => {
      file.pre_tokenizer = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: false };
    }),
  WordPiece: wordPiece,
  Unigram: () =>
    around(
      { type: 'Unigram', unk_id: 0, vocab: PIECES, byte_fallback: false },
      { pre_tokenizer: METASPACE, decoder: METASPACE, added_tokens: added(PIECES.length, 1) },
    ),
};

const opened = new Map<string, Tokenizer>();

/** Words, spaces, characters of two bytes and four, long runs, pieces of special tokens, and nasty strings. */
function partOf(random: Random, special: readonly string[]): string {
  const length = random.integer(1, random.integer(1, 6) === 1 ? 9000 : 1500);
  let text = '';
  while (text.length < length) {
    switch (random.integer(0, 9)) {
      case 0:
        text += nastyString(SEED, random.integer(0, 2 ** 30)).slice(0, 200);
        break;
      case 1:
        text += 'ab \néß中😀e\u0301\ud800'[random.integer(0, 10)]?.repeat(random.integer(1, 400)) ?? '';
        break;
      case 2:
        text += special.length > 0 && random.integer(0, 3) === 0 ? special[random.integer(0, special.length - 1)] : ' word';
        break;
      case 3:
        text += '😀'.repeat(random.integer(1, 9));
        break;
      default:
        text += ' the thing, in all its parts; a word or two\n'.slice(random.integer(0, 20));
    }
  }
  return text;
}

/** The next text of a trace. */
function nextText(random: Random, texts: readonly string[], parts: readonly string[]): string {
  const before = texts[random.integer(0, texts.length - 1)] ?? '';
  const part = parts[random.integer(0, parts.length - 1)] as string;
  switch (random.integer(0, 6)) {
    case 0: // another conversation
      return part + (parts[random.integer(0, parts.length - 1)] as string);
    case 1: {
      // an edit in the middle
      const at = random.integer(0, before.length);
      return before.slice(0, at) + part.slice(0, random.integer(0, 5)) + before.slice(at + random.integer(0, 5));
    }
    case 2: // a cut, anywhere
      return before.slice(0, random.integer(0, before.length));
    case 3: // documents in another order
      return [0, 1, 2].map(() => parts[random.integer(0, parts.length - 1)]).join('');
    default: // one more turn
      return before + part;
  }
}

function expectSame(
  random: Random,
  cache: PrefixCache,
  tokenizer: Tokenizer,
  text: string,
  options: EncodeOptions | undefined,
  where: string,
): void {
  const counts = random.integer(0, 2) === 0;
  let expected: unknown;
  let actual: unknown;
  try {
    expected = counts ? tokenizer.count(text, options) : [...tokenizer.encode(text, options)].join();
  } catch (error) {
    expected = error instanceof TokenizerError ? [error.code, error.position, error.message] : error;
  }
  try {
    actual = counts ? cache.count(text, options) : [...cache.encode(text, options)].join();
  } catch (error) {
    actual = error instanceof TokenizerError ? [error.code, error.position, error.message] : error;
  }
  expect(actual, where).toEqual(expected);
}

afterAll(() => opened.forEach((tokenizer) => tokenizer.close()));

async function open(name: string): Promise<Tokenizer> {
  let tokenizer = opened.get(name);
  if (!tokenizer) opened.set(name, (tokenizer = await (SOURCES[name] as () => Promise<Tokenizer>)()));
  return tokenizer;
}

describe.each(Object.keys(SOURCES))('the prefix cache of %s', (name) => {
  it('gives the ids, counts and errors of the tokenizer for every text of a trace', async () => {
    const tokenizer = await open(name);
    const special = [...tokenizer.specialTokens.keys()];
    let hits = 0;
    for (let trace = 1; trace <= sample(60, 5); trace++) {
      const random = new Random(SEED * 1000 + trace);
      const maxBytes = [0, 1e9, 12_000, 200_000, 40_000, 700][trace % 6] as number;
      const cache = new PrefixCache(tokenizer, { maxBytes });
      const parts = Array.from({ length: 5 }, () => partOf(random, special));
      const policies: SpecialPolicy[] = ['text', 'allow', 'forbid', special.slice(0, 1), [...special].reverse()];
      const texts = [parts[0] as string];
      for (let step = 0; step < 25; step++) {
        const text = nextText(random, texts, parts).slice(0, 60_000);
        texts.push(text);
        const options =
          random.integer(0, 2) === 0
            ? { special: policies[random.integer(0, 4)], addSpecialTokens: random.integer(0, 1) === 1 }
            : undefined;
        expectSame(random, cache, tokenizer, text, options, `${name}, seed ${SEED}, trace ${trace}, step ${step}, ${maxBytes} bytes`);
        expect(cache.stats.bytes).toBeLessThanOrEqual(maxBytes);
        if (random.integer(0, 40) === 0) cache.clear();
      }
      if (maxBytes > 100_000) hits += cache.stats.hits;
    }
    if (SHARE === 1) expect(hits).toBeGreaterThan(0);
  });
});

describe('PrefixCache', () => {
  let tokenizer: Tokenizer;
  beforeAll(async () => {
    tokenizer = await open('o200k_base');
  });

  const prompt = 'You answer questions about the manual below, briefly. '.repeat(2000);

  it('reuses all but the last blocks of a text that has grown', () => {
    const cache = new PrefixCache(tokenizer);
    const tokens = cache.count(prompt);
    expect(cache.stats).toMatchObject({ calls: 1, hits: 0, tokens, reusedTokens: 0 });
    const grown = `${prompt}And now?`;
    const count = tokenizer.count(grown);
    expect(cache.count(grown)).toBe(count);
    const { calls, hits, reusedTokens } = cache.stats;
    expect([calls, hits]).toEqual([2, 1]);
    expect(reusedTokens).toBeGreaterThan(tokens - 1500);
    expect(reusedTokens).toBeLessThanOrEqual(tokens);
  });

  it('reuses the beginning of a text that was changed in the middle, up to a block before the change', () => {
    const cache = new PrefixCache(tokenizer);
    cache.encode(prompt);
    const at = 50_000;
    const changed = `${prompt.slice(0, at)}!${prompt.slice(at)}`;
    expect([...cache.encode(changed)]).toEqual([...tokenizer.encode(changed)]);
    expect(cache.stats.reusedTokens).toBeGreaterThan(tokenizer.count(prompt.slice(0, at - 4300)));
    // Both are known now.
    const before = cache.stats.reusedTokens;
    for (const text of [prompt, changed]) expect(cache.encode(text).join()).toBe(tokenizer.encode(text).join());
    expect(cache.stats.reusedTokens - before).toBeGreaterThan(2 * tokenizer.count(prompt.slice(0, -4300)));
  });

  it('knows a text that grew in small steps as well as one that came at once, and each beginning of it', () => {
    const random = new Random(SEED);
    const cache = new PrefixCache(tokenizer);
    let text = '';
    while (text.length < 250_000) {
      text += partOf(random, []);
      expect(cache.encode(text).join()).toBe(tokenizer.encode(text).join());
    }
    const atOnce = new PrefixCache(tokenizer);
    atOnce.encode(text);
    expect(cache.stats.bytes).toBeLessThan(1.1 * atOnce.stats.bytes);
    for (let i = 0; i < 40; i++) {
      const beginning = text.slice(0, random.integer(0, text.length));
      const { reusedTokens } = cache.stats;
      const ids = cache.encode(`${beginning}.`);
      expect(ids.join()).toBe(tokenizer.encode(`${beginning}.`).join());
      const settled = beginning.slice(0, Math.max(0, beginning.length - 16_384));
      expect(cache.stats.reusedTokens - reusedTokens).toBeGreaterThanOrEqual(tokenizer.count(settled) - 10);
    }
  });

  it('shares a beginning between conversations, and keeps it as long as any uses it', () => {
    const users = Array.from({ length: 30 }, (_, user) => `${prompt}\nUser ${user}: ${`question ${user} `.repeat(1000)}`);
    const one = new PrefixCache(tokenizer);
    one.count(users[0] as string);
    const cache = new PrefixCache(tokenizer, { maxBytes: one.stats.bytes * 2 });
    for (const text of users) cache.count(text);
    expect(cache.stats.hits).toBe(users.length - 1);
    expect(cache.stats.reusedTokens).toBeGreaterThan((users.length - 1) * tokenizer.count(prompt.slice(0, -4300)));
  });

  it('keeps policies for special tokens apart', () => {
    const text = `${'<|endoftext|> and more of it. '.repeat(400)}`;
    const cache = new PrefixCache(tokenizer);
    for (let round = 0; round < 2; round++) {
      for (const special of ['text', 'allow', ['<|endoftext|>'], ['<|endofprompt|>'], []] satisfies SpecialPolicy[]) {
        expect(cache.count(text, { special })).toBe(tokenizer.count(text, { special }));
      }
      expect(thrown(() => cache.count(text, { special: 'forbid' }))).toEqual(thrown(() => tokenizer.count(text, { special: 'forbid' })));
    }
    expect(cache.stats.hits).toBe(5);
  });

  it('encodes a megabyte of one letter, which has no place to begin again', () => {
    const cache = new PrefixCache(tokenizer);
    const text = 'a'.repeat(1_000_000 * Math.max(SHARE, 0.1));
    const expected = tokenizer.count(text);
    expect(cache.count(text)).toBe(expected);
    expect(cache.count(text)).toBe(expected);
    expect(Buffer.from(cache.encode(`${text}b`)).equals(Buffer.from(tokenizer.encode(`${text}b`)))).toBe(true);
  });

  it('finds no text by a hash: blocks that differ in one unit are different', () => {
    const cache = new PrefixCache(tokenizer);
    const blocks = Array.from({ length: 200 }, (_, i) => `${'a b c '.repeat(600)}${String.fromCharCode(0x61 + i)}${' d e f'.repeat(2000)}`);
    for (const text of [...blocks, ...blocks]) expect(cache.count(text)).toBe(tokenizer.count(text));
    expect(cache.stats.hits).toBe(blocks.length);
  });

  it('begins again only between characters', async () => {
    const bytes = await open('a list of tokens, and bytes that are unknown');
    for (const text of ['中', 'é中', '😀', 'a中', 'aa😀']) {
      const cache = new PrefixCache(bytes);
      const long = text.repeat(9000);
      for (let round = 0; round < 2; round++) expect(cache.encode(long + round).join()).toBe(bytes.encode(long + round).join());
    }
  });

  it('begins anew after swap', async () => {
    const own = await Tokenizer.load('gpt2');
    const cache = new PrefixCache(own);
    cache.count(prompt);
    expect(cache.stats.bytes).toBeGreaterThan(0);
    await own.swap('cl100k_base');
    expect(cache.stats.bytes).toBe(0);
    expect(cache.count(prompt)).toBe(own.count(prompt));
    await own.swap('gpt2');
    expect([...cache.encode(prompt)]).toEqual([...own.encode(prompt)]);
    expect(cache.stats.hits).toBe(0);
    expect(cache.stats.bytes).toBeGreaterThan(0);
    own.close();
    expect(cache.stats.bytes).toBe(0);
    expect(thrown(() => cache.count(prompt))).toMatchObject({ code: 'CLOSED' });
  });

  it('is not made for a closed tokenizer', async () => {
    const closed = await Tokenizer.load('gpt2');
    closed.close();
    expect(thrown(() => new PrefixCache(closed))).toMatchObject({
      code: 'CLOSED',
      message: 'cannot use PrefixCache: the tokenizer has been closed',
    });
  });

  it('does not keep the texts that were passed to it', () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const cache = new PrefixCache(tokenizer, { maxBytes: 200_000 });
    collect();
    const before = process.memoryUsage().heapUsed;
    for (let i = 0; i < 20; i++) cache.count(`${i} ${'some text, '.repeat(100_000)}`.slice(0, 60_000));
    collect();
    expect(cache.stats.bytes).toBeGreaterThan(100_000);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(2e6);
  });

  it('forgets everything by clear and close', () => {
    const cache = new PrefixCache(tokenizer);
    cache.count(prompt);
    expect(cache.stats.bytes).toBeGreaterThan(2 * (prompt.length - 4096));
    cache.clear();
    expect(cache.stats.bytes).toBe(0);
    cache.count(prompt);
    expect(cache.stats.hits).toBe(0);
    {
      using closing = cache;
      void closing;
    }
    expect(cache.stats.bytes).toBe(0);
    expect(thrown(() => cache.encode('a'))).toMatchObject({
      code: 'CLOSED',
      message: 'cannot use encode: the prefix cache has been closed',
    });
  });

  it('rejects wrong arguments, by name', () => {
    expect(() => new PrefixCache(wrong({}))).toThrow(TypeError);
    expect(() => new PrefixCache(wrong({}))).toThrow('tokenizer');
    expect(() => new PrefixCache(tokenizer, wrong({ maxBits: 1 }))).toThrow("did you mean 'maxBytes'?");
    expect(() => new PrefixCache(tokenizer, { maxBytes: -1 })).toThrow(RangeError);
    expect(() => new PrefixCache(tokenizer).encode(wrong(Uint8Array.of(1)))).toThrow(TypeError);
    expect(() => new PrefixCache(tokenizer).count('a', wrong({ specials: 1 }))).toThrow("did you mean 'special'?");
  });
});
