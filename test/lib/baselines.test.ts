// The strategies that bench/lopt compares with: exact where they must be, and shown to fail where they are not exact. The
// expected ids are tiktoken's.

import { Tokenizer } from 'crayon-tokenizer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { overlappingChunks } from '../../bench/baselines/chunks.mjs';
import { encodeByCommonIds } from '../../bench/baselines/common-ids.mjs';
import { counterexamples } from '../../bench/baselines/counterexamples.mjs';
import { DELIMITERS, encodeByDelimiters } from '../../bench/baselines/delimiters.mjs';
import { encodeByOverlap } from '../../bench/baselines/overlap.mjs';
import { loadTiktoken } from '../golden/tiktoken.mjs';

const CHUNK = 2048;
const OVERLAP = 512;
/** 128 spaces, in cl100k_base. */
const LONGEST_TOKEN = 128;

/** Words that do not repeat within an overlap. */
const WORDS = Array.from({ length: 3000 }, (_, index) => `word${(index * 7919) % 3001} of`).join('\n');

let tokenizer: Tokenizer;
let tiktoken: Awaited<ReturnType<typeof loadTiktoken>>;

beforeAll(async () => {
  tokenizer = await Tokenizer.load('cl100k_base');
  tiktoken = await loadTiktoken('cl100k_base');
});
afterAll(() => {
  tokenizer.close();
  tiktoken.free();
});

const expected = (text: string) => [...tiktoken.encode(text)];
const bytesOf = (text: string) => new TextEncoder().encode(text);
const byDelimiters = (text: string, after: RegExp) => encodeByDelimiters(tokenizer, text, { after, chunk: CHUNK });
const byCommonIds = (text: string) => encodeByCommonIds(tokenizer, bytesOf(text), { chunk: CHUNK, overlap: OVERLAP });
const byOverlap = (text: string, options = {}) =>
  encodeByOverlap(tokenizer, bytesOf(text), { chunk: CHUNK, overlap: OVERLAP, longestToken: LONGEST_TOKEN, ...options });

const counterexample = (wanted: string) => counterexamples({ chunk: CHUNK, overlap: OVERLAP }).find(({ name }) => name === wanted)!.text;

describe('chunks', () => {
  it('overlap, cover the text and begin at character boundaries', () => {
    const bytes = bytesOf('aé語😀'.repeat(100));
    const chunks = overlappingChunks(bytes, 100, 20);
    expect(chunks[0]!.begin).toBe(0);
    expect(chunks.at(-1)!.end).toBe(bytes.length);
    for (const [index, { begin, end }] of chunks.entries()) {
      const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(begin, end)); // throws inside a character
      expect(text).not.toBe('');
      if (index > 0) expect(chunks[index - 1]!.end - begin).toBeGreaterThanOrEqual(17);
    }
  });

  it('are one chunk if the text is short', () => {
    expect(overlappingChunks(bytesOf('short'), 100, 20)).toEqual([{ begin: 0, end: 5 }]);
  });
});

describe('cutting after delimiters', () => {
  it('is exact after newlines before words', () => {
    const { ids, isWhole } = byDelimiters(WORDS, DELIMITERS.newlines);
    expect(isWhole).toBe(false);
    expect([...ids]).toEqual(expected(WORDS));
  });

  it('is not exact after spaces: they belong to the following words', () => {
    const text = WORDS.replaceAll('\n', ' ');
    const { ids } = byDelimiters(text, DELIMITERS.spaces);
    expect([...ids]).not.toEqual(expected(text));
    expect(tokenizer.decode(ids)).toBe(text);
  });

  it('leaves a text without delimiters whole', () => {
    const { ids, isWhole } = byDelimiters(WORDS, DELIMITERS.punctuation);
    expect(isWhole).toBe(true);
    expect([...ids]).toEqual(expected(WORDS));
  });
});

describe('joining at common ids', () => {
  it('is exact where nothing repeats', () => {
    const { ids, isWhole } = byCommonIds(WORDS);
    expect(isWhole).toBe(false);
    expect([...ids]).toEqual(expected(WORDS));
  });

  it.each(['digits of another script', 'one word again and again'])('is not exact: %s', (name) => {
    const text = counterexample(name);
    expect([...byCommonIds(text).ids]).not.toEqual(expected(text));
  });
});

describe('joining at equal positions, like LoPT', () => {
  it('is exact on words at the first attempt', () => {
    const { ids, attempts, isWhole } = byOverlap(WORDS);
    expect([attempts, isWhole]).toEqual([1, false]);
    expect([...ids]).toEqual(expected(WORDS));
  });

  it('retries with longer chunks where the overlap matches too little, and finally gives up', () => {
    const { ids, attempts, isWhole } = byOverlap(WORDS, { overlap: 100, chunk: 200 });
    expect([attempts, isWhole]).toEqual([7, true]); // five retries, then the whole text
    expect([...ids]).toEqual(expected(WORDS));
  });

  it('succeeds where longer chunks help', () => {
    const text = counterexample('digits');
    const { ids, attempts } = byOverlap(text);
    expect(attempts).toBeGreaterThan(1);
    expect([...ids]).toEqual(expected(text));
  });

  it('is not exact on digits that are the same tokens in every phase: "ab " + U+0966 repeated + digits', () => {
    // The second chunk begins after 199 of the digits, in another phase of the groups of three.
    const text = `ab ${'०'.repeat(356)}${'1234567890'.repeat(30)}`;
    const { ids, isWhole } = byOverlap(text, { chunk: 1000, overlap: 400 });
    expect(isWhole).toBe(false);
    expect([...ids]).not.toEqual(expected(text));
    expect(tokenizer.decode(ids)).toBe(text);
    const long = counterexample('digits of another script');
    expect([...byOverlap(long).ids]).not.toEqual(expected(long));
  });

  it('does not describe the parallel encoding of this package', async () => {
    for (const { text } of counterexamples({ chunk: CHUNK, overlap: OVERLAP, overlaps: 36 })) {
      expect([...(await tokenizer.encodeAsync(text, { threads: 2 }))]).toEqual(expected(text));
    }
  });
});
