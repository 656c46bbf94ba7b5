// Every Unicode scalar value, alone and among others, and every token of every vocabulary has the reference's ids.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Tokenizer } from 'crayon-tokenizer';

import { contenderOf } from '../fuzz/contenders.mjs';
import { differenceOn, escaped, firstDifference, report } from '../fuzz/differential.mjs';
import { BLOCKS, CONTEXTS, blockDigest, charactersOf } from '../golden/code-points.mjs';
import { readGolden } from '../golden/goldens.mjs';
import { DISTINCT_ENCODINGS, ENCODINGS, loadTiktoken } from '../golden/tiktoken.mjs';
import { SHARE } from '../share.js';

/**
 * A sample takes the blocks up to U+1FFFF, which contain the scripts and emoji, and every n-th of the others and of the
 * tokens.
 */
const EVERY = Math.round(1 / SHARE);
const isSampled = (block: number) => block < 0x20000 || (block / 0x4000) % EVERY === 0;

const tokenizers: Record<string, Tokenizer> = {};

beforeAll(async () => {
  for (const name of ENCODINGS) tokenizers[name] = await Tokenizer.load(name);
});

afterAll(() => Object.values(tokenizers).forEach((tokenizer) => tokenizer.close()));

describe('every code point', { timeout: 300_000 }, () => {
  const golden = readGolden('code-points') as Record<string, Record<string, string>>;

  it('is in one of the blocks', () => {
    const characters = BLOCKS.flatMap((block) => charactersOf(block));
    expect(characters.length).toBe(1_112_064);
    expect(new Set(characters).size).toBe(1_112_064);
  });

  describe.each(DISTINCT_ENCODINGS)('%s', (name) => {
    it.each(Object.keys(CONTEXTS))('%s', async (context) => {
      const tokenizer = tokenizers[name];
      const expected = golden[name][context].split(' ');
      expect(expected.length).toBe(BLOCKS.length);
      // In a sample, the two encodings with the same pattern share the blocks.
      const turn = ['r50k_base', 'p50k_base'].indexOf(name);
      const isMine = (index: number) => SHARE === 1 || turn < 0 || (index + Object.keys(CONTEXTS).indexOf(context)) % 2 === turn;
      const wrong = BLOCKS.filter(
        (block, i) =>
          isSampled(block) && isMine(i) && blockDigest((text: string) => tokenizer.encode(text), context, block) !== expected[i],
      );
      if (wrong.length === 0) return;
      // Only now the slow reference, to locate the code points.
      const reference = await loadTiktoken(name);
      const texts = wrong.flatMap((block) => charactersOf(block)).map((character) => CONTEXTS[context](character));
      const different = texts.filter((text) => firstDifference(tokenizer.encode(text), reference.encode(text)) >= 0);
      expect.fail(`${different.length} strings differ: ${different.slice(0, 20).map(escaped).join(', ')}`);
    });
  });

  it.each(ENCODINGS)('decodes from its ids, as a string and as bytes: %s', (name) => {
    const tokenizer = tokenizers[name];
    for (const block of BLOCKS.filter((each) => DISTINCT_ENCODINGS.includes(name) || isSampled(each))) {
      const text = charactersOf(block).join('');
      if (text === '') continue;
      const ids = tokenizer.encode(text);
      expect(tokenizer.decode(ids) === text, `block ${block.toString(16)}`).toBe(true);
      expect(firstDifference(tokenizer.encode(new TextEncoder().encode(text)), ids), `block ${block.toString(16)}`).toBe(-1);
    }
  });
});

describe('every token', { timeout: 300_000 }, () => {
  it.each(ENCODINGS)('has the bytes and the ids of the reference: %s', async (name) => {
    const tokenizer = tokenizers[name];
    const contender = contenderOf(tokenizer);
    const reference = await loadTiktoken(name);
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    let compared = 0;
    reference.vocabulary().forEach((bytes, id) => {
      if (bytes === undefined) return;
      // In a sample, encodings that share their tokens with another take every n-th.
      if (!DISTINCT_ENCODINGS.includes(name) && id % EVERY !== 0) return;
      const actual = tokenizer.tokenBytes(id);
      if (Buffer.compare(actual, bytes) !== 0) {
        expect.fail(`token ${id} is ${Buffer.from(actual).toString('hex')}, expected ${Buffer.from(bytes).toString('hex')}`);
      }
      if (tokenizer.idOf(bytes) !== id) expect.fail(`idOf(${Buffer.from(bytes).toString('hex')}) is not ${id}`);
      if (id % EVERY !== 0) return;
      if (!DISTINCT_ENCODINGS.includes(name)) return; // the ids of these tokens belong to the other view
      let text: string;
      try {
        text = decoder.decode(bytes);
      } catch {
        return; // part of a character: no string contains it
      }
      compared++;
      for (const each of [text, ` ${text}`, `${text}${text}`, `a${text}a`]) {
        if (differenceOn(each, contender, reference) === null) continue;
        expect.fail(report({ encoding: name, text: each, contender, reference, origin: `token ${id}` }));
      }
    });
    if (DISTINCT_ENCODINGS.includes(name)) expect(compared).toBeGreaterThan(49_000 / EVERY);
  });
});
