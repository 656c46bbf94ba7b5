// BPE without a pretokenizer, trained and compiled: every call gives the ids of npm `tokenizers` with the same tokens and
// merges, on the fixtures, each merged as one piece.

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Tokenizer as HuggingFace } from 'tokenizers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileCartridge, Tokenizer, trainBpe, type TrainedVocabulary } from 'crayon-tokenizer';

import { nastyString } from '../fuzz/strings.mjs';
import { sample } from '../share.js';
import { isBetweenClusters } from './naive-limits.js';

const fixtures = new URL('../fixtures/', import.meta.url);
const textsIn = (folder: string) =>
  readdirSync(new URL(`${folder}/`, fixtures)).map((name) => readFileSync(new URL(`${folder}/${name}`, fixtures), 'utf8'));

const prose = textsIn('prose');
/** Among the edge cases, only valid text. */
const texts = [...prose, ...textsIn('code'), ...textsIn('data'), ...textsIn('edge').filter((text) => !text.includes('\ufffd'))];

let trained: TrainedVocabulary;
let reference: { encode(text: string): Promise<{ getIds(): number[] }> };
let tokenizer: Tokenizer;
beforeAll(async () => {
  trained = await trainBpe(prose, { vocabularySize: 1500, pretokenizer: null, specialTokens: ['<|end|>'] });
  reference = HuggingFace.fromString(JSON.stringify(trained.toTokenizerJson()));
  tokenizer = await Tokenizer.load(await trained.toCartridge());
});
afterAll(() => tokenizer.close());

const policy = { special: 'allow' } as const;
const idsThere = async (text: string) => (await reference.encode(text)).getIds();

describe('BPE without a pretokenizer', () => {
  it('has tokens that cross words', () => {
    const decoder = new TextDecoder();
    expect(trained.tokens.filter((token) => /[^\s] [^\s]/.test(decoder.decode(token))).length).toBeGreaterThan(20);
  });

  it('encodes as the reference, slim and full', async () => {
    using slim = await Tokenizer.load(await trained.toCartridge({ slim: true }));
    for (const text of [...texts, `${texts[0]}<|end|>${texts[1]}<|end|><|end|>`]) {
      const expected = await idsThere(text);
      expect([...tokenizer.encode(text, policy)]).toEqual(expected);
      expect([...slim.encode(Buffer.from(text), policy)]).toEqual(expected);
      expect([...(await tokenizer.encodeAsync(text, policy))]).toEqual(expected);
      expect(tokenizer.count(text, policy)).toBe(expected.length);
      expect(tokenizer.isWithinLimit(text, expected.length, policy)).toBe(expected.length);
      if (expected.length > 0) expect(tokenizer.isWithinLimit(text, expected.length - 1, policy)).toBe(false);
    }
  });

  it('equals what compileCartridge makes of ranks with the pretokenizer null', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'crayon-test-'));
    try {
      const path = join(folder, 'own.tiktoken');
      writeFileSync(path, trained.toTiktoken());
      const options = { specialTokens: { '<|end|>': tokenizer.specialTokens.get('<|end|>')! } };
      const cartridge = await compileCartridge(path, { ...options, pretokenizer: null });
      expect(Buffer.compare(cartridge, await compileCartridge(path, { ...options, pretokenizer: 'none' }))).toBe(0);
      using compiled = await Tokenizer.load(cartridge);
      for (const text of [...texts, `${texts[0]}<|end|>${texts[1]}`])
        expect([...compiled.encode(text, policy)]).toEqual(await idsThere(text));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('encodes texts that are difficult for pretokenizers as the reference', async () => {
    for (let index = sample(400, 40); index > 0; index--) {
      const text = nastyString(20261122, index).toWellFormed();
      expect([...tokenizer.encode(text, policy)], JSON.stringify(text)).toEqual(await idsThere(text));
    }
  });

  // Several slices long: on threads, on the calling thread, and in windows.
  it('encodes long texts as the reference', async () => {
    const long = texts.join('\n').repeat(3);
    const letters = long.replace(/[^\p{L}]/gu, '');
    for (const text of [long, letters, 'a'.repeat(200_000), 'ab'.repeat(100_000)]) {
      const expected = await idsThere(text);
      expect([...tokenizer.encode(text, policy)]).toEqual(expected);
      expect([...(await tokenizer.encodeAsync(text, policy))]).toEqual(expected);
      expect([...(await tokenizer.encodeBatchAsync([text, 'a'], policy)).ids].slice(0, -1)).toEqual(expected);
      const { ids, offsets } = tokenizer.encodeWithOffsets(text, policy);
      expect([...ids]).toEqual(expected);
      expect(offsets.at(-1)).toBe(text.length);
      const streamed: number[] = [];
      const stream = tokenizer.encodeStream(policy);
      const writer = stream.writable.getWriter();
      const written = (async () => {
        for (let at = 0; at < text.length; at += 10_007) await writer.write(text.slice(at, at + 10_007));
        await writer.close();
      })();
      for await (const some of stream.readable as unknown as AsyncIterable<Uint32Array>) streamed.push(...some);
      await written;
      expect(streamed).toEqual(expected);
    }
  });

  /** Whether the tokens end at a character of the text, and at a cluster. */
  const endCluster = (ids: number[], text: string) => {
    const bytes = Buffer.concat(ids.map((id) => trained.tokens[id]!));
    return Buffer.compare(Buffer.from(bytes.toString()), bytes) === 0 && isBetweenClusters(text, bytes.toString().length);
  };

  // The first tokens of a text encode its beginning.
  it('cuts texts at the tokens of the reference', async () => {
    for (const text of texts.filter((text) => text.length > 100)) {
      const expected = await idsThere(text);
      for (const limit of [1, 2, 17, 64, expected.length - 1]) {
        const part = tokenizer.truncate(text, limit, policy) as string;
        expect(text.startsWith(part)).toBe(true);
        // The most of these tokens that end where a cluster does; if there are none, a beginning that fits.
        let count = limit;
        while (count > 0 && !endCluster(expected.slice(0, count), text)) count--;
        const ids = await idsThere(part);
        if (count > 0) expect(ids).toEqual(expected.slice(0, count));
        else expect(ids.length).toBeLessThanOrEqual(limit);
      }
      const parts = tokenizer.split(text, { maxTokens: 50, ...policy }) as string[];
      expect(parts.join('')).toBe(text);
      for (const part of parts) expect((await idsThere(part)).length).toBeLessThanOrEqual(50);
    }
  });
});
