// Longest match through the API: every call, on vocabularies made for it and on the profiles, against the naive reference.

import fs from 'node:fs';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { compileCartridge, Tokenizer, TokenizerError } from 'crayon-tokenizer';

import { corpora, textOf } from '../corpora.mjs';
import { digestOf, fixtures, readGolden } from '../golden/goldens.mjs';
import { loadProfile, longestMatchOf, PROFILES } from '../golden/longest-match.mjs';
import { sample, SHARE } from '../share.js';

const utf8 = (text: string) => new TextEncoder().encode(text);
const isNative = inject('backend') === 'native';

/** In bytes. Longer texts only add length. */
const LONGEST_IN_A_SAMPLE = 4e6;

/** A small generator with the same numbers everywhere. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Vocabularies in which tokens overlap: all strings use few letters. */
const VOCABULARIES: Record<string, { letters: string[]; longest: number; count: number; unknownId?: number }> = {
  'of two letters': { letters: ['a', 'b'], longest: 6, count: 40, unknownId: 7 },
  'of ASCII': { letters: ['a', 'b', ' ', '\n', '0', '\0'], longest: 5, count: 120, unknownId: 0 },
  'of several scripts': { letters: ['e', 'é', 'ж', '中', '👍', ' '], longest: 4, count: 150, unknownId: 3 },
};

function tokensOf({ letters, longest, count }: (typeof VOCABULARIES)[string]): string[] {
  const random = numbers(letters.length);
  const tokens = new Set<string>();
  while (tokens.size < count) {
    tokens.add(Array.from({ length: 1 + random(longest) }, () => letters[random(letters.length)]).join(''));
  }
  return [...tokens];
}

/** Texts of the letters, and of letters that no token has. */
function textsOf(letters: string[]): string[] {
  const random = numbers(17);
  const others = [...letters, ...letters, ...letters, 'z', 'ß', '語', '\u{1F600}', '\uD800'];
  const text = (length: number) => Array.from({ length }, () => others[random(others.length)]).join('');
  return ['', ...others, ...Array.from({ length: sample(300) }, () => text(random(40))), text(3000), letters[0]!.repeat(5000)];
}

describe.each(Object.entries(VOCABULARIES))('a vocabulary %s', (_, vocabulary) => {
  const tokens = tokensOf(vocabulary);
  const texts = textsOf(vocabulary.letters);
  const expected = longestMatchOf(tokens.map(utf8), vocabulary.unknownId);
  let tokenizer: Tokenizer;
  beforeAll(async () => {
    tokenizer = await Tokenizer.load(await compileCartridge(tokens, { unknownId: vocabulary.unknownId }));
  });

  it('describes itself', () => {
    expect(tokenizer.modelKind).toBe('longest-match');
    expect(tokenizer.unknownId).toBe(vocabulary.unknownId);
    expect(tokenizer.vocabularySize).toBe(tokens.length);
    expect(tokenizer.name).toBe('tokens');
    expect(tokenizer.specialTokens.size).toBe(0);
  });

  it('encodes and counts', () => {
    for (const text of texts) {
      const ids = expected(utf8(text));
      expect(tokenizer.encode(text), JSON.stringify(text)).toEqual(ids);
      expect(tokenizer.encode(utf8(text))).toEqual(ids);
      expect(tokenizer.count(text)).toBe(ids.length);
      expect(tokenizer.count(utf8(text))).toBe(ids.length);
    }
  });

  it('encodes bytes that are not UTF-8', () => {
    const random = numbers(5);
    const letters = [...vocabulary.letters.flatMap((letter) => [...utf8(letter)]), 0x80, 0xc3, 0xe4, 0xf0, 0x9f, 0xff];
    for (let round = 0; round < sample(300); round++) {
      const bytes = Uint8Array.from({ length: random(24) }, () => letters[random(letters.length)]!);
      expect(tokenizer.encode(bytes), bytes.join()).toEqual(expected(bytes));
    }
  });

  it('returns the offsets of tokens', () => {
    for (const text of texts.slice(0, 200)) {
      const bytes = utf8(text);
      const { ids, offsets } = tokenizer.encodeWithOffsets(bytes);
      expect(ids).toEqual(expected(bytes));
      // Tokens follow each other without gaps, each on its own bytes.
      for (let at = 0; at < ids.length; at++) {
        expect(offsets[2 * at]).toBe(at === 0 ? 0 : offsets[2 * at - 1]);
        const part = bytes.subarray(offsets[2 * at], offsets[2 * at + 1]);
        if (ids[at] !== vocabulary.unknownId) expect(part).toEqual(utf8(tokens[ids[at]!]!));
        else expect(expected(part)).toEqual(Uint32Array.of(ids[at]!));
      }
      expect(ids.length === 0 ? 0 : offsets.at(-1)).toBe(bytes.length);
      const units = tokenizer.encodeWithOffsets(text);
      expect(units.ids).toEqual(ids);
      expect(units.offsets.length).toBe(offsets.length);
      expect(ids.length === 0 ? 0 : units.offsets.at(-1)).toBe(text.length);
    }
  });

  it('respects a limit', () => {
    for (const text of texts) {
      const { length } = expected(utf8(text));
      expect(tokenizer.isWithinLimit(text, length)).toBe(length);
      if (length > 0) expect(tokenizer.isWithinLimit(text, length - 1)).toBe(false);
    }
    for (const text of texts.slice(0, 200).filter((text) => text.isWellFormed())) {
      const parts = tokenizer.split(text, { maxTokens: 3 });
      expect(parts.join('')).toBe(text);
      for (const part of parts) expect(expected(utf8(part)).length).toBeLessThanOrEqual(3);
      expect(text.startsWith(tokenizer.truncate(text, 2))).toBe(true);
      expect(expected(utf8(tokenizer.truncate(text, 2))).length).toBeLessThanOrEqual(2);
      expect(expected(utf8(tokenizer.truncate(text, 2, { side: 'left' }))).length).toBeLessThanOrEqual(2);
    }
  });

  it('encodes batches, and without blocking the thread', async () => {
    const batch = tokenizer.encodeBatch(texts);
    texts.forEach((text, row) => expect(batch.row(row)).toEqual(expected(utf8(text))));
    expect([...tokenizer.countBatch(texts)]).toEqual(texts.map((text) => expected(utf8(text)).length));
    const long = texts.join('').repeat(20);
    expect(await tokenizer.encodeAsync(long)).toEqual(expected(utf8(long)));
  });

  it('decodes its own encoding if every character is known', () => {
    const { letters } = vocabulary;
    const alphabet = letters.filter((letter) => tokens.includes(letter));
    const random = numbers(3);
    for (let round = 0; round < sample(100); round++) {
      const text = Array.from({ length: random(30) }, () => alphabet[random(alphabet.length)] ?? '').join('');
      expect(tokenizer.decode(tokenizer.encode(text))).toBe(text);
    }
    tokens.forEach((token, id) => {
      expect(tokenizer.tokenBytes(id)).toEqual(utf8(token));
      expect(tokenizer.idOf(token)).toBe(id);
    });
    expect(() => tokenizer.decode([tokens.length])).toThrow(expect.objectContaining({ code: 'INVALID_ID' }));
  });

  it('is not affected by window boundaries', () => {
    const long = vocabulary.letters.join('').repeat(40_000).slice(0, 150_001);
    const ids = expected(utf8(long));
    expect(tokenizer.encode(long)).toEqual(ids);
    expect(tokenizer.encode(utf8(long))).toEqual(ids);
    expect(tokenizer.count(long)).toBe(ids.length);
    const run = vocabulary.letters[0]!.repeat(200_000);
    expect(tokenizer.encode(run)).toEqual(expected(utf8(run)));
  });
});

describe('without an unknown id', () => {
  let tokenizer: Tokenizer;
  beforeAll(async () => {
    tokenizer = await Tokenizer.load(await compileCartridge(['a', 'b', 'ab', 'é']));
  });

  it('a character that no token begins with is an error, with its position', () => {
    expect(tokenizer.unknownId).toBeUndefined();
    expect(tokenizer.encode('abé')).toEqual(Uint32Array.of(2, 3));
    const thrown = (action: () => unknown) => {
      try {
        action();
      } catch (error) {
        return error as TokenizerError;
      }
      return expect.fail('nothing was thrown');
    };
    const inText = thrown(() => tokenizer.encode('éaé中b'));
    expect(inText).toBeInstanceOf(TokenizerError);
    expect(inText).toMatchObject({ code: 'UNKNOWN_CHARACTER', position: 3 });
    expect(inText.message).toBe(
      'the text holds the character "中" (U+4E2D) at position 3, with which no token begins, and the vocabulary has no unknown id',
    );
    expect(thrown(() => tokenizer.encode(utf8('éaé中b')))).toMatchObject({ code: 'UNKNOWN_CHARACTER', position: 5 });
    expect(thrown(() => tokenizer.count('x'))).toMatchObject({ code: 'UNKNOWN_CHARACTER', position: 0 });
    expect(thrown(() => tokenizer.encodeBatch(['ab', 'abc']))).toMatchObject({ code: 'UNKNOWN_CHARACTER', position: 2, row: 1 });
    expect(tokenizer.encode('ab')).toEqual(Uint32Array.of(2));
  });
});

describe('a pretokenizer and special tokens', () => {
  it('cut the text before it is matched', async () => {
    const tokens = ['a', 'b', ' ', 'a b', 'b a', ' a', ' b'];
    const options = { pretokenizer: 'gpt2', specialTokens: { '<|end|>': 7 }, name: 'mine' } as const;
    using tokenizer = await Tokenizer.load(await compileCartridge(tokens, options));
    expect(tokenizer.name).toBe('mine');
    // Pieces "a", " b", " a": no token crosses their boundaries.
    expect(tokenizer.encode('a b a')).toEqual(Uint32Array.of(0, 6, 5));
    expect(tokenizer.encode('a<|end|>b', { special: 'allow' })).toEqual(Uint32Array.of(0, 7, 1));
    using plain = await Tokenizer.load(await compileCartridge(tokens));
    expect(plain.encode('a b a')).toEqual(Uint32Array.of(3, 5));
  });
});

type Row = [tokens: number, digest: string];
const corpusFiles = corpora({ assembled: true });

describe.each(PROFILES)('the profile %s', (name) => {
  const golden = readGolden(name) as { fixtures: Record<string, Row>; corpora: Record<string, Row> };
  let tokenizer: Tokenizer;
  beforeAll(async () => {
    tokenizer = await Tokenizer.load(name);
  });

  it('describes itself', () => {
    expect(tokenizer.name).toBe(name);
    expect(tokenizer.modelKind).toBe('longest-match');
    expect(tokenizer.vocabularySize).toBe({ lite: 50_000, standard: 206_373 }[name]);
    expect(tokenizer.unknownId).toBeUndefined();
    expect(tokenizer.metadata.licence).toBe('MIT');
  });

  // CRAYON has published 90 % and more. The array must hold a node for each prefix of a token, and the root.
  it('fills its array densely in either version', async () => {
    const beginnings = new Set(['']);
    for (const { bytes } of tokenizer.tokens()) {
      const token = Buffer.from(bytes).toString('latin1');
      for (let length = token.length; length > 0 && !beginnings.has(token.slice(0, length)); length--)
        beginnings.add(token.slice(0, length));
    }
    const dat = await compileCartridge(name, { version: 2 });
    const places = new DataView(dat.buffer, dat.byteOffset).getUint32(8, true);
    expect(dat.length).toBe(12 + 12 * places);
    expect(beginnings.size / places).toBeGreaterThan(0.9);
    expect(beginnings.size).toBeLessThanOrEqual(places);
    const cartridge = await compileCartridge(name);
    const words = new DataView(cartridge.buffer, cartridge.byteOffset);
    const sections = Array.from({ length: words.getUint16(14, true) }, (_, index) => 64 + 16 * index);
    const trie = sections.find((at) => words.getUint32(at, true) === 12) as number; // FORMAT.md §2
    const units = words.getUint32(words.getUint32(trie + 8, true), true);
    expect(beginnings.size / units).toBeGreaterThan(0.9);
    expect(beginnings.size).toBeLessThanOrEqual(units);
  });

  it.each(fixtures())('$name has the golden ids, and decodes to itself', ({ name: file, path }) => {
    const bytes = fs.readFileSync(path);
    const ids = tokenizer.encode(textOf(bytes));
    expect([ids.length, digestOf(ids)]).toEqual(golden.fixtures[file]);
    expect(tokenizer.count(bytes)).toBe(tokenizer.encode(bytes).length);
    expect(Buffer.compare(tokenizer.decodeBytes(tokenizer.encode(bytes)), bytes)).toBe(0);
  });

  it('has the ids of the live reference on a fixture', () => {
    const text = fixtures()
      .map(({ path }) => textOf(fs.readFileSync(path)).slice(0, 2000))
      .join('');
    expect(tokenizer.encode(text)).toEqual(loadProfile(name).encode(text));
  });

  it.skipIf(corpusFiles === null).for(corpusFiles ?? [])('$name', { timeout: 300_000 }, ({ name: file, path, bytes }, { skip }) => {
    if (SHARE < 1 && bytes > LONGEST_IN_A_SAMPLE) skip('it is encoded by npm run test:long');
    const ids = tokenizer.encode(textOf(fs.readFileSync(path)));
    expect([ids.length, digestOf(ids)]).toEqual(golden.corpora[file]);
  });

  it.runIf(isNative)('has the same ids on every kernel', async () => {
    const { native } = await import('../../dist/node/internals.js');
    for (const kernel of native().addon.kernels()) {
      using row = Tokenizer.loadSync(name, { kernel });
      for (const { name: file, path } of fixtures()) {
        const ids = row.encode(textOf(fs.readFileSync(path)));
        expect([ids.length, digestOf(ids)], `${kernel}, ${file}`).toEqual(golden.fixtures[file]);
      }
    }
  });
});

describe('truncate on the left, without an unknown id', () => {
  // The cut falls inside a token, where no token begins.
  it.each([
    [['abc'], 'abc'.repeat(88), 'abc'],
    [['abc', 'x'], `${'abc'.repeat(400)}x`, 'x'],
    [['\u{1F389}', 'a'], `${'\u{1F389}'.repeat(131)}a`, 'a'],
    [['\u65E5'], '\u65E5'.repeat(500), '\u65E5'],
  ])('%j', async (tokens, text, last) => {
    using tokenizer = await Tokenizer.load(await compileCartridge(tokens));
    expect(tokenizer.truncate(text, 1, { side: 'left' })).toBe(last);
    expect(tokenizer.truncate(utf8(text), 1, { side: 'left' })).toEqual(utf8(last));
    expect(() => tokenizer.truncate(`?${text}`, 1e6, { side: 'left' })).toThrow(TokenizerError);
  });
});
