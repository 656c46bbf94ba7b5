// DnaTokenizer in browsers: the first `load` fetches its engine.

import { describe, expect, it, vi } from 'vitest';
import { Tokenizer } from 'crayon-tokenizer';
import { DnaTokenizer, packBases, reverseComplement, unpackBases } from 'crayon-tokenizer/dna';

import { dnaTokenizerJson } from '../lib/dna-bpe.js';
import { encodeNaively, MODELS, rowNaively } from '../lib/naive-dna.js';

const plain = (ids: ArrayLike<number | bigint>) => Array.from(ids, Number);
const bytesOf = (text: string) => new TextEncoder().encode(text);

describe('DnaTokenizer', () => {
  it('is available synchronously only after a load', async () => {
    expect(() => DnaTokenizer.loadSync('hyenadna')).toThrow(/await DnaTokenizer.load\(\)/);
    using first = await DnaTokenizer.load('hyenadna');
    expect(first.backend).toMatchObject({ kind: 'wasm', kernel: 'simd128' });
    using second = DnaTokenizer.loadSync('nt-v2');
    expect(plain(second.encode('AAAAAAC'))).toEqual([6, 4104]);
  });

  it.each(Object.keys(MODELS))('gives the ids of %s', async (name) => {
    const rules = MODELS[name]!;
    for (const kernel of ['simd128', 'scalar']) {
      using dna = await DnaTokenizer.load(name, { kernel });
      const sequences = ['', 'A', 'ACGTACG', 'ACGTNACGTACGTNN', 'ACGTTGCA'.repeat(50)];
      const bodies = sequences.map((sequence) => encodeNaively(rules, bytesOf(sequence)) as number[]);
      sequences.forEach((sequence, index) => expect(plain(dna.encode(sequence))).toEqual(bodies[index]));
      const { ids, shape } = dna.encodeBatch(sequences, { side: 'left' });
      expect(plain(ids)).toEqual(bodies.flatMap((body) => rowNaively(rules, body, shape[1], 'left', false).ids));
    }
  });

  it('opens cartridges: bytes, blobs and URLs', async () => {
    using dna = await DnaTokenizer.load('caduceus');
    const bytes = dna.toCartridge();
    vi.stubGlobal('fetch', async () => new Response(bytes));
    for (const source of [bytes, new Blob([bytes]), new URL('https://example.org/a.cray'), 'https://example.org/a.cray']) {
      using again = await DnaTokenizer.load(source);
      expect(plain(again.encode('acgt'))).toEqual([7, 8, 9, 10]);
    }
    vi.unstubAllGlobals();
    await expect(Tokenizer.load(bytes)).rejects.toThrow(/DnaTokenizer.load\(\)/);
    await expect(DnaTokenizer.load('hyenadna', { backend: 'native' })).rejects.toThrow(TypeError);
  });

  it('discovers, makes batches, and reads the tokenizer.json of DNABERT-2', async () => {
    using other = await DnaTokenizer.discover((sequence) => Array.from(sequence, (base) => 1 + 'ACGTN'.indexOf(base)));
    expect(other.fallback).toBe(undefined);
    const shapes = [];
    for await (const { shape } of other.batches(['AC', 'GT', 'A'], { batchSize: 3 })) shapes.push(shape);
    expect(shapes).toEqual([
      [2, 2],
      [1, 1],
    ]);
    using bert = await DnaTokenizer.load('dnabert2', { tokenizerJson: dnaTokenizerJson() });
    expect(bert.decode(bert.encode('ACGTACGT', { addSpecialTokens: true }))).toBe('[CLS]ACGTACGT[SEP]');
  });

  it('packs bases in two bits, and complements them', () => {
    expect(reverseComplement('AACGTn')).toBe('nACGTT');
    expect(new TextDecoder().decode(unpackBases(packBases('ACGTTGC'), 7))).toBe('ACGTTGC');
    expect(() => packBases('N')).toThrow(/'N' at position 0/);
  });
});
