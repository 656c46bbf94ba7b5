// The offsets of tokens in their text: sums of the lengths of npm tiktoken's bytes, and the characters they fall into.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Tokenizer } from 'crayon-tokenizer';

import { escaped, utf8Of } from '../fuzz/differential.mjs';
import { Random } from '../fuzz/random.mjs';
import { nastyString, textsOf } from '../fuzz/strings.mjs';
import { loadTiktoken, type Reference } from '../golden/tiktoken.mjs';
import { SAMPLED_ENCODINGS } from './encodings.js';
import { sample } from '../share.js';

const SEED = Number(process.env.CRAYON_FUZZ_SEED ?? 1);
const STRINGS = sample(600);

const references: Record<string, Reference> = {};
const tokenizers: Record<string, Tokenizer> = {};
const vocabularies: Record<string, Uint8Array[]> = {};

beforeAll(async () => {
  for (const name of SAMPLED_ENCODINGS) {
    references[name] = await loadTiktoken(name);
    tokenizers[name] = await Tokenizer.load(name);
    vocabularies[name] = references[name].vocabulary();
  }
});
afterAll(() => {
  Object.values(tokenizers).forEach((tokenizer) => tokenizer.close());
});

/** Start and end of each token in bytes, as running sums. */
function naiveByteOffsets(ids: ArrayLike<number>, vocabulary: Uint8Array[]): number[] {
  const offsets: number[] = [];
  let at = 0;
  for (const id of Array.from(ids)) offsets.push(at, (at += vocabulary[id].length));
  return offsets;
}

/** The same in UTF-16 units: for every byte, where its character begins and ends. */
function naiveUnitOffsets(bytes: Uint8Array, byteOffsets: number[]): number[] {
  const begins: number[] = [];
  const ends: number[] = [];
  let units = 0;
  for (const { length, unitLength } of charactersOf(bytes)) {
    for (let i = 0; i < length; i++) {
      begins.push(units);
      ends.push(units + unitLength);
    }
    units += unitLength;
  }
  return byteOffsets.map((at, i) => (i % 2 === 0 ? begins[at] : ends[at - 1]));
}

/** The characters of bytes, or their replacements in invalid UTF-8, as TextDecoder finds them. */
function* charactersOf(bytes: Uint8Array): Generator<{ length: number; unitLength: number }> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const decode = (from: number, to?: number) => decoder.decode(bytes.subarray(from, to));
  for (let at = 0; at < bytes.length; ) {
    // No character depends on more than four bytes from its first one.
    const character = String.fromCodePoint(decode(at, at + 4).codePointAt(0) as number);
    let length = utf8Of(character).length;
    if (character === '\ufffd' && decode(at, at + 3) !== character) {
      const rest = decode(at).slice(1);
      for (length = 1; decode(at + length) !== rest; ) length++;
    }
    length = Math.min(length, bytes.length - at);
    yield { length, unitLength: character.length };
    at += length;
  }
}

describe('generated texts', { timeout: 300_000 }, () => {
  it.each(SAMPLED_ENCODINGS)('as strings: %s', (name) => {
    const [tokenizer, reference, vocabulary] = [tokenizers[name], references[name], vocabularies[name]];
    const tokens = textsOf(vocabulary);
    for (let index = 0; index < STRINGS; index++) {
      const text = nastyString(SEED, index, tokens);
      const expected = reference.encode(text);
      const byteOffsets = naiveByteOffsets(expected, vocabulary);

      const inUnits = tokenizer.encodeWithOffsets(text);
      expect([...inUnits.ids], escaped(text)).toEqual([...expected]);
      expect([...inUnits.offsets], escaped(text)).toEqual(naiveUnitOffsets(utf8Of(text), byteOffsets));
      const inBytes = tokenizer.encodeWithOffsets(text, { unit: 'bytes' });
      expect([...inBytes.ids]).toEqual([...expected]);
      expect([...inBytes.offsets], escaped(text)).toEqual(byteOffsets);

      // A slice of the string equals the token, without splitting a character.
      inUnits.ids.forEach((id, i) => {
        const slice = text.slice(inUnits.offsets[2 * i], inUnits.offsets[2 * i + 1]);
        const held = Buffer.from(utf8Of(slice));
        if (!held.includes(Buffer.from(vocabulary[id]))) expect.fail(`token ${i} of ${escaped(text)}: ${escaped(slice)}`);
      });
    }
  });

  it.each(SAMPLED_ENCODINGS)('as bytes, a third of them damaged: %s', (name) => {
    const [tokenizer, vocabulary] = [tokenizers[name], vocabularies[name]];
    for (let index = 0; index < STRINGS / 2; index++) {
      const random = new Random(SEED, index, 7);
      const bytes = utf8Of(nastyString(SEED, index)).slice(0, 400);
      if (index % 3 === 0)
        for (let i = random.integer(0, 8); i > 0 && bytes.length > 0; i--) bytes[random.integer(0, bytes.length - 1)] = random.next();
      const inBytes = tokenizer.encodeWithOffsets(bytes);
      expect(inBytes.ids).toEqual(tokenizer.encode(bytes));
      // Whatever the ids are, they decode to these bytes.
      expect(Buffer.concat(Array.from(inBytes.ids, (id) => vocabulary[id]))).toEqual(Buffer.from(bytes));
      const byteOffsets = naiveByteOffsets(inBytes.ids, vocabulary);
      expect([...inBytes.offsets]).toEqual(byteOffsets);
      const inUnits = tokenizer.encodeWithOffsets(bytes, { unit: 'utf16' });
      expect([...inUnits.offsets], Buffer.from(bytes).toString('hex')).toEqual(naiveUnitOffsets(bytes, byteOffsets));
    }
  });
});

describe('a token', () => {
  const at = (text: string | Uint8Array, options?: object) => {
    const { ids, offsets } = tokenizers.o200k_base.encodeWithOffsets(text, options);
    expect(offsets.length).toBe(2 * ids.length);
    return Array.from(ids, (_, i) => [offsets[2 * i], offsets[2 * i + 1]]);
  };
  const utf8 = (text: string) => new TextEncoder().encode(text);

  it('has the offsets of its text', () => {
    expect(at('hello world')).toEqual([
      [0, 5],
      [5, 11],
    ]);
    expect(at(utf8('hello world'))).toEqual([
      [0, 5],
      [5, 11],
    ]);
    expect(at('')).toEqual([]);
    expect(at(new Uint8Array(0))).toEqual([]);
  });

  it('that is part of a character covers the whole character in units, and its part in bytes', () => {
    // Three tokens of one byte each.
    expect(at('\ua001')).toEqual([
      [0, 1],
      [0, 1],
      [0, 1],
    ]);
    expect(at('\ua001', { unit: 'bytes' })).toEqual([
      [0, 1],
      [1, 2],
      [2, 3],
    ]);
    expect(at(utf8('\ua001'))).toEqual([
      [0, 1],
      [1, 2],
      [2, 3],
    ]);
    expect(at(utf8('\ua001'), { unit: 'utf16' })).toEqual([
      [0, 1],
      [0, 1],
      [0, 1],
    ]);
  });

  it('of a lone surrogate is one unit, and the three bytes of U+FFFD', () => {
    expect(at('\ud800')).toEqual([[0, 1]]);
    expect(at('\ud800', { unit: 'bytes' })).toEqual([[0, 3]]);
    expect(at('\ud83d\ud83d\ude00').at(-1)?.[1]).toBe(3);
  });

  it('that begins a text with a byte order mark, or ends a line', () => {
    expect(at('\ufeffa').at(-1)).toEqual([1, 2]);
    expect(at('\ufeffa', { unit: 'bytes' }).at(-1)).toEqual([3, 4]);
    expect(at('a\r\nb').at(-1)).toEqual([3, 4]);
  });

  it('of invalid UTF-8 counts the characters they decode to', () => {
    // The beginning of a character is one U+FFFD; bytes that begin none are one each.
    expect(at(Uint8Array.of(0xe2, 0x82, 0x61), { unit: 'utf16' }).at(-1)).toEqual([1, 2]);
    expect(at(Uint8Array.of(0xff, 0xfe, 0x61), { unit: 'utf16' }).at(-1)).toEqual([2, 3]);
    expect(at(Uint8Array.of(0xff, 0xfe, 0x61)).at(-1)).toEqual([2, 3]);
  });

  it('that is special has offsets too', () => {
    expect(at('é<|endoftext|>b', { special: 'allow' })).toEqual([
      [0, 1],
      [1, 14],
      [14, 15],
    ]);
    expect(at('é<|endoftext|>b', { special: 'allow', unit: 'bytes' })).toEqual([
      [0, 2],
      [2, 15],
      [15, 16],
    ]);
    expect(at('é<|endoftext|>', { special: 'text' }).length).toBeGreaterThan(2);
    expect(() => at('😀<|endoftext|>', { special: 'forbid' })).toThrow('at position 2,');
    expect(at('hello world', { addSpecialTokens: true })).toEqual([
      [0, 5],
      [5, 11],
    ]);
  });
});

describe('texts of every length', () => {
  const sentence = 'The naïve café — 東京タワー costs 12345 ¥, doesn’t it? 😀\n';

  it.each([1, 500, 1364, 1365, 1366, 4096, 65_535, 65_536, 65_537, 70_000, 200_000])('%i units', (units) => {
    const text = sentence.repeat(Math.ceil(units / sentence.length)).slice(0, units);
    const { cl100k_base: tokenizer } = tokenizers;
    const ids = references.cl100k_base.encode(text);
    const byteOffsets = naiveByteOffsets(ids, vocabularies.cl100k_base);
    const { offsets } = tokenizer.encodeWithOffsets(text, { unit: 'bytes' });
    expect(Buffer.from(offsets.buffer, offsets.byteOffset, offsets.byteLength)).toEqual(Buffer.from(Uint32Array.from(byteOffsets).buffer));
    const inUnits = tokenizer.encodeWithOffsets(text);
    expect(Buffer.from(inUnits.ids.slice().buffer)).toEqual(Buffer.from(ids.slice().buffer));
    expect(inUnits.offsets.at(-1)).toBe(units);
    // As consecutive sentences: each ends with a newline, after which nothing depends on the text before.
    const one = tokenizer.encodeWithOffsets(sentence);
    const whole = Math.floor(units / sentence.length);
    for (const row of [0, whole >> 1, whole - 1].filter((row) => row >= 0 && row < whole)) {
      const from = 2 * one.ids.length * row;
      const expected = Array.from(one.offsets, (offset) => offset + row * sentence.length);
      expect([...inUnits.offsets.subarray(from, from + one.offsets.length)]).toEqual(expected);
    }
  });

  it('that have more tokens than units', () => {
    for (const units of [1000, 1365, 5000]) {
      const { ids, offsets } = tokenizers.o200k_base.encodeWithOffsets('\ua001'.repeat(units));
      expect(ids.length).toBe(3 * units);
      expect([...offsets.slice(-6)]).toEqual(
        Array(3)
          .fill([units - 1, units])
          .flat(),
      );
    }
  });

  it('do not overwrite earlier results', () => {
    const { o200k_base: tokenizer } = tokenizers;
    const texts = Array.from({ length: 5000 }, (_, i) => `row ${i} of the pool ${'x'.repeat(i % 40)}`);
    const results = texts.map((text) => tokenizer.encodeWithOffsets(text));
    const between = texts.map((text) => tokenizer.encode(text));
    results.forEach(({ ids, offsets }, i) => {
      expect(ids).toEqual(between[i]);
      expect([...offsets]).toEqual(naiveByteOffsets(ids, vocabularies.o200k_base));
    });
  });
});
