// BPE over characters with a normalizer that writes spaces as U+2581: the engine leaves spaces as they are unless offsets
// are requested. Random vocabularies compared with Hugging Face's, however texts are cut and read.
import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { compileCartridge, Tokenizer } from 'crayon-tokenizer';

import { Random } from '../fuzz/random.mjs';
import { sample } from '../share.js';
import { modelProto, PIECE } from './model-proto.js';

const { Tokenizer: HuggingFace } = createRequire(import.meta.url)('tokenizers') as typeof import('tokenizers');

const MARK = '\u2581';
const prepend = { type: 'Prepend', prepend: MARK };
const replace = { type: 'Replace', pattern: { String: ' ' }, content: MARK };
const metaspace = (scheme: string) => ({ type: 'Metaspace', replacement: MARK, prepend_scheme: scheme, split: false });

const PIPELINES: Record<string, { normalizer: object | null; pre_tokenizer: object | null }> = {
  'Prepend and Replace': { normalizer: { type: 'Sequence', normalizers: [prepend, replace] }, pre_tokenizer: null },
  Replace: { normalizer: replace, pre_tokenizer: null },
  'Metaspace, first': { normalizer: null, pre_tokenizer: metaspace('first') },
  'Metaspace, always': { normalizer: null, pre_tokenizer: metaspace('always') },
  // Something else changes, too.
  'Lowercase and Replace': { normalizer: { type: 'Sequence', normalizers: [{ type: 'Lowercase' }, replace] }, pre_tokenizer: null },
};

const ALPHABETS = [`ab.${MARK}`, `abc${MARK}中é`, `${MARK}一二三。`, `аб,${MARK}\n`, `a${MARK}😀ก`];
const PARTS = [
  ' ',
  '  ',
  '    ',
  MARK,
  ` ${MARK}`,
  `${MARK} `,
  'a',
  'b',
  'ab',
  'A',
  '.',
  ',',
  '中',
  '一二',
  '三。',
  'é',
  'аб',
  'ß',
  '😀',
  'ก',
  '\n',
  '\u3000',
  '\u0301',
  'zz',
  '\u2582',
  '\u2580',
];
const ADDED = ['<s>', '</s>', '<|x|>'];

/** @returns a tokenizer.json with random merges, many of which have a mark. */
function fileOf(random: Random, pipeline: string, isLate: boolean): string {
  const alphabet = [...new Set([...random.pick(ALPHABETS), ...random.pick(ALPHABETS)])];
  const bytes = Array.from({ length: 256 }, (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`);
  const tokens = ['<unk>', ...ADDED, ...bytes, ...alphabet];
  const merges: string[][] = [];
  const pool = [...alphabet, MARK];
  for (let left = 5 + random.integer(0, 59); left > 0; left--) {
    const pair = [random.pick(pool), random.pick(pool)];
    const made = pair.join('');
    if (made.length > 12 || tokens.includes(made)) continue;
    merges.push(pair);
    tokens.push(made);
    pool.push(made);
  }
  const added = ADDED.map((content, index) => ({
    id: index + 1,
    content,
    single_word: false,
    lstrip: false,
    rstrip: index === 2,
    normalized: isLate,
    special: index < 2,
  }));
  const model = {
    type: 'BPE',
    dropout: null,
    unk_token: '<unk>',
    continuing_subword_prefix: null,
    end_of_word_suffix: null,
    fuse_unk: true,
    byte_fallback: true,
    ignore_merges: false,
    vocab: Object.fromEntries(tokens.map((token, id) => [token, id])),
    merges,
  };
  return JSON.stringify({
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: added,
    ...PIPELINES[pipeline],
    post_processor: null,
    decoder: null,
    model,
  });
}

function textOf(random: Random, parts: number): string {
  return Array.from({ length: parts }, () => (random.integer(0, 24) === 0 ? random.pick(ADDED) : random.pick(PARTS))).join('');
}

async function open(json: string, slim: boolean, backend: 'native' | 'wasm'): Promise<Tokenizer> {
  return Tokenizer.load(await compileCartridge(Buffer.from(json), { slim }), { backend });
}

const allow = { special: 'allow' } as const;
const isRefused = (error: unknown) => (error as { code?: string }).code === 'BUILD_FAILED';

async function idsThere(
  reference: { encode(text: string, pair: null, options: object): Promise<{ getIds(): number[]; getOffsets(): number[][] }> },
  text: string,
) {
  const encoding = await reference.encode(text, null, { addSpecialTokens: false });
  return { ids: encoding.getIds(), offsets: encoding.getOffsets() };
}

/** Offsets in UTF-16 units from those in characters. */
function inUnits(offsets: number[][], text: string): number[][] {
  const units = [0];
  for (const character of text) units.push((units.at(-1) as number) + character.length);
  return offsets.map((pair) => pair.map((offset) => units[offset] as number));
}

function streamed(tokenizer: Tokenizer, text: string, size: number): number[] {
  const encoder = tokenizer.streamEncoder(allow);
  const read: number[] = [];
  for (let at = 0; at < text.length; at += size) for (const id of encoder.push(text.slice(at, at + size))) read.push(id);
  for (const id of encoder.end()) read.push(id);
  return read;
}

describe.each(Object.keys(PIPELINES))('spaces that stand for marks: %s', { timeout: 600_000 }, (pipeline) => {
  it('gives the ids and offsets of Hugging Face tokenizers', async () => {
    let compared = 0;
    for (let seed = 1; seed <= sample(1000, 24); seed++) {
      const random = new Random(seed);
      const json = fileOf(random, pipeline, seed % 4 === 0);
      const reference = HuggingFace.fromString(json);
      let tokenizers: Tokenizer[];
      try {
        tokenizers = [await open(json, false, 'native'), await open(json, true, 'native'), await open(json, false, 'wasm')];
      } catch (error) {
        if (isRefused(error)) continue;
        throw error;
      }
      for (let round = 0; round < 16; round++) {
        const text = textOf(random, random.integer(0, round === 0 ? 399 : 23));
        const { ids, offsets } = await idsThere(reference as never, text);
        const where = `seed ${seed}, ${JSON.stringify(text)}`;
        for (const tokenizer of tokenizers) {
          expect([...tokenizer.encode(text, allow)], where).toEqual(ids);
          expect([...tokenizer.encode(Buffer.from(text), allow)], where).toEqual(ids);
          expect(tokenizer.count(text, allow), where).toBe(ids.length);
          // In between, texts whose spaces stay unchanged, with their caches.
          const located = tokenizer.encodeWithOffsets(text, allow);
          expect([...located.ids], where).toEqual(ids);
          expect([...located.offsets], where).toEqual(inUnits(offsets, text).flat());
          expect(streamed(tokenizer, text, 1 + random.integer(0, 4)), where).toEqual(ids);
        }
        compared++;
      }
      tokenizers.forEach((tokenizer) => tokenizer.close());
    }
    expect(compared).toBeGreaterThan(50);
  });

  it('gives the same ids on threads, in windows and in parts', async () => {
    const random = new Random(4);
    const json = fileOf(random, pipeline, false);
    const reference = HuggingFace.fromString(json);
    const tokenizer = await open(json, false, 'native');
    const mixed = textOf(random, 60_000);
    for (const text of [
      mixed,
      ' '.repeat(150_000),
      MARK.repeat(70_000),
      ` ${MARK}`.repeat(50_000),
      'a'.repeat(1_000_000),
      `${'ab'.repeat(40_000)} ${'一二'.repeat(40_000)}`,
      ' a'.repeat(100_000),
    ]) {
      const { ids } = await idsThere(reference as never, text);
      const same = (found: Iterable<number>) =>
        expect(Buffer.compare(Buffer.from(Uint32Array.from(found).buffer), Buffer.from(Uint32Array.from(ids).buffer))).toBe(0);
      same(tokenizer.encode(text, allow));
      same(await tokenizer.encodeAsync(text, { ...allow, threads: 2 }));
      same(tokenizer.encodeWithOffsets(text, allow).ids);
      for (const size of [65_537, 10_007]) same(streamed(tokenizer, text, size));
    }
    const part = mixed.slice(0, 4000);
    const parts = tokenizer.split(part, { maxTokens: 50, ...allow }) as string[];
    expect(parts.join('')).toBe(part);
    for (const each of parts) expect(tokenizer.count(each, allow)).toBeLessThanOrEqual(50);
    const { ids } = await idsThere(reference as never, part);
    expect(tokenizer.isWithinLimit(part, ids.length, allow)).toBe(ids.length);
    expect(tokenizer.isWithinLimit(part, ids.length - 1, allow)).toBe(false);
    tokenizer.close();
  });
});

/** A SentencePiece model whose scores form a merge order. */
function modelOf(random: Random): Uint8Array {
  const alphabet = [...new Set([...random.pick(ALPHABETS), ...random.pick(ALPHABETS)])];
  const texts = new Set(alphabet);
  for (let left = 60; left > 0; left--) {
    const made = `${random.pick([...texts])}${random.pick([...texts])}`;
    if (made.length <= 10) texts.add(made);
  }
  const bytes = Array.from({ length: 256 }, (_, byte) => ({
    text: `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`,
    score: 0,
    type: PIECE.byte,
  }));
  const pieces = [...texts].map((text, index) => ({ text, score: -index, type: PIECE.normal }));
  return modelProto([{ text: '<unk>', score: 0, type: PIECE.unknown }, ...bytes, ...pieces], {
    model: 2,
    byteFallback: true,
    dummyPrefix: random.chance(0.5),
    removesSpaces: false,
  });
}

// A normalizer changes bytes that are not UTF-8. If offsets are requested, the whole text is written with marks.
describe('spaces left as they are, and spaces written as marks', { timeout: 600_000 }, () => {
  const bytesOf = (random: Random, parts: number) =>
    Buffer.concat(
      Array.from({ length: parts }, () => {
        const part = Buffer.from(random.pick([...PARTS, ' a', ' ab', 'hello world ', '一二三四']));
        return random.chance(0.1)
          ? part.subarray(random.integer(0, part.length))
          : random.chance(0.1)
            ? Buffer.from([random.integer(0x80, 0xff)])
            : part;
      }),
    );

  it.each([
    ['models of SentencePiece', (random: Random) => Buffer.from(modelOf(random))],
    ['tokenizer.json', (random: Random) => Buffer.from(fileOf(random, random.pick(Object.keys(PIPELINES)), false))],
  ])('have the same ids, of any bytes: %s', async (_, made) => {
    let compared = 0;
    for (let seed = 1; seed <= sample(600, 20); seed++) {
      const random = new Random(seed, 2);
      let tokenizer: Tokenizer;
      try {
        tokenizer = await Tokenizer.load(await compileCartridge(made(random)));
      } catch (error) {
        if (isRefused(error)) continue;
        throw error;
      }
      for (let round = 0; round < 20; round++) {
        const text = bytesOf(random, random.integer(0, round === 0 ? 20_000 : 40));
        const where = `seed ${seed}, ${text.length < 500 ? JSON.stringify([...text]) : round}`;
        const { ids } = tokenizer.encodeWithOffsets(text, allow);
        expect([...tokenizer.encode(text, allow)], where).toEqual([...ids]);
        expect([...(await tokenizer.encodeAsync(text, allow))], where).toEqual([...ids]);
        const encoder = tokenizer.streamEncoder(allow);
        const read: number[] = [];
        const size = round === 0 ? 4099 : random.integer(1, 6);
        for (let at = 0; at < text.length; at += size) for (const id of encoder.push(text.subarray(at, at + size))) read.push(id);
        for (const id of encoder.end()) read.push(id);
        expect(read, where).toEqual([...ids]);
        compared++;
      }
      tokenizer.close();
    }
    expect(compared).toBeGreaterThan(50);
  });
});
