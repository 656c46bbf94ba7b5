// BPE over characters: random vocabularies compared with Hugging Face's tokenizers, on every backend.
import { Tokenizer } from 'crayon-tokenizer';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Random } from '../fuzz/random.mjs';
import { sample } from '../share.js';

const { Tokenizer: HuggingFace } = createRequire(import.meta.url)('tokenizers') as typeof import('tokenizers');

let internals: typeof import('../../dist/node/internals.js');
beforeAll(async () => {
  internals = await import('../../dist/node/internals.js');
});
const opened: Tokenizer[] = [];
afterAll(() => opened.forEach((tokenizer) => tokenizer.close()));

const SCRIPTS = ['abc ', 'aé ü', '中国一个 ', '😀😁a ', 'กขค่ ', 'аб в', '한국어 '];
const OTHERS = 'zß文🚀\n\u0301\u200dй';

type Kind = 'bytes' | 'unknown' | 'fused';

/** A vocabulary with random merges, as a tokenizer.json and as compiler input. */
function vocabularyOf(random: Random, kind: Kind) {
  const alphabet = [...new Set([...random.pick(SCRIPTS), ...random.pick(SCRIPTS)])];
  const tokens = ['<unk>', ...(kind === 'bytes' ? Array.from({ length: 256 }, (_, byte) => byteToken(byte)) : []), ...alphabet];
  const merges: [string, string][] = [];
  const pool = [...alphabet];
  for (let left = 5 + random.below(40); left > 0; left--) {
    const pair: [string, string] = [random.pick(pool), random.pick(pool)];
    const made = pair.join('');
    if (made.length > 12 || merges.some((other) => other[0] === pair[0] && other[1] === pair[1])) continue;
    merges.push(pair);
    if (!tokens.includes(made)) {
      // Ids and merges have different orders.
      tokens.splice(random.below(2) ? tokens.length : tokens.length - random.below(3), 0, made);
      pool.push(made);
    }
  }
  const ids = new Map(tokens.map((token, id) => [token, id]));
  const model = {
    type: 'BPE',
    vocab: Object.fromEntries(ids),
    merges,
    unk_token: '<unk>',
    fuse_unk: kind === 'fused',
    byte_fallback: kind === 'bytes',
  };
  const json = { version: '1.0', added_tokens: [], normalizer: null, pre_tokenizer: null, post_processor: null, decoder: null, model };
  const table = internals.withHiddenTokens({
    texts: tokens.map((token, id) => (id === 0 || /^<0x/.test(token) ? undefined : token)),
    merges: Uint32Array.from(merges.flat(), (token) => ids.get(token) as number),
    unmatched: [],
    byteIds: kind === 'bytes' ? Uint32Array.from({ length: 256 }, (_, byte) => ids.get(byteToken(byte)) as number) : undefined,
    unknownId: 0,
    fusesUnknown: kind === 'fused',
    limit: tokens.length,
  });
  return { json, alphabet, table, size: tokens.length };
}

function byteToken(byte: number): string {
  return `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`;
}

function compiled({ table }: ReturnType<typeof vocabularyOf>, form: 'full' | 'slim') {
  const views = [{ name: 'characters', scanner: 'none', tokens: internals.packTokens([]) }];
  return internals.nativeCompiler().compile({ ...table, model: 'bpe', metadata: '{"name":"characters"}', views }, form);
}

describe('BPE over characters', () => {
  for (const kind of ['bytes', 'unknown', 'fused'] as const) {
    it(`gives the ids and offsets of Hugging Face tokenizers: ${kind}`, async () => {
      let compared = 0;
      for (let seed = 1; seed <= sample(2000, 30); seed++) {
        const random = new Random(seed);
        const vocabulary = vocabularyOf(random, kind);
        const full = compiled(vocabulary, 'full');
        // The compiler refuses a merge list that ranks cannot express (native/src/compile/merge_order.h).
        if ('sentence' in full) {
          expect(full.code, `seed ${seed}`).toBe('BUILD_FAILED');
          continue;
        }
        const reference = HuggingFace.fromString(JSON.stringify(vocabulary.json));
        const slim = compiled(vocabulary, 'slim');
        if ('sentence' in slim) throw new Error(slim.sentence);
        const tokenizers = [await Tokenizer.load(full), await Tokenizer.load(slim), await Tokenizer.load(full, { backend: 'wasm' })];
        opened.push(...tokenizers);
        expect(tokenizers[0]?.vocabularySize).toBe(vocabulary.size);
        const characters = [...vocabulary.alphabet, ...vocabulary.alphabet, ...OTHERS];
        for (let round = 0; round < 12; round++) {
          const text = Array.from({ length: random.below(round === 0 ? 300 : 24) }, () => random.pick(characters)).join('');
          const expected = await reference.encode(text, null, { addSpecialTokens: false });
          const ids = expected.getIds();
          const where = `${kind}, seed ${seed}, ${JSON.stringify(text)}`;
          for (const tokenizer of tokenizers) {
            expect([...tokenizer.encode(text)], where).toEqual(ids);
            expect(tokenizer.count(text), where).toBe(ids.length);
          }
          const { offsets } = (tokenizers[0] as Tokenizer).encodeWithOffsets(text);
          expect(pairsOf(offsets), where).toEqual(inUnits(expected.getOffsets(), text));
          compared++;
        }
        for (const tokenizer of opened.splice(0)) tokenizer.close();
      }
      expect(compared).toBeGreaterThan(100);
    });
  }

  it('gives the same ids in streams, wherever chunks end, and on threads', async () => {
    for (const kind of ['bytes', 'unknown', 'fused'] as const) {
      const random = new Random(77);
      const vocabulary = vocabularyOf(random, kind);
      const file = compiled(vocabulary, 'full');
      if ('sentence' in file) throw new Error(file.sentence);
      const tokenizer = await Tokenizer.load(file);
      opened.push(tokenizer);
      const characters = [...vocabulary.alphabet, ...OTHERS];
      const text = Array.from({ length: 3000 }, () => random.pick(characters)).join('');
      const ids = [...tokenizer.encode(text)];
      for (const size of [1, 2, 7, 64]) {
        const encoder = tokenizer.streamEncoder();
        const read: number[] = [];
        for (let at = 0; at < text.length; at += size) read.push(...encoder.push(text.slice(at, at + size)));
        expect([...read, ...encoder.end()], `${kind}, chunks of ${size}`).toEqual(ids);
      }
      expect([...(await tokenizer.encodeAsync(text.repeat(60), { threads: 2 }))], kind).toEqual([...tokenizer.encode(text.repeat(60))]);
      const parts = tokenizer.split(text, { maxTokens: 16 });
      expect(parts.join('')).toBe(text);
      for (const part of parts) expect(tokenizer.count(part)).toBeLessThanOrEqual(16);
    }
  });

  it('does not hand out hidden ids', async () => {
    const vocabulary = vocabularyOf(new Random(5), 'unknown');
    const file = compiled(vocabulary, 'full');
    if ('sentence' in file) throw new Error(file.sentence);
    const tokenizer = await Tokenizer.load(file);
    opened.push(tokenizer);
    expect(() => tokenizer.decode([vocabulary.size])).toThrow(expect.objectContaining({ code: 'INVALID_ID' }));
    expect([...tokenizer.tokens()].every(({ id }) => id < vocabulary.size)).toBe(true);
    expect(tokenizer.idOf(Uint8Array.of(0xe4))).toBeUndefined();
  });

  it('needs no hidden token where each byte and each byte character has a token', async () => {
    // An ASCII vocabulary, followed by ids for added tokens that are not in the model.
    const texts = ['a', 'b', 'ab', ...Array.from({ length: 256 }, () => undefined)];
    const byteIds = Uint32Array.from({ length: 256 }, (_, byte) => byte + 3);
    const merges = Uint32Array.of(0, 1);
    const vocabulary = { texts, merges, unmatched: [], byteIds, unknownId: undefined, fusesUnknown: false, whole: false, limit: 270 };
    const table = internals.withHiddenTokens(vocabulary);
    const views = [{ name: 'ascii', scanner: 'none', tokens: internals.packTokens([{ text: '<x>', id: 269, special: true }]) }];
    const file = internals.nativeCompiler().compile({ ...table, model: 'bpe', metadata: '{"name":"ascii"}', views }, 'full');
    if ('sentence' in file) throw new Error(file.sentence);
    const tokenizer = await Tokenizer.load(file);
    opened.push(tokenizer);
    expect([...tokenizer.encode('abé<x>', { special: 'allow' })]).toEqual([2, 3 + 0xc3, 3 + 0xa9, 269]);
  });

  it('encodes a long unsplit text in linear time', async () => {
    const vocabulary = vocabularyOf(new Random(9), 'fused');
    const file = compiled(vocabulary, 'full');
    if ('sentence' in file) throw new Error(file.sentence);
    const tokenizer = await Tokenizer.load(file);
    opened.push(tokenizer);
    const text = vocabulary.alphabet.join('').repeat(1e5);
    const took = (part: string) => {
      const before = process.cpuUsage();
      tokenizer.count(part);
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    took(text.slice(0, text.length / 8));
    const eighth = took(text.slice(0, text.length / 8));
    expect(took(text)).toBeLessThan(30 * eighth + 100_000);
  });
});

function pairsOf(offsets: Uint32Array): [number, number][] {
  return Array.from({ length: offsets.length / 2 }, (_, i) => [offsets[2 * i] as number, offsets[2 * i + 1] as number]);
}

/** Hugging Face counts code points. */
function inUnits(offsets: number[][], text: string): [number, number][] {
  const units = [0];
  for (const character of text) units.push((units.at(-1) as number) + character.length);
  return offsets.map(([begin, end]) => [units[begin as number] as number, units[end as number] as number]);
}
