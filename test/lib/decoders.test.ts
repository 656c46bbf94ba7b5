// Decoders of tokenizer.json: the texts are those of npm `tokenizers` with the same vocabulary and decoder, and of a naive
// reading of its source, for chains of steps of all kinds, random tokens and random ids; in streams, wherever they are cut.

import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';

import { Random } from '../fuzz/random.mjs';
import { sample } from '../share.js';
import { decoderOf, decoderSpecOf, decoderStepsOf, Place } from '../../dist/node/internals.js';
import { type Json, naiveDecode, Panic, PUBLISHED, randomDecoder, randomIds, randomTokens } from './naive-decoders.js';
import { added } from './small-file.js';
import { thrown } from './thrown.js';

interface Reference {
  decodeBatch(ids: number[][], skipSpecialTokens: boolean): Promise<string[]>;
}
const { Tokenizer: HuggingFace } = createRequire(import.meta.url)('tokenizers') as { Tokenizer: { fromString(json: string): Reference } };

interface Token {
  text: string;
  isAdded?: boolean;
  isSpecial?: boolean;
}

/** A file whose model has any tokens. */
function fileOf(tokens: Token[], decoder: Json | null): Json {
  const vocab = Object.fromEntries(tokens.flatMap(({ text, isAdded }, id) => (isAdded ? [] : [[text, id]])));
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: tokens.flatMap(({ text, isAdded, isSpecial }, id) => (isAdded || isSpecial ? [added(text, id, { special: isSpecial === true })] : [])),
    normalizer: null,
    pre_tokenizer: null,
    post_processor: null,
    decoder,
    model: { type: 'WordLevel', vocab, unk_token: '<unk>' },
  };
}

type Form = 'plain' | 'marked';
const UTF8 = new TextEncoder();

/** What a cartridge has of the same. */
async function oursOf(tokens: Token[], decoder: Json | null, form: Form) {
  const place = Place.ofValue({ decoder }, 'file').at('decoder');
  const texts = new Map<number, string>();
  const bytes = tokens.map(({ text, isAdded }, id) => {
    if (form === 'plain' || isAdded) return UTF8.encode(text);
    if (text.includes(' ')) texts.set(id, text);
    return UTF8.encode(text.replaceAll('\u2581', ' '));
  });
  const spec = JSON.parse(JSON.stringify(await decoderSpecOf(decoderStepsOf(place), form, () => texts, place)));
  const addedTokens = tokens.flatMap(({ text, isAdded, isSpecial }, id) => (isAdded || isSpecial ? [{ text, id, special: isSpecial === true }] : []));
  return decoderOf(spec, { describe: () => ({ addedTokens, vocabularySize: tokens.length }), tokenBytes: (id: number) => bytes[id] } as never);
}

/** A vocabulary, some of whose tokens are added ones. */
function randomVocabulary(random: Random): Token[] {
  const texts = randomTokens(random);
  const firstAdded = random.integer(Math.max(1, texts.length - 6), texts.length);
  return texts.map((text, id) => ({ text, isAdded: id >= firstAdded, isSpecial: id >= firstAdded ? random.chance(0.6) : random.chance(0.05) }));
}

function texts(tokens: Token[], ids: number[], skipSpecial: boolean): string[] {
  return ids.flatMap((id) => (skipSpecial && tokens[id]!.isSpecial ? [] : [tokens[id]!.text]));
}

function naive(decoder: Json | null, tokens: Token[], ids: number[], skip: boolean): string | undefined {
  try {
    return naiveDecode(decoder, texts(tokens, ids, skip));
  } catch (error) {
    if (error instanceof Panic) return undefined;
    throw error;
  }
}

describe('decoders', () => {
  it('of random files decode as those of Hugging Face', async () => {
    for (let seed = 0; seed < sample(6000, 200); seed++) {
      const random = new Random(0xdec0de, seed);
      const tokens = randomVocabulary(random);
      const decoder = randomDecoder(random);
      const ours = await oursOf(tokens, decoder, random.pick(['plain', 'marked'] as const));
      const theirs = HuggingFace.fromString(JSON.stringify(fileOf(tokens, decoder)));
      for (const skip of [false, true]) {
        const rows = Array.from({ length: 12 }, () => randomIds(random, tokens.length)).filter((ids) => naive(decoder, tokens, ids, skip) !== undefined);
        const expected = await theirs.decodeBatch(rows, skip);
        rows.forEach((ids, row) => {
          const said = () => JSON.stringify({ seed, decoder, tokens: texts(tokens, ids, skip), ids, skip });
          expect(naive(decoder, tokens, ids, skip), `naive: ${said()}`).toBe(expected[row]);
          expect(ours.decode(Uint32Array.from(ids), skip), said()).toBe(expected[row]);
        });
      }
    }
  });

  it('give the same text in streams, wherever they are cut', async () => {
    for (let seed = 0; seed < sample(3000, 200); seed++) {
      const random = new Random(0x57e4, seed);
      const tokens = randomVocabulary(random);
      const decoder = randomDecoder(random);
      const ours = await oursOf(tokens, decoder, random.pick(['plain', 'marked'] as const));
      for (const skip of [false, true]) {
        const ids = Uint32Array.from(randomIds(random, tokens.length));
        const whole = ours.decode(ids, skip);
        for (const cuts of [[...ids.keys()], ...Array.from(ids.keys(), (at) => [0, at]), [0]]) {
          const run = ours.begin(skip);
          const parts = cuts.map((from, index) => run.push(ids.subarray(from, cuts[index + 1] ?? ids.length)));
          expect([...parts, run.end()].join(''), JSON.stringify({ seed, decoder, tokens: texts(tokens, [...ids], skip), cuts })).toBe(whole);
        }
      }
    }
  });
});
