// Nucleotide Transformer and HyenaDNA compared with their own tokenizers (test/golden/dna/reference.py): words of unknown
// letters, white space, special tokens and the white space before them.

import { readFileSync } from 'node:fs';
import { describe, expect, inject, it } from 'vitest';
import { DnaTokenizer } from 'crayon-tokenizer/dna';

import { native } from '../../dist/node/internals.js';
import { Random } from '../fuzz/random.mjs';
import { sample } from '../share.js';
import { encodeNaively, lettersBy, MODELS, rowNaively } from './naive-dna.js';
import { thrown } from './thrown.js';

type Case = [sequence: string, ids: number[]];
const GOLDENS: Record<string, Case[]> = JSON.parse(readFileSync(new URL('../golden/dna/reference.json', import.meta.url), 'utf8')).models;
const KERNELS = inject('backend') === 'wasm' ? ['simd128', 'scalar'] : native().addon.kernels();
const KEEP = { lowerCase: 'keep', ambiguous: 'keep' } as const;
const SEED = 20261123;
const plain = (ids: ArrayLike<number | bigint>) => Array.from(ids, Number);

describe.each(KERNELS)("the ids of the models' own tokenizers, by %s", (kernel) => {
  it.each(Object.entries(GOLDENS))('%s', async (name, cases) => {
    using dna = await DnaTokenizer.load(name, { kernel, ...KEEP });
    const special = 'allow' as const;
    for (const [sequence, ids] of cases) {
      expect(plain(dna.encode(sequence, { special })), JSON.stringify(sequence)).toEqual(ids);
      expect(plain(await dna.encodeAsync(sequence, { special }))).toEqual(ids);
      expect(dna.count(sequence, { special })).toBe(ids.length);
      // eslint-disable-next-line no-control-regex
      if (/^[\0-\x7f]*$/.test(sequence)) expect(plain(dna.encode(Buffer.from(sequence), { special }))).toEqual(ids);
    }
    const longest = Math.max(...cases.map(([, ids]) => ids.length));
    const side = 'right';
    const sequences = cases.map(([sequence]) => sequence);
    for (const matrix of [
      dna.encodeBatch(sequences, { special, side }),
      await dna.encodeBatchAsync(sequences, { special, side, threads: 2 }),
    ]) {
      expect(matrix.shape).toEqual([cases.length, longest]);
      cases.forEach(([sequence, ids], row) =>
        expect(plain(matrix.ids.subarray(row * longest, row * longest + ids.length)), sequence).toEqual(ids),
      );
    }
    const found: number[][] = [];
    for await (const { ids, shape, indexes } of dna.batches(sequences, { batchSize: 7, special })) {
      indexes.forEach((index, row) => (found[index] = plain(ids.subarray(row * shape[1], (row + 1) * shape[1]))));
    }
    expect(sequences.map((_, index) => found[index] ?? [])).toEqual(cases.map(([, ids]) => ids));
  });
});

describe('words of unknown letters', () => {
  const LETTERS = ['ACGT', 'ACGT', 'ACGT', 'N', 'acgtnXRY', ' \t\n', 'X'];
  const randomSequence = (random: Random) => {
    const parts = Array.from({ length: random.integer(0, 9) }, () => {
      const kind = [...random.pick(LETTERS)];
      return Array.from({ length: random.pick([1, 2, 5, 6, 7, 40, 400]) }, () => random.pick(kind)).join('');
    });
    return parts.join('');
  };

  it.each(KERNELS)('equal a naive encoder in rows that are truncated, padded and counted, by %s', async (kernel) => {
    using dna = await DnaTokenizer.load('nt-v2', { kernel, ...KEEP });
    const rules = { ...MODELS['nt-v2']!, letters: lettersBy({}) };
    const random = new Random(SEED);
    for (let round = 0; round < sample(200, 10); round++) {
      const sequences = Array.from({ length: random.integer(1, 30) }, () => randomSequence(random));
      const length = random.integer(1, 90);
      const side = random.pick(['left', 'right'] as const);
      const bodies = sequences.map((sequence) => encodeNaively(rules, Buffer.from(sequence)) as number[]);
      const options = {
        length,
        side,
        truncate: true,
        type: random.pick(['uint16', 'int32', 'bigint64'] as const),
        threads: random.integer(1, 3),
      };
      const where = `seed ${SEED}, round ${round}`;
      for (const matrix of [dna.encodeBatch(sequences, options), await dna.encodeBatchAsync(sequences, options)]) {
        expect(plain(matrix.ids), where).toEqual(bodies.flatMap((body) => rowNaively(rules, body, length, side, false).ids));
        expect(plain(matrix.unknownPerRow), where).toEqual(bodies.map((body) => body.slice(0, length).filter((id) => id === 0).length));
      }
      const whole = dna.encodeBatch(sequences, { side });
      const longest = Math.max(...bodies.map((body) => body.length));
      expect(whole.shape, where).toEqual([sequences.length, longest]);
      expect(plain(whole.ids), where).toEqual(bodies.flatMap((body) => rowNaively(rules, body, longest, side, false).ids));
    }
  });

  it('may be megabytes long, even if the engine reads windows', async () => {
    using dna = await DnaTokenizer.load('nt-v2', KEEP);
    const word = 'x'.repeat(3_000_000);
    expect(plain(dna.encode(`ACGTAC${word}ACGTAC`))).toEqual([728, 0, 728]);
    expect(plain(dna.encode(`${word} ${word}`))).toEqual([0, 0]);
    expect(dna.count(`${' '.repeat(3_000_000)}${word}N`)).toBe(2);
    expect(plain(dna.encode(' '.repeat(3_000_000)))).toEqual([]);
  });

  it('end at a refused letter, and the error has its position', async () => {
    using dna = await DnaTokenizer.load('nt-v2');
    expect(thrown(() => dna.encode('ACXXéXXg'))).toMatchObject({ code: 'UNKNOWN_BASE', position: 7 });
    expect(thrown(() => dna.encodeBatch(['XX', ' X  XR']))).toMatchObject({ code: 'UNKNOWN_BASE', row: 1, position: 5 });
  });

  it('require k-mers with an id for each letter, and an unknown id', async () => {
    const kmers = { unit: 'kmer', k: 2, kmerIds: 10, baseIds: { A: 1, C: 2, G: 3, T: 4 }, unknownId: 0, unknown: 'words' } as const;
    using dna = await DnaTokenizer.load(kmers);
    expect(plain(dna.encode('ACXX\n XNGTA'))).toEqual([11, 0, 0, 21, 1]);
    using each = await DnaTokenizer.load({ ...kmers, unknown: 'each' });
    expect(plain(each.encode('ACXX\n XNGTA'))).toEqual([11, 0, 0, 0, 0, 0, 0, 21, 1]);
    // White space with an id is an ordinary letter.
    using spaced = await DnaTokenizer.load({ ...kmers, baseIds: { ...kmers.baseIds, ' ': 5 } });
    expect(plain(spaced.encode('XX  X\tX'))).toEqual([0, 5, 5, 0, 0]);
    using again = await DnaTokenizer.load(dna.toCartridge());
    expect(plain(again.encode('XX X'))).toEqual([0, 0]);
    for (const [wrong, message] of [
      [{ unit: 'byte', k: undefined, kmerIds: undefined }, /`vocabulary.unknown` must be 'each' with the unit/],
      [{ unit: 'kmer-stride-1' }, /`vocabulary.unknown` must be 'each' with the unit/],
      [{ unknownId: undefined }, /for vocabulary.unknownId/],
      [{ baseIds: { A: 1, C: 2, G: 3 } }, /an id of T where unknown is 'words' for vocabulary.baseIds.T/],
      [{ unknown: 'word' }, /'each' or 'words' for vocabulary.unknown/],
    ] as const) {
      await expect(DnaTokenizer.load({ ...kmers, ...wrong } as never)).rejects.toThrow(message);
    }
  });
});

it('strips the white space before a special token with lstrip', async () => {
  const vocabulary = {
    unit: 'byte',
    baseIds: { A: 3, ' ': 4 },
    unknownId: 0,
    specialTokens: { '<a>': 1, '<b>': 2 },
    lstrip: ['<b>'],
  } as const;
  using dna = await DnaTokenizer.load(vocabulary);
  for (const each of [dna, await DnaTokenizer.load(dna.toCartridge())]) {
    expect(plain(each.encode('A <a>A \n <b> A', { special: 'allow' }))).toEqual([3, 4, 1, 3, 2, 4, 3]);
    expect(plain(each.encode(' <b> <b>', { special: 'allow' }))).toEqual([2, 2]);
    expect(plain(each.encode('A <b>'))).toEqual([3, 4, 0, 0, 0]);
  }
  await expect(DnaTokenizer.load({ ...vocabulary, lstrip: ['<c>'] })).rejects.toThrow(/one of <a>, <b> for vocabulary.lstrip\[0\]/);
  using caduceus = await DnaTokenizer.load('caduceus');
  expect(plain(caduceus.encode('a [MASK]c', { special: 'allow' }))).toEqual([7, 6, 3, 8]);
});
