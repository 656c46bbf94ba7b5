// A seeded sample of the fuzzer's strings, and every string that was ever kept, through our tokenizer and the live
// reference. `npm run fuzz` runs any number; CRAYON_FUZZ_SEED changes the sample.

import fs from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Tokenizer } from 'crayon-tokenizer';

import { contenderOf } from '../fuzz/contenders.mjs';
import { differenceOn, escaped, firstDifference, minimise, report, utf8Of } from '../fuzz/differential.mjs';
import { Random } from '../fuzz/random.mjs';
import { nastyString, runs, textsOf } from '../fuzz/strings.mjs';
import { loadTiktoken, type Reference } from '../golden/tiktoken.mjs';
import { SAMPLED_ENCODINGS } from './encodings.js';
import { sample } from '../share.js';

const SEED = Number(process.env.CRAYON_FUZZ_SEED ?? 1);
const STRINGS = sample(3000);

const references: Record<string, Reference> = {};
const tokenizers: Record<string, Tokenizer> = {};

beforeAll(async () => {
  for (const name of SAMPLED_ENCODINGS) {
    references[name] = await loadTiktoken(name);
    tokenizers[name] = await Tokenizer.load(name);
  }
});

afterAll(() => {
  Object.values(tokenizers).forEach((tokenizer) => tokenizer.close());
});

describe('generated strings', { timeout: 300_000 }, () => {
  it.each(SAMPLED_ENCODINGS)(`${STRINGS} strings of seed ${SEED}: %s`, (name) => {
    const reference = references[name];
    const contender = contenderOf(tokenizers[name]);
    const tokens = textsOf(reference.vocabulary());
    for (let index = 0; index < STRINGS; index++) {
      const text = nastyString(SEED, index, tokens);
      if (differenceOn(text, contender, reference) === null) continue;
      const origin = `npm run fuzz -- --encodings ${name} --seed ${SEED} --index ${index}`;
      expect.fail(report({ encoding: name, text, contender, reference, origin }));
    }
  });

  it.each(SAMPLED_ENCODINGS)('runs of every length: %s', (name) => {
    const [contender, reference] = [contenderOf(tokenizers[name]), references[name]];
    for (const text of runs()) {
      if (differenceOn(text, contender, reference) === null) continue;
      expect.fail(report({ encoding: name, text, contender, reference, origin: 'a run' }));
    }
  });

  it.each(SAMPLED_ENCODINGS)('in one batch, as strings and as rows of bytes: %s', (name) => {
    const texts = Array.from({ length: STRINGS }, (_, index) => nastyString(SEED, index));
    const rows = texts.map(utf8Of);
    const offsets = new Uint32Array(rows.length + 1);
    rows.forEach((row, index) => (offsets[index + 1] = offsets[index] + row.length));
    const [strings, bytes] = [tokenizers[name].encodeBatch(texts), tokenizers[name].encodeBatch({ bytes: Buffer.concat(rows), offsets })];
    expect([strings.length, bytes.length]).toEqual([STRINGS, STRINGS]);
    texts.forEach((text, index) => {
      const expected = references[name].encode(text);
      for (const batch of [strings, bytes]) {
        if (firstDifference(batch.row(index), expected) >= 0) expect.fail(`${name}, row ${index}: ${escaped(text)}`);
      }
    });
  });
});

describe('kept strings', () => {
  const folder = new URL('../fuzz/corpus/', import.meta.url);
  const files = fs.readdirSync(folder).filter((file) => file.endsWith('.json'));

  it.each(files)('%s', (file) => {
    const texts = JSON.parse(fs.readFileSync(new URL(file, folder), 'utf8')) as string[];
    expect(texts.length).toBeGreaterThan(0);
    for (const name of SAMPLED_ENCODINGS) {
      const [contender, reference] = [contenderOf(tokenizers[name]), references[name]];
      texts.forEach((text, index) => {
        if (differenceOn(text, contender, reference) === null) return;
        expect.fail(report({ encoding: name, text, contender, reference, origin: `fuzz/corpus/${file}, string ${index}` }));
      });
    }
  });
});

describe('the harness itself', () => {
  // A reference with one defect, which stands for a tokenizer that fails in one rare case.
  const slips: Record<string, (text: string) => string> = {
    "'ſ is no contraction": (text) => text.replaceAll("'ſ", "'ß"),
    'U+180E is white space': (text) => text.replaceAll('\u180e', '\u2003'),
    'U+0085 is no white space': (text) => text.replaceAll('\x85', '\x86'),
    'U+FEFF is dropped': (text) => text.replaceAll('\ufeff', ''),
    'lone surrogates are dropped': (text) => text.replace(/\p{Surrogate}/gu, ''),
    'a combining mark after a letter': (text) => text.replace(/(\p{L})\u0345/gu, '$1\u0344'),
    'a slash after a line end': (text) => text.replaceAll('!\n/', '!/\n'),
  };

  it.each(Object.keys(slips))('finds and shrinks a defect: %s', (slip) => {
    const reference = references.o200k_base;
    const contender = { encode: (text: string | Uint8Array) => reference.encode(slips[slip](text as string)) };
    const fails = (text: string) => differenceOn(text, contender, reference) !== null;
    const found = Array.from({ length: 20_000 }, (_, index) => index).find((index) => fails(nastyString(SEED, index)));
    expect(found, 'strings until the slip shows').toBeDefined();
    const small = minimise(nastyString(SEED, found as number), fails);
    expect(fails(small)).toBe(true);
    expect(small.length, escaped(small)).toBeLessThanOrEqual(4);
  });

  it('compares counts, bytes and decoded text besides ids', () => {
    const reference = references.o200k_base;
    const right = contenderOf(tokenizers.o200k_base);
    expect(differenceOn("I'm here", right, reference)).toBeNull();
    expect(differenceOn("I'm here", { ...right, count: () => 1 }, reference)?.what).toBe('count(text)');
    expect(differenceOn("I'm here", { ...right, decodeBytes: () => new Uint8Array(1) }, reference)?.what).toBe('decodeBytes(ids)');
    const deaf = { ...right, encode: (text: string | Uint8Array) => right.encode(typeof text === 'string' ? text : new Uint8Array(0)) };
    expect(differenceOn("I'm here", deaf, reference)?.what).toBe('encode(bytes)');
  });

  it('generates the same strings from the same seed on every machine', () => {
    const numbers = Array.from({ length: 4 }, (_, i) => new Random(1, 2, i).next());
    expect(numbers).toEqual([3821266483, 1932113840, 700548732, 2831763499]);
    expect(nastyString(1, 3)).toBe(nastyString(1, 3));
    expect(new Set(Array.from({ length: 1000 }, (_, i) => nastyString(1, i))).size).toBeGreaterThan(900);
  });
});
