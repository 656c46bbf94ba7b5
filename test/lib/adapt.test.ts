// The adaptive vocabulary: what it observes, which tokens it proposes, and that no id moves.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Adaptation, compileCartridge, Tokenizer, TokenizerError, trainBpe } from 'crayon-tokenizer';

import { sample } from '../share.js';
import { adaptNaively, encodeNaively, latin1, type NaiveVocabulary, utf8 } from './naive-adaptation.js';
import { CONVENTIONS, writeDat } from './naive-dat.js';

const here = fileURLToPath(import.meta.url);
/** Any value, for arguments that the types would reject. */
const wrong = (value: unknown): any => value;

const LATIN = 'the lower house of the town is lower than the tower of the town, and the owner knows the town'.split(' ');
const CYRILLIC = 'нижний дом города ниже башни города а хозяин знает город и башню'.split(' ');

/** mulberry32 */
function numbers(seed: number) {
  return (below: number) => {
    seed = (seed + 0x6d2b79f5) | 0;
    let x = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    x = (x + Math.imul(x ^ (x >>> 7), 61 | x)) ^ x;
    return ((x ^ (x >>> 14)) >>> 0) % below;
  };
}

function textOf(words: string[], count: number, random: (below: number) => number): string {
  const ends = [' ', ' ', ' ', ', ', '.\n', ' 12345 ', '  '];
  return Array.from({ length: count }, () => words[random(words.length)]! + ends[random(ends.length)]!).join('');
}

/** The pieces of a text as bytes, split by the stateless pattern of cl100k. */
let piecesOf: (text: string) => string[];
let nativeCompiler: typeof import('../../lib/hosts/addon/addon-compiler.js').nativeCompiler;
let packTokens: typeof import('../../lib/vocabularies/compile/packed-tokens.js').packTokens;
beforeAll(async () => {
  const internals = await import('../../dist/node/internals.js');
  const pattern = new RegExp(internals.PATTERNS.cl100k[0], 'gu');
  piecesOf = (text) => (text.match(pattern) ?? []).map(utf8);
  ({ nativeCompiler, packTokens } = internals);
});

const opened: Tokenizer[] = [];
afterEach(() => {
  for (const tokenizer of opened.splice(0)) tokenizer.close();
});
async function open(cartridge: Uint8Array | Promise<Uint8Array> | string): Promise<Tokenizer> {
  const tokenizer = await Tokenizer.load(await cartridge);
  opened.push(tokenizer);
  return tokenizer;
}

/** A BPE vocabulary, trained on Latin letters. */
async function trained(tieBreak: 'crayon' | 'huggingface' = 'crayon', specialTokens: string[] = []) {
  const text = textOf(LATIN, 300, numbers(1));
  const vocabulary = await trainBpe(text, { vocabularySize: 290, tieBreak, specialTokens });
  const tokens = vocabulary.tokens.map((token, id) => ([...vocabulary.specialTokens.values()].includes(id) ? '' : latin1(token)));
  const naive: NaiveVocabulary = { model: 'bpe', tokens };
  return { tokenizer: await open(vocabulary.toCartridge({ name: 'latin' })), naive };
}

/** Letters and words, and the unknown id. */
const WORDS = ['?', ...'abcdefghiklmnoprstuvwy ,.\n12345', 'the', ' the', 'town', 'ow', 'er', ' lower'];
const longest = (tokens = WORDS, specialTokens: Record<string, number> = {}) =>
  open(compileCartridge(tokens, { name: 'words', unknownId: 0, specialTokens }));

const shown = ({ added }: Adaptation) => added.map(({ bytes, count }) => [latin1(bytes), count]);
const tokensOf = (tokenizer: Tokenizer) =>
  Array.from({ length: tokenizer.vocabularySize }, (_, id) => {
    try {
      return latin1(tokenizer.tokenBytes(id));
    } catch (error) {
      expect(error).toMatchObject({ code: 'INVALID_ID' });
      return undefined;
    }
  });

async function failure(promise: Promise<unknown>): Promise<Error> {
  return promise.then(
    () => expect.fail('resolved'),
    (error: Error) => error,
  );
}

describe('observe', () => {
  it('returns the share of single-byte tokens that split a character, and keeps the mean', async () => {
    const { tokenizer } = await trained();
    expect(tokenizer.observed).toEqual({ rate: 0, texts: 0, bytes: 0 });
    expect(tokenizer.observe('the town')).toBe(0);
    expect(tokenizer.observe('q')).toBe(0); // a single-byte token that is a whole character
    expect(tokenizer.observe('ёё')).toBe(1);
    expect(tokenizer.observe('zё')).toBe(2 / 3);
    expect(tokenizer.observe(Uint8Array.of(0x7a, 0xff))).toBe(1 / 2);
    const { rate, ...rest } = tokenizer.observed;
    expect(rate).toBeCloseTo((1 + 2 / 3 + 1 / 2) / 5, 12);
    expect(rest).toEqual({ texts: 5, bytes: 8 + 1 + 4 + 3 + 2 });
  });

  it('counts unknown ids and byte fallbacks', async () => {
    expect((await longest()).observe('the ёлка')).toBe(4 / 6);
    expect((await open(compileCartridge([...WORDS, Uint8Array.of(0xd1), Uint8Array.of(0x91)]))).observe('the ё')).toBe(2 / 4);
  });

  it('keeps the rates of the last 1000 texts', async () => {
    const { tokenizer } = await trained();
    const random = numbers(2);
    const rates: number[] = [];
    for (let text = 0; text < 1300; text++) {
      const latin = random(5);
      const cyrillic = random(3);
      rates.push(latin + cyrillic > 0 ? (2 * cyrillic) / (latin + 2 * cyrillic) : NaN);
      expect(tokenizer.observe('q'.repeat(latin) + 'ё'.repeat(cyrillic))).toBe(rates.at(-1) || 0);
    }
    const latest = rates.filter((rate) => !Number.isNaN(rate)).slice(-1000);
    expect(tokenizer.observed.texts).toBe(1000);
    expect(tokenizer.observed.rate).toBeCloseTo(latest.reduce((sum, rate) => sum + rate) / 1000, 12);
  });

  it('ignores texts without tokens', async () => {
    const { tokenizer } = await trained();
    expect(tokenizer.observe('')).toBe(0);
    expect(tokenizer.observe(new Uint8Array(0))).toBe(0);
    expect(tokenizer.observed).toEqual({ rate: 0, texts: 0, bytes: 0 });
    expect(await tokenizer.adapt({ threshold: 0 })).toMatchObject({ added: [], reason: 'nothing-observed', saved: 0 });
  });

  it('keeps the last megabyte, and of a longer text its beginning, cut at a character boundary', async () => {
    const tokenizer = await longest(['?', 'a', 'b', 'c', 'd', 'ё']);
    tokenizer.observe('ab'.repeat(300_000));
    tokenizer.observe('cd'.repeat(10));
    expect(tokenizer.observed.bytes).toBe(600_020);
    tokenizer.observe('dc'.repeat(300_000));
    expect(tokenizer.observed).toMatchObject({ texts: 3, bytes: 600_020 });
    const [first] = (await tokenizer.adapt({ threshold: 0, add: 1 })).added;
    expect([latin1(first!.bytes), first!.count]).toEqual(['dc', 300_009]); // `cd` occurs as often
    tokenizer.observe(`a${'ё'.repeat(600_000)}`);
    expect(tokenizer.observed).toMatchObject({ texts: 4, bytes: 2 ** 20 - 1 });
    tokenizer.observe(new TextEncoder().encode(`${'ё'.repeat(600_000)}`));
    expect(tokenizer.observed).toMatchObject({ texts: 5, bytes: 2 ** 20 });
  });

  it('keeps texts separate', async () => {
    const tokenizer = await longest(['?', ...'abcdef']);
    const random = numbers(7);
    const texts = Array.from({ length: 1100 }, () => Array.from({ length: 1500 + random(3000) }, () => 'abcdef'[random(6)]).join(''));
    for (const text of texts) tokenizer.observe(text);
    const kept: string[] = [];
    let bytes = 0;
    while (bytes + texts.at(-1)!.length <= 2 ** 20) bytes += kept.push(texts.at(-1)!) && texts.pop()!.length;
    expect(tokenizer.observed).toEqual({ rate: 0, texts: 1000, bytes });
    const counts = new Map<string, number>();
    for (const text of kept) {
      for (let at = 1; at < text.length; at++) {
        const pair = text.slice(at - 1, at + 1);
        counts.set(pair, (counts.get(pair) ?? 0) + 1);
      }
    }
    const [best] = [...counts].sort((a, b) => b[1] - a[1]);
    expect(shown(await tokenizer.adapt({ threshold: 0, add: 1 }))).toEqual([best]);
  });

  it('keeps bytes unchanged', async () => {
    const tokenizer = await longest(['?', 'a', 'b', 'c']);
    const bytes = new TextEncoder().encode('ababab');
    tokenizer.observe(bytes);
    bytes.fill(0x63);
    expect(shown(await tokenizer.adapt({ threshold: 0, add: 1 }))).toEqual([['ab', 3]]);
  });

  it('refuses what encode refuses, and stores none of it', async () => {
    const { tokenizer } = await trained('crayon', ['<|end|>']);
    expect(() => tokenizer.observe(wrong(5))).toThrow('expected a string or a Uint8Array for text but received 5');
    expect(() => tokenizer.observe('a', wrong({ specail: 'allow' }))).toThrow("unknown option 'specail'");
    expect(() => tokenizer.observe('a<|end|>', { special: 'forbid' })).toThrow('<|end|>');
    const strict = await open(compileCartridge(['a']));
    try {
      strict.observe('ab');
      expect.fail('nothing was thrown');
    } catch (error) {
      expect(error).toMatchObject({ code: 'UNKNOWN_CHARACTER', position: 1 });
      expect((error as Error).stack!.split('\n').find((line) => line.includes('    at '))).toContain(here);
    }
    expect([tokenizer.observed.texts, strict.observed.texts]).toEqual([0, 0]);
  });

  it('starts over after a swap, and stops when the tokenizer is closed', async () => {
    const { tokenizer } = await trained();
    tokenizer.observe('ё');
    await tokenizer.swap(await compileCartridge(['a']));
    expect(tokenizer.observed.texts).toBe(0);
    tokenizer.close();
    expect(() => tokenizer.observed).toThrow('the tokenizer has been closed');
    expect(() => tokenizer.observe('a')).toThrow('the tokenizer has been closed');
    expect(await failure(tokenizer.adapt())).toMatchObject({ code: 'CLOSED' });
  });
});

describe('adapt', () => {
  it('proposes the merges of the definition for BPE', async () => {
    for (let seed = 1; seed <= sample(8, 2); seed++) {
      const random = numbers(seed);
      const { tokenizer, naive } = await trained(seed % 2 ? 'crayon' : 'huggingface', seed % 3 ? [] : ['<|a|>', '<|b|>']);
      const before = tokensOf(tokenizer);
      const special = new Map(tokenizer.specialTokens);
      const texts = Array.from({ length: 1 + random(6) }, () =>
        textOf(random(2) ? CYRILLIC : [...CYRILLIC, ...LATIN], random(40), random).trimStart(),
      );
      for (const text of texts) tokenizer.observe(random(2) ? text : new TextEncoder().encode(text));
      const add = 1 + random(60);
      const minFrequency = 1 + random(4);
      const adaptation = await tokenizer.adapt({ threshold: 0, add, minFrequency });
      const firstId = before.length;
      const expected = adaptNaively(naive, texts.flatMap(piecesOf), { add, minFrequency, firstId });
      expect(shown(adaptation), `seed ${seed}`).toEqual(expected);
      expect(adaptation.added.map(({ id }) => id)).toEqual(expected.map((_, at) => firstId + at));
      expect(tokensOf(tokenizer)).toEqual(before);

      const tokens = [...naive.tokens, ...Array<string>(firstId - naive.tokens.length).fill(''), ...expected.map(([token]) => token)];
      const count = () => texts.reduce((sum, text) => sum + tokenizer.count(text), 0);
      const needed = count();
      await adaptation.commit();
      expect(tokensOf(tokenizer)).toEqual([...before, ...expected.map(([token]) => token)]);
      expect(new Map(tokenizer.specialTokens)).toEqual(special);
      expect(needed - count()).toBe(adaptation.saved);
      for (const text of [...texts, textOf([...CYRILLIC, ...LATIN], 60, random)]) {
        const ids = piecesOf(text).flatMap((piece) => encodeNaively({ model: 'bpe', tokens }, piece));
        expect([...tokenizer.encode(text)], `seed ${seed}`).toEqual(ids);
        expect(tokenizer.decode(ids as number[])).toBe(text);
      }
    }
  });

  it('proposes the merges of the definition for longest match', async () => {
    let unknown = 0;
    for (let seed = 1; seed <= sample(8, 2); seed++) {
      const random = numbers(seed);
      const tokenizer = await longest();
      const texts = Array.from({ length: 1 + random(4) }, () =>
        textOf(random(2) ? CYRILLIC : [...CYRILLIC, ...LATIN], 1 + random(30), random),
      );
      for (const text of texts) tokenizer.observe(text);
      const add = 1 + random(60);
      const minFrequency = 1 + random(3);
      const adaptation = await tokenizer.adapt({ threshold: 0, add, minFrequency });
      const naive: NaiveVocabulary = { model: 'longest-match', tokens: WORDS };
      const expected = adaptNaively(naive, texts.map(utf8), { add, minFrequency });
      expect(shown(adaptation), `seed ${seed}`).toEqual(expected);
      await adaptation.commit();
      const tokens = [...WORDS, ...expected.map(([token]) => token)];
      expect(tokensOf(tokenizer)).toEqual(tokens);
      for (const text of [...texts, textOf([...CYRILLIC, ...LATIN], 60, random)]) {
        const symbols = encodeNaively({ model: 'longest-match', tokens }, utf8(text));
        expect([...tokenizer.encode(text)]).toEqual(symbols.map((symbol) => (typeof symbol === 'string' ? 0 : symbol)));
        unknown += symbols.filter((symbol) => typeof symbol === 'string').length;
      }
      expect(tokenizer.unknownId).toBe(0);
    }
    expect(unknown).toBeGreaterThan(0);
  });

  it('never crosses a piece boundary with longest match and a pretokenizer', async () => {
    const tokens = ['?', ...'abcdefghiklmnoprstuvwy ,.\n12345'];
    const tokenizer = await open(compileCartridge(tokens, { unknownId: 0, pretokenizer: 'cl100k' }));
    const texts = [textOf(LATIN, 60, numbers(3)), textOf(CYRILLIC, 60, numbers(4))];
    for (const text of texts) tokenizer.observe(text);
    const adaptation = await tokenizer.adapt({ add: 80 });
    const expected = adaptNaively({ model: 'longest-match', tokens }, texts.flatMap(piecesOf), { add: 80 });
    expect(shown(adaptation)).toEqual(expected);
    expect(expected.length).toBe(80);
  });

  it('adds nothing below the threshold, and everything at or above it', async () => {
    const { tokenizer } = await trained();
    for (let text = 0; text < 17; text++) tokenizer.observe('q');
    for (let text = 0; text < 3; text++) tokenizer.observe('ё');
    expect(tokenizer.observed.rate).toBe(0.15);
    const size = tokenizer.vocabularySize;
    const nothing = await tokenizer.adapt({ threshold: 0.151 });
    expect(nothing).toMatchObject({ added: [], reason: 'below-threshold', observed: { rate: 0.15, texts: 20 }, saved: 0 });
    await nothing.commit();
    await nothing.rollback();
    expect(await failure(nothing.toCartridge())).toMatchObject({ code: 'BUILD_FAILED' });
    expect([tokenizer.vocabularySize, tokenizer.observed.texts]).toEqual([size, 20]);
    const something = await tokenizer.adapt();
    expect([shown(something), something.reason]).toEqual([[[utf8('ё'), 3]], undefined]);
    tokenizer.observe('q');
    expect((await tokenizer.adapt()).reason).toBe('below-threshold');
    expect((await tokenizer.adapt({ threshold: 0, minFrequency: 4 })).reason).toBe('nothing-frequent');
  });

  it('builds no token from special tokens', async () => {
    const { tokenizer } = await trained('crayon', ['<|end|>', '<|other|>']);
    expect([...tokenizer.specialTokens.values()]).toEqual([288, 289]);
    for (let text = 0; text < 4; text++) tokenizer.observe('ё<|end|>ё<|end|>', { special: 'allow' });
    const apart = await tokenizer.adapt();
    expect(shown(apart)).toEqual([[utf8('ё'), 8]]);
    expect(apart.added[0]!.id).toBe(290);
    await apart.commit();
    expect([...tokenizer.encode('ё<|end|>', { special: 'allow' })]).toEqual([290, 288]);

    // As ordinary text it is counted, but it never becomes a second token.
    const letters = await longest([...'<|end>'], { '<|end|>': 9 });
    letters.observe('<|end|><|end|>');
    const merged = await letters.adapt({ threshold: 0, minFrequency: 1 });
    const expected = adaptNaively({ model: 'longest-match', tokens: [...'<|end>'] }, ['<|end|><|end|>'], {
      minFrequency: 1,
      firstId: 10,
      forbidden: ['<|end|>'],
    });
    expect(shown(merged)).toEqual(expected);
    expect(expected.length).toBeGreaterThan(2);
    await merged.commit();
    expect(letters.idOf('<|end|>')).toBe(9);
    expect([...letters.encode('<|end|>', { special: 'allow' })]).toEqual([9]);
  });

  it('keeps special tokens and ordinary added tokens', async () => {
    const tokens = ['?', ...'ab', '<s>', ''].map((token) => new TextEncoder().encode(token));
    const views = [
      {
        name: 'mixed',
        scanner: 'none',
        tokens: packTokens([
          { text: tokens[0]!, id: 0, special: true },
          { text: tokens[3]!, id: 3, special: true },
          { text: 'aa', id: 7, special: false },
        ]),
      },
    ];
    const tokenizer = await open(compiled({ tokens, model: 'longest-match', views, unknown: 0 }));
    const text = 'abab aab<s>ab?x';
    const before = [...tokenizer.encode(text)];
    expect(before).toEqual([1, 2, 1, 2, 0, 7, 2, 3, 1, 2, 0, 0]);
    tokenizer.observe(text);
    const adaptation = await tokenizer.adapt({ threshold: 0 });
    expect(shown(adaptation)).toEqual([['ab', 3]]);
    await adaptation.commit();
    expect([...tokenizer.encode(text)]).toEqual([8, 8, 0, 7, 2, 3, 8, 0, 0]);
    expect([...tokenizer.encode('aa<s>', { special: 'allow' })]).toEqual([7, 3]);
    expect(tokenizer.idOf('aa')).toBe(7);

    // A token that the pretokenizer always splits.
    const split = await open(compileCartridge(['<unk>', 'a', 'b'], { pretokenizer: 'gpt2', unknownId: 0, specialTokens: { '<unk>': 0 } }));
    split.observe('abab');
    await (await split.adapt({ threshold: 0 })).commit();
    expect([split.unknownId, ...split.encode('ab?')]).toEqual([0, 3, 0]);
  });

  it('adds no token through which merging would reach an old token at a higher rank', async () => {
    const tokens = [...Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte)), new TextEncoder().encode('xyz')];
    const tokenizer = await open(compiled({ tokens, model: 'bpe', views: [{ name: 'odd', scanner: 'cl100k', tokens: packTokens([]) }] }));
    expect([...tokenizer.encode('xyz xyzq')]).toEqual([256, 32, 120, 121, 122, 113]);
    for (const text of ['xyq', 'xyr', 'xys', 'opq', 'opr']) tokenizer.observe(text);
    const adaptation = await tokenizer.adapt({ threshold: 0 });
    expect(shown(adaptation)).toEqual([['op', 2]]);
    await adaptation.commit();
    expect([...tokenizer.encode('xyz xyzqop')]).toEqual([256, 32, 120, 121, 122, 113, 257]);
  });

  it('keeps the metadata, and records the added tokens', async () => {
    const { tokenizer } = await trained();
    for (const [first, text] of [
      [290, 'ёёёё'],
      [292, 'юю'],
    ] as const) {
      tokenizer.observe(text);
      await (await tokenizer.adapt()).commit();
      expect(tokenizer.vocabularySize).toBeGreaterThan(first);
    }
    expect(tokenizer.name).toBe('latin');
    expect(tokenizer.metadata).toEqual({
      name: 'latin',
      adaptations: [
        { firstId: 290, added: 2 },
        { firstId: 292, added: 1 },
      ],
    });
    expect([...tokenizer.encode('ёёёюю')]).toEqual([291, 290, 292, 292]);
  });

  it('returns a full or a slim cartridge', async () => {
    const { tokenizer } = await trained();
    tokenizer.observe('ёлка, ёлка');
    const adaptation = await tokenizer.adapt();
    const full = await open(adaptation.toCartridge());
    const slim = await open(adaptation.toCartridge({ slim: true }));
    const unchanged = [...tokenizer.encode('ёлка')];
    await adaptation.commit();
    for (const { encode } of [full, slim].map((other) => ({ encode: () => [...other.encode('ёлка')] }))) {
      expect(encode()).toEqual([...tokenizer.encode('ёлка')]);
      expect(encode().length).toBeLessThan(unchanged.length);
    }
    expect((await adaptation.toCartridge({ slim: true })).length).toBeLessThan((await adaptation.toCartridge()).length);
    expect(await failure(adaptation.toCartridge(wrong({ slim: 1 })))).toBeInstanceOf(TypeError);
  });

  it('adds no token of bytes that form no character', async () => {
    const tokenizer = await longest();
    for (let text = 0; text < 3; text++) expect(tokenizer.observe(Uint8Array.of(0xe2, 0x82, 0x20, 0xff, 0xff))).toBe(3 / 4);
    const adaptation = await tokenizer.adapt();
    expect([shown(adaptation), adaptation.reason]).toEqual([[], 'nothing-frequent']);
  });

  it('adapts a profile', async () => {
    const tokenizer = await open('lite');
    const before = tokenizer.encode('The quick brown fox');
    for (let text = 0; text < 3; text++) tokenizer.observe(CYRILLIC.join(' '));
    const count = tokenizer.count(CYRILLIC.join(' '));
    const adaptation = await tokenizer.adapt({ add: 20 });
    expect(adaptation.added.length).toBe(20);
    await adaptation.commit();
    expect(tokenizer.vocabularySize).toBe(50_020);
    expect(tokenizer.encode('The quick brown fox')).toEqual(before);
    expect(tokenizer.count(CYRILLIC.join(' '))).toBe(count - adaptation.saved / 3);
    expect(tokenizer.decode(tokenizer.encode(CYRILLIC.join(' ')))).toBe(CYRILLIC.join(' '));
  });
});

/** Through the compiler's interface, which allows more than compileCartridge. */
function compiled(what: { tokens: Uint8Array[]; model: 'bpe' | 'longest-match'; views: any[]; unknown?: number; metadata?: string }) {
  const { tokens, metadata = '{}', ...rest } = what;
  const offsets = new Uint32Array(tokens.length + 1);
  tokens.forEach((token, id) => (offsets[id + 1] = offsets[id]! + token.length));
  const file = nativeCompiler().compile({ bytes: Buffer.concat(tokens), offsets, metadata, ...rest }, 'full');
  return 'sentence' in file ? expect.fail(file.sentence) : file;
}

describe('adapt refuses', () => {
  it.each(['gpt2', 'r50k_base', 'p50k_base', 'p50k_edit', 'cl100k_base', 'o200k_base', 'o200k_harmony', 'gpt-4o'])('%s', async (name) => {
    const tokenizer = await open(name);
    tokenizer.observe('ёлка');
    const error = await failure(tokenizer.adapt({ threshold: 0 }));
    expect(error).toBeInstanceOf(TokenizerError);
    expect(error.message).toContain('is a published encoding');
    expect(error.message).toContain(tokenizer.name);
    expect(tokenizer.observed.texts).toBe(1);
  });

  it('a cartridge that claims to be a published encoding, or has several views', async () => {
    const [a] = [new TextEncoder().encode('a')];
    const views = [{ name: 'one', scanner: 'none', tokens: packTokens([]) }];
    const make = (metadata: object, more: object[] = []) =>
      open(compiled({ tokens: [a!], model: 'longest-match', views: [...views, ...more], metadata: JSON.stringify(metadata) }));
    const published = 'is a published encoding';
    expect((await failure((await make({ name: 'cl100k_base' })).adapt())).message).toContain(`"cl100k_base" ${published}`);
    expect((await failure((await make({ source: { origin: 'somewhere' } })).adapt())).message).toContain(`"one" ${published}`);
    const two = await make({}, [{ name: 'two', scanner: 'none', tokens: packTokens([]) }]);
    expect((await failure(two.adapt())).message).toContain('2 views');
    expect((await (await make({ source: null })).adapt()).reason).toBe('nothing-observed');
  });

  it('tokens that no text produces, which only version 2 has', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'crayon-test-'));
    try {
      const tokens = ['a', 'b', 'a'];
      const dat = writeDat(
        tokens.map((token) => new TextEncoder().encode(token)),
        Object.values(CONVENTIONS)[0]!,
      );
      writeFileSync(join(folder, 'twice.dat'), dat);
      writeFileSync(join(folder, 'twice.json'), JSON.stringify(tokens));
      const tokenizer = await open(join(folder, 'twice.dat'));
      tokenizer.observe('abab');
      expect((await failure(tokenizer.adapt({ threshold: 0 }))).message).toContain('no text becomes the id 2,');
      const cartridge = await open(compileCartridge(join(folder, 'twice.dat')));
      cartridge.observe('abab');
      expect((await failure(cartridge.adapt({ threshold: 0 }))).message).toContain('no text becomes the id 2,');
      // Without the list it has no such token.
      const alone = await open(dat);
      alone.observe('abab');
      expect(shown(await alone.adapt({ threshold: 0 }))).toEqual([['ab', 2]]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('a vocabulary that cannot be compiled', async () => {
    const { Tokenizer: Inline } = await import('crayon-tokenizer/inline/lite');
    using tokenizer = Inline.loadSync('lite');
    expect(tokenizer.observe('ёлка')).toBeGreaterThan(0);
    expect((await failure(tokenizer.adapt())).message).toContain("import 'crayon-tokenizer'");
  });

  it('ids that would grow too large', async () => {
    for (const id of [2 ** 21 - 2, 2 ** 32 - 17]) {
      const tokenizer = await open(compileCartridge(['a', 'b'], { specialTokens: { '<s>': id } }));
      tokenizer.observe('abab');
      const error = await failure(tokenizer.adapt({ threshold: 0 }));
      expect(error).toMatchObject({ code: 'VOCABULARY_TOO_LARGE' });
      expect(error.message).toContain(`new ids would follow ${id}`);
    }
  });

  it.each([
    [{ threshold: '0.1' }, 'expected a number for threshold but received "0.1"'],
    [{ threshold: 1.5 }, 'expected a number from 0 to 1 for threshold but received 1.5'],
    [{ threshold: NaN }, 'for threshold but received NaN'],
    [{ add: 0 }, 'expected an integer from 1 to 65536 for add but received 0'],
    [{ add: 1.5 }, 'for add but received 1.5'],
    [{ minFrequency: 0 }, 'for minFrequency but received 0'],
    [{ signal: 5 }, 'expected an AbortSignal for signal but received 5'],
    [{ treshold: 1 }, "unknown option 'treshold'; did you mean 'threshold'?"],
    [null, 'expected an object for options but received null'],
    [5, 'expected an object for options but received 5'],
  ])('the options %o', async (options, message) => {
    const tokenizer = await longest();
    const error = await failure(tokenizer.adapt(wrong(options)));
    expect(error.message).toContain(message);
    expect([TypeError, RangeError]).toContain(error.constructor);
  });

  it('to continue once its signal is aborted', async () => {
    const { tokenizer } = await trained();
    tokenizer.observe(textOf(CYRILLIC, 2000, numbers(5)));
    const reason = new Error('enough');
    expect(await failure(tokenizer.adapt({ signal: AbortSignal.abort(reason) }))).toBe(reason);
    const control = new AbortController();
    const adapting = tokenizer.adapt({ signal: control.signal });
    control.abort(reason);
    expect(await failure(adapting)).toBe(reason);
    expect((await tokenizer.adapt({ add: 1 })).added.length).toBe(1);
  });

  it('to continue once the tokenizer is closed', async () => {
    const { tokenizer } = await trained();
    tokenizer.observe(textOf(CYRILLIC, 2000, numbers(5)));
    const adapting = tokenizer.adapt();
    tokenizer.close();
    expect(await failure(adapting)).toMatchObject({ code: 'CLOSED' });
  });
});

describe('an adaptation', () => {
  let tokenizer: Tokenizer;
  const encoded = () => [...tokenizer.encode('ёё')];
  const proposed = async () => {
    tokenizer.observe('ёёёё');
    return tokenizer.adapt({ add: 1 });
  };
  const BEFORE = [0xd1, 0x91, 0xd1, 0x91];
  const AFTER = [290, 290];

  it('is committed once and rolled back once', async () => {
    ({ tokenizer } = await trained());
    const adaptation = await proposed();
    expect(encoded()).toEqual(BEFORE);
    await adaptation.commit();
    expect(encoded()).toEqual(AFTER);
    expect((await failure(adaptation.commit())).message).toContain('cannot commit the adaptation: it is committed already');
    expect(tokenizer.observed.texts).toBe(0);
    tokenizer.observe('ё');
    await adaptation.rollback();
    expect([encoded(), tokenizer.vocabularySize, tokenizer.observed.texts]).toEqual([BEFORE, 290, 0]);
    expect((await failure(adaptation.rollback())).message).toContain('it is rolled back already');
    expect((await failure(adaptation.commit())).message).toContain('it is rolled back already');
    // The old vocabulary is back in use, unchanged.
    const again = await proposed();
    await again.commit();
    await tokenizer.swap(await compileCartridge(['a']));
    expect(tokenizer.count('aa')).toBe(2);
  });

  it('can be dropped', async () => {
    ({ tokenizer } = await trained());
    const adaptation = await proposed();
    await adaptation.rollback();
    expect(await failure(adaptation.commit())).toBeInstanceOf(Error);
    expect(encoded()).toEqual(BEFORE);
  });

  it('can follow another', async () => {
    ({ tokenizer } = await trained());
    const first = await proposed();
    await first.commit();
    tokenizer.observe('ёюёю');
    const second = await tokenizer.adapt({ add: 2 });
    expect(second.added.map(({ id }) => id)).toEqual([291, 292]);
    await second.commit();
    const both = [...tokenizer.encode('ёюё')];
    expect(tokenizer.decode(both)).toBe('ёюё');
    expect((await failure(first.rollback())).message).toContain('another vocabulary by now');
    await second.rollback();
    expect(encoded()).toEqual(AFTER);
    await first.rollback();
    expect(encoded()).toEqual(BEFORE);
  });

  it('applies to one vocabulary', async () => {
    ({ tokenizer } = await trained());
    const [one, two] = [await proposed(), await proposed()];
    await one.commit();
    expect((await failure(two.commit())).message).toContain('another vocabulary by now');
    expect(encoded()).toEqual(AFTER);
    await tokenizer.swap(await compileCartridge(['ё']));
    expect((await failure(one.rollback())).message).toContain('another vocabulary by now');
    expect(encoded()).toEqual([0, 0]);
  });

  it('does not reopen a closed tokenizer', async () => {
    ({ tokenizer } = await trained());
    const [one, two] = [await proposed(), await proposed()];
    await one.commit();
    tokenizer.close();
    for (const error of [await failure(one.rollback()), await failure(two.commit())]) {
      expect(error.message).toContain('has been closed');
    }
    expect(() => encoded()).toThrow('the tokenizer has been closed');
  });

  it('lets running calls finish with their vocabulary', async () => {
    ({ tokenizer } = await trained());
    const text = textOf(CYRILLIC, sample(10_000, 4000), numbers(6));
    tokenizer.observe(text);
    const adaptation = await tokenizer.adapt();
    const before = tokenizer.encode(text).slice();
    const begun = [tokenizer.encodeAsync(text), tokenizer.encodeAsync(text)];
    await adaptation.commit();
    const after = tokenizer.encode(text).slice();
    begun.push(tokenizer.encodeAsync(text));
    await adaptation.rollback();
    begun.push(tokenizer.encodeAsync(text));
    expect(after.length).toBeLessThan(before.length);
    expect(await Promise.all(begun)).toEqual([before, before, after, before]);
  });
});
