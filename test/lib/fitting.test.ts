// Texts and token limits: what is kept or cut fits the limit by npm tiktoken's count, and is as long as npm tiktoken's
// tokens for the whole text allow.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Tokenizer } from 'crayon-tokenizer';

import { escaped, utf8Of } from '../fuzz/differential.mjs';
import { Random } from '../fuzz/random.mjs';
import { nastyString, textsOf } from '../fuzz/strings.mjs';
import { loadTiktoken, type Reference } from '../golden/tiktoken.mjs';
import { SAMPLED_ENCODINGS } from './encodings.js';
import { naiveFirstPart, naiveLastPart, naiveOverlap, type NaiveTokens } from './naive-limits.js';
import { sample, SHARE } from '../share.js';
import { thrown } from './thrown.js';

const SEED = Number(process.env.CRAYON_FUZZ_SEED ?? 1);
const STRINGS = sample(250);

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

const count = (name: string, text: string) => references[name].encode(text).length;

/** The units before each character of a text, indexed by the bytes before it. */
function characterOffsets(text: string): Map<number, number> {
  const offsets = new Map([[0, 0]]);
  let bytes = 0;
  let units = 0;
  for (const character of text) offsets.set((bytes += utf8Of(character).length), (units += character.length));
  return offsets;
}

/** The tokens of npm tiktoken. */
const tokensOf = (name: string): NaiveTokens => ({
  spans(text) {
    const characters = characterOffsets(text);
    const unitAt = (byte: number) => characters.get(byte) ?? -1;
    let at = 0;
    return Array.from(references[name].encode(text), (id) => [unitAt(at), unitAt((at += vocabularies[name][id].length))]);
  },
  count: (text) => count(name, text),
});

/** Whether `at` splits a surrogate pair. */
const isInside = (text: string, at: number) => /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(Math.max(at - 1, 0), at + 1));

const cases = (name: string) => {
  const tokens = textsOf(vocabularies[name]);
  return Array.from({ length: STRINGS }, (_, index) => {
    const random = new Random(SEED, index, 3);
    const text = nastyString(SEED, index, tokens);
    const limit = random.chance(0.4) ? random.integer(1, 4) : random.integer(1, 60);
    return { text, limit, overlap: random.chance(0.5) ? 0 : random.integer(0, limit - 1), where: `${escaped(text)}, limit ${limit}` };
  });
};

describe('generated texts', { timeout: 300_000 }, () => {
  it.each(SAMPLED_ENCODINGS)('within a limit or not: %s', (name) => {
    for (const { text, limit, where } of cases(name)) {
      const tokens = count(name, text);
      const expected = tokens <= limit && tokens;
      expect(tokenizers[name].isWithinLimit(text, limit), where).toBe(expected);
      expect(tokenizers[name].isWithinLimit(utf8Of(text), limit), where).toBe(expected);
      expect(tokenizers[name].isWithinLimit(text, tokens), where).toBe(tokens);
      if (tokens > 0) expect(tokenizers[name].isWithinLimit(text, tokens - 1), where).toBe(false);
    }
  });

  it.each(SAMPLED_ENCODINGS)('truncated on the right: %s', (name) => {
    for (const { text, limit, where } of cases(name)) {
      const kept = tokenizers[name].truncate(text, limit);
      expect(text.startsWith(kept), where).toBe(true);
      expect(isInside(text, kept.length), where).toBe(false);
      expect(count(name, kept), where).toBeLessThanOrEqual(limit);
      if (count(name, text) <= limit) expect(kept, where).toBe(text);
      expect(kept, where).toBe(text.slice(0, naiveFirstPart(tokensOf(name), text, limit)));
      // Nothing remains only if the first character alone exceeds the limit.
      if (kept === '' && text !== '')
        expect(count(name, String.fromCodePoint(text.codePointAt(0) as number)), where).toBeGreaterThan(limit);
      expect(Buffer.from(tokenizers[name].truncate(utf8Of(text), limit)), where).toEqual(Buffer.from(utf8Of(kept)));
    }
  });

  it.each(SAMPLED_ENCODINGS)('truncated on the left: %s', (name) => {
    for (const { text, limit, where } of cases(name)) {
      const kept = tokenizers[name].truncate(text, limit, { side: 'left' });
      expect(text.endsWith(kept), where).toBe(true);
      expect(isInside(text, text.length - kept.length), where).toBe(false);
      expect(count(name, kept), where).toBeLessThanOrEqual(limit);
      expect(kept, where).toBe(text.slice(naiveLastPart(tokensOf(name), text, limit)));
      if (count(name, text) <= limit) expect(kept, where).toBe(text);
      expect(Buffer.from(tokenizers[name].truncate(utf8Of(text), limit, { side: 'left' }))).toEqual(Buffer.from(utf8Of(kept)));
    }
  });

  it.each(SAMPLED_ENCODINGS)('in parts: %s', (name) => {
    let overlapped = 0;
    for (const { text, limit: maxTokens, overlap, where } of cases(name)) {
      let parts: string[];
      try {
        parts = tokenizers[name].split(text, { maxTokens, overlap });
      } catch (error) {
        // One character exceeds the limit.
        expect(error, where).toBeInstanceOf(RangeError);
        expect(Math.max(...Array.from(text, (character) => count(name, character))), where).toBeGreaterThan(maxTokens);
        continue;
      }
      if (overlap === 0) expect(parts.join(''), where).toBe(text);
      let start = 0;
      let end = 0;
      for (const part of parts) {
        // It begins at its overlap in the previous part, or after that part if the overlap leaves no room.
        const first = naiveFirstPart(tokensOf(name), text.slice(start), maxTokens);
        const isMore = start + first > end;
        if (!isMore) start = end;
        expect(part, where).toBe(
          isMore
            ? text.slice(start, start + first)
            : text.slice(start, start + naiveFirstPart(tokensOf(name), text.slice(start), maxTokens)),
        );
        expect(start + part.length, where).toBeGreaterThan(end);
        overlapped += end - start;
        end = start + part.length;
        expect(isInside(text, start) || isInside(text, end), where).toBe(false);
        const tokens = count(name, part);
        expect(tokens, where).toBeLessThanOrEqual(maxTokens);
        start = overlap > 0 && end < text.length ? start + naiveOverlap(tokensOf(name), part, tokens, maxTokens, overlap) : end;
        expect(count(name, text.slice(start, end)), where).toBeLessThanOrEqual(overlap);
      }
      expect(end, where).toBe(text.length);
      const inBytes = tokenizers[name].split(utf8Of(text), { maxTokens, overlap });
      expect(
        inBytes.map((part) => Buffer.from(part).toString('hex')),
        where,
      ).toEqual(parts.map((part) => Buffer.from(utf8Of(part)).toString('hex')));
    }
    expect(overlapped).toBeGreaterThan(0);
  });
});

describe('long texts', { timeout: 300_000 }, () => {
  const sentence = 'The naïve café — 東京タワー costs 12345 ¥, doesn’t it? 😀\n';
  const long = sentence.repeat(8_000);

  it.each([
    [512, 0],
    [512, 64],
    [100, 99],
    [3, 1],
    [20_000, 500],
    [1_000_000, 0],
    [1_000_000, 999_999],
  ])('are split in windows as at once: %i tokens, overlap %i', (maxTokens, overlap) => {
    const text = long.slice(0, maxTokens < 10 ? 300_000 : overlap === 99 ? 270_000 : undefined);
    const { o200k_base: tokenizer } = tokenizers;
    const parts = tokenizer.split(text, { maxTokens, overlap });
    const atOnce = tokenizer.split(utf8Of(text), { maxTokens, overlap });
    expect(parts.length).toBe(atOnce.length);
    const decoder = new TextDecoder();
    const different = parts.findIndex((part, i) => part !== decoder.decode(atOnce[i]));
    expect(different).toBe(-1);
    if (overlap === 0) expect(parts.join('') === text).toBe(true);
    for (let i = 0; i < parts.length; i += Math.ceil(parts.length / 50))
      expect(count('o200k_base', parts[i])).toBeLessThanOrEqual(maxTokens);
  });

  // Units that form a single piece, and units whose pieces change when the text is cut.
  const units = [
    'a',
    'aA',
    '中A',
    'A中b',
    ' ',
    '\n',
    ' \n',
    '\n ',
    '1',
    '12 ',
    '=',
    '/\n',
    "'s",
    "a'll",
    'é',
    '語',
    '😀',
    '👩‍👩‍👧‍👦',
    'a\u0301',
    '\u3000',
    '\ud800',
    '<|endoftext|>',
  ];
  it.each(units)('repeat %j', (unit) => {
    const text = `${unit.repeat(30_000 / unit.length)}b`;
    for (const name of SHARE < 1 ? ['cl100k_base'] : ['cl100k_base', 'o200k_base', 'r50k_base']) {
      for (const maxTokens of [12, 100]) {
        const parts = tokenizers[name].split(text, { maxTokens });
        expect(parts.join('') === text, name).toBe(true);
        for (const part of new Set(parts)) expect(count(name, part), `${name}: ${escaped(part)}`).toBeLessThanOrEqual(maxTokens);
        // Not shorter than necessary: any two neighbours together exceed the limit.
        for (let i = 0; i + 1 < parts.length; i += 31) expect(count(name, parts[i] + parts[i + 1])).toBeGreaterThan(maxTokens / 2);
      }
      const start = tokenizers[name].truncate(text, 50);
      const end = tokenizers[name].truncate(text, 50, { side: 'left' });
      expect(text.startsWith(start) && text.endsWith(end), name).toBe(true);
      for (const kept of [start, end]) {
        expect(kept.length, name).toBeGreaterThan(0);
        expect(count(name, kept), name).toBeLessThanOrEqual(50);
      }
    }
  });

  it('are read only up to the limit when counted or cut', () => {
    const { cl100k_base: tokenizer } = tokenizers;
    const tokens = count('cl100k_base', sentence);
    for (const rows of [1, 10, 300, 5000]) {
      const limit = rows * tokens;
      expect(tokenizer.truncate(long, limit)).toBe(sentence.repeat(rows));
      expect(tokenizer.truncate(long, limit, { side: 'left' })).toBe(sentence.repeat(rows));
      expect(tokenizer.isWithinLimit(sentence.repeat(rows), limit)).toBe(limit);
      expect(tokenizer.isWithinLimit(`${sentence.repeat(rows)} a`, limit)).toBe(false);
      expect(tokenizer.isWithinLimit(utf8Of(long), limit)).toBe(false);
    }
    expect(tokenizer.isWithinLimit(long, Number.MAX_SAFE_INTEGER)).toBe(8_000 * tokens);
    expect(tokenizer.truncate(long, Number.MAX_SAFE_INTEGER) === long).toBe(true);
    expect(tokenizer.truncate(long, Number.MAX_SAFE_INTEGER, { side: 'left' }) === long).toBe(true);
    expect(tokenizer.split(long, { maxTokens: Number.MAX_SAFE_INTEGER, overlap: 5 })).toEqual([long]);
  });
});

describe('a text', () => {
  const utf8 = (text: string) => new TextEncoder().encode(text);
  let tokenizer: Tokenizer;
  beforeAll(() => {
    tokenizer = tokenizers.o200k_base;
  });

  it('that is empty', () => {
    expect(tokenizer.isWithinLimit('', 0)).toBe(0);
    expect(tokenizer.truncate('', 0)).toBe('');
    expect(tokenizer.truncate('', 5, { side: 'left' })).toBe('');
    expect(tokenizer.truncate(new Uint8Array(0), 5)).toEqual(new Uint8Array(0));
    expect(tokenizer.split('', { maxTokens: 1 })).toEqual([]);
    expect(tokenizer.split(new Uint8Array(0), { maxTokens: 1 })).toEqual([]);
  });

  it('with a limit of zero', () => {
    expect(tokenizer.isWithinLimit('a', 0)).toBe(false);
    expect(tokenizer.truncate('hello', 0)).toBe('');
    expect(tokenizer.truncate('hello', 0, { side: 'left' })).toBe('');
    expect(tokenizer.truncate(utf8('hello'), 0, { side: 'left' }).length).toBe(0);
    // Three tokens.
    expect(tokenizer.truncate('\ua001b', 2)).toBe('');
    expect(tokenizer.truncate('b\ua001', 2, { side: 'left' })).toBe('');
  });

  it('keeps characters whole', () => {
    const family = '👩‍👩‍👧‍👦';
    const tokens = count('o200k_base', family);
    for (let limit = 1; limit < tokens; limit++) {
      for (const side of ['left', 'right'] as const) {
        const kept = tokenizer.truncate(family, limit, { side });
        expect(kept).toBe(kept.toWellFormed());
        expect(side === 'right' ? family.startsWith(kept) : family.endsWith(kept)).toBe(true);
      }
    }
    expect(tokenizer.split('a\ud800b', { maxTokens: 1 })).toEqual(['a', '\ud800', 'b']);
    expect(tokenizer.truncate('\ud83d\ud83d\ude00', 1)).toBe('\ud83d');
  });

  it('keeps its byte order mark and its line ends', () => {
    expect(tokenizer.truncate('\ufeffhello world', 2)).toBe('\ufeffhello');
    expect(tokenizer.split('\ufeffone\r\ntwo\r\n', { maxTokens: 2 }).join('')).toBe('\ufeffone\r\ntwo\r\n');
  });

  it('of invalid UTF-8 is cut between the characters it decodes to', () => {
    const bytes = Uint8Array.of(0x61, 0xff, 0xe2, 0x82, 0xe2, 0x82, 0xac, 0xf0, 0x9f, 0x98, 0x62);
    const whole = new TextDecoder().decode(bytes);
    for (let maxTokens = 3; maxTokens < 8; maxTokens++) {
      const parts = tokenizer.split(bytes, { maxTokens });
      expect(Buffer.concat(parts)).toEqual(Buffer.from(bytes));
      expect(parts.map((part) => new TextDecoder().decode(part)).join('')).toBe(whole);
      for (const part of parts) expect(tokenizer.encode(part).length).toBeLessThanOrEqual(maxTokens);
      for (const side of ['left', 'right'] as const) {
        const kept = tokenizer.truncate(bytes, maxTokens, { side });
        const text = new TextDecoder().decode(kept);
        expect(side === 'right' ? whole.startsWith(text) : whole.endsWith(text)).toBe(true);
      }
    }
  });

  it('of bytes returns views', () => {
    const bytes = utf8('hello world, how are you?');
    expect(tokenizer.truncate(bytes, 2).buffer).toBe(bytes.buffer);
    expect(tokenizer.truncate(bytes, 100)).toBe(bytes);
    const parts = tokenizer.split(bytes.subarray(6), { maxTokens: 2 });
    expect(parts.every((part) => part.buffer === bytes.buffer)).toBe(true);
    expect(parts[0].byteOffset).toBe(6);
    const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
    shared.set(bytes);
    expect(tokenizer.split(shared, { maxTokens: 2 }).map((part) => Buffer.from(part).toString())).toEqual(
      tokenizer.split('hello world, how are you?', { maxTokens: 2 }),
    );
    expect(Buffer.from(tokenizer.truncate(shared, 2, { side: 'left' })).toString()).toBe(' you?');
  });
});

describe('special tokens', () => {
  let tokenizer: Tokenizer;
  let reference: Reference;
  beforeAll(() => {
    tokenizer = tokenizers.o200k_base;
    reference = references.o200k_base;
  });
  const text = 'one two<|endoftext|>three<|endofprompt|> four '.repeat(40);

  it('that are allowed are never cut', () => {
    for (let maxTokens = 1; maxTokens < 20; maxTokens++) {
      const parts = tokenizer.split(text, { maxTokens, special: 'allow' });
      expect(parts.join('')).toBe(text);
      for (const part of parts) {
        expect(reference.encodeAllowingSpecial(part).length).toBeLessThanOrEqual(maxTokens);
        expect(part.replaceAll(/<\|endof(text|prompt)\|>/g, '')).not.toMatch(/[<|>]/);
      }
      for (const side of ['left', 'right'] as const) {
        const kept = tokenizer.truncate(text, maxTokens, { side, special: 'allow' });
        expect(reference.encodeAllowingSpecial(kept).length).toBe(maxTokens);
        expect(kept.replaceAll(/<\|endof(text|prompt)\|>/g, '')).not.toMatch(/[<|>]/);
      }
      expect(tokenizer.isWithinLimit(text, maxTokens, { special: 'allow' })).toBe(false);
    }
    expect(tokenizer.isWithinLimit(text, 1000, { special: 'allow' })).toBe(reference.encodeAllowingSpecial(text).length);
    const listed = tokenizer.split('a<|endoftext|>', { maxTokens: 2, special: ['<|endofprompt|>'] });
    expect(listed.length).toBeGreaterThan(1);
    expect(tokenizer.split('a<|endoftext|>', { maxTokens: 2, special: ['<|endoftext|>'] })).toEqual(['a<|endoftext|>']);
  });

  it('that are text are cut as text', () => {
    for (const maxTokens of [1, 3, 5]) {
      const parts = tokenizer.split(text, { maxTokens });
      expect(parts.join('')).toBe(text);
      for (const part of parts) expect(reference.encode(part).length).toBeLessThanOrEqual(maxTokens);
    }
  });

  describe('that are forbidden', () => {
    const forbid = { special: 'forbid' } as const;
    const before = 'é word '.repeat(70_000);
    const long = `${before}<|endoftext|> and more`;

    it('are an error where they would be counted or kept', () => {
      const position = before.length;
      expect(thrown(() => tokenizer.split(long, { maxTokens: 100, ...forbid }))).toMatchObject({ code: 'SPECIAL_FORBIDDEN', position });
      expect(thrown(() => tokenizer.split(long, { maxTokens: 100, overlap: 9, ...forbid }))).toMatchObject({ position });
      expect(thrown(() => tokenizer.truncate(long, 1e6, forbid))).toMatchObject({ code: 'SPECIAL_FORBIDDEN', position });
      expect(thrown(() => tokenizer.truncate(long, 100, { side: 'left', ...forbid }))).toMatchObject({ position });
      expect(thrown(() => tokenizer.isWithinLimit(long, 1e6, forbid))).toMatchObject({ position });
      const bytes = new TextEncoder().encode(long);
      const byte = bytes.length - '<|endoftext|> and more'.length;
      expect(thrown(() => tokenizer.split(bytes, { maxTokens: 100, ...forbid }))).toMatchObject({ position: byte });
      expect(thrown(() => tokenizer.truncate(bytes, 100, { side: 'left', ...forbid }))).toMatchObject({ position: byte });
      expect(thrown(() => tokenizer.truncate(bytes, 100, { side: 'left', ...forbid })).message).toContain('"<|endoftext|>"');
    });

    it('are ignored in text that is neither counted nor kept', () => {
      expect(tokenizer.isWithinLimit(long, 100, forbid)).toBe(false);
      // Not even the end of one piece is awaited.
      for (const text of ['語', ' ', '😀'].map((unit) => `${unit.repeat(300_000)}<|endoftext|>`)) {
        expect(tokenizer.isWithinLimit(text, 20, forbid)).toBe(false);
        expect(tokenizer.isWithinLimit(new TextEncoder().encode(text), 20, forbid)).toBe(false);
      }
      expect(tokenizer.isWithinLimit('one two three<|endoftext|>', 2, forbid)).toBe(false);
      expect(tokenizer.isWithinLimit(new TextEncoder().encode('one two three<|endoftext|>'), 2, forbid)).toBe(false);
      expect(tokenizer.truncate(long, 100, forbid)).toBe(tokenizer.truncate(long, 100));
      expect(tokenizer.truncate('one two three<|endoftext|>', 2, forbid)).toBe('one two');
      expect(tokenizer.truncate('one two three<|endoftext|>', 3, forbid)).toBe('one two three');
      expect(tokenizer.truncate('<|endoftext|>one two', 2, { side: 'left', ...forbid })).toBe('one two');
      expect(thrown(() => tokenizer.truncate('<|endoftext|>one two', 3, { side: 'left', ...forbid }))).toMatchObject({ position: 0 });
    });
  });
});

describe('an argument out of range', () => {
  const cases: [string, (tokenizer: Tokenizer) => unknown, string][] = [
    ['a negative limit', (t) => t.isWithinLimit('a', -1), 'expected an integer of 0 or more for limit but received -1'],
    ['half a token', (t) => t.truncate('a', 0.5), 'expected an integer of 0 or more for limit but received 0.5'],
    ['no number', (t) => t.truncate('a', Number.NaN), 'expected an integer of 0 or more for limit but received NaN'],
    ['no limit', (t) => t.isWithinLimit('a', Infinity), 'expected an integer of 0 or more for limit but received Infinity'],
    ['no tokens', (t) => t.split('a', { maxTokens: 0 }), 'expected an integer of 1 or more for maxTokens but received 0'],
    [
      'a negative overlap',
      (t) => t.split('a', { maxTokens: 3, overlap: -1 }),
      'expected an integer of 0 or more for overlap but received -1',
    ],
    ['all overlap', (t) => t.split('a', { maxTokens: 3, overlap: 3 }), '`overlap` must be less than `maxTokens` (3); received 3'],
    [
      'a character of too many tokens',
      (t) => t.split('ab \ua001', { maxTokens: 2 }),
      '`maxTokens` must be at least 3, for the character at position 3 of the text; received 2',
    ],
    [
      'one far behind',
      (t) => t.split(`${'é'.repeat(300_000)}\ua001`, { maxTokens: 2, overlap: 1 }),
      '`maxTokens` must be at least 3, for the character at position 300000 of the text; received 2',
    ],
    [
      'one in bytes',
      (t) => t.split(new TextEncoder().encode('é\ua001'), { maxTokens: 2 }),
      '`maxTokens` must be at least 3, for the character at position 2 of the text; received 2',
    ],
  ];
  it.each(cases)('%s', (_, action, message) => {
    const error = thrown(() => action(tokenizers.o200k_base), RangeError);
    expect(error.message).toBe(message);
    expect((error.stack as string).split('\n').find((line) => /^\s+at /.test(line))).toContain('fitting.test.ts');
  });
});
