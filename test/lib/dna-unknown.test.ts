// Input that DNA tokenizers do not know: counts of unknown ids, characters beyond ASCII, special tokens in sequences; and
// the positions in batch errors.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Tokenizer as HuggingFace } from 'tokenizers';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { TokenizerError } from 'crayon-tokenizer';
import { DnaTokenizer, type DnaVocabulary, readFasta } from 'crayon-tokenizer/dna';

import { Random } from '../fuzz/random.mjs';
import { native } from '../../dist/node/internals.js';
import { sample } from '../share.js';
import { dnaTokenizerJson } from './dna-bpe.js';
import { encodeNaively, lettersBy, MODELS, type NaiveRules, rowNaively } from './naive-dna.js';
import { thrown } from './thrown.js';

const SEED = 20261123;
const KERNELS = inject('backend') === 'wasm' ? ['simd128', 'scalar'] : native().addon.kernels();
const plain = (ids: ArrayLike<number | bigint>) => Array.from(ids, Number);

const KEEP = { lowerCase: 'keep', ambiguous: 'keep' } as const;
/** Vocabularies of every unit, by name or as plain data, and their rules for the oracle. */
const VOCABULARIES: [string, string | DnaVocabulary, NaiveRules][] = [
  ...['hyenadna', 'nt-v2', 'nt-v3', 'evo2'].map(
    (name) => [name, name, { ...MODELS[name]!, letters: lettersBy({}) }] as [string, string, NaiveRules],
  ),
  [
    'stride-1',
    { unit: 'kmer-stride-1', k: 3, kmerIds: 5, baseIds: {}, unknownId: 1, padId: 0 },
    { k: 3, digits: 'ACGT', kmer: (index) => 5 + index, stride: true, ids: {}, unknown: 1, pad: 0 },
  ],
  [
    'k-mers that are unknown',
    {
      unit: 'kmer',
      k: 2,
      kmerIds: Array.from({ length: 16 }, (_, index) => (index % 5 === 0 ? 1 : 4 + index)),
      baseIds: { A: 30, N: 1 },
      unknownId: 1,
      padId: 1,
    },
    { k: 2, digits: 'ACGT', kmer: (index) => (index % 5 === 0 ? 1 : 4 + index), ids: { A: 30, N: 1 }, unknown: 1, pad: 1 },
  ],
];

function randomSequence(random: Random): string {
  const letters = random.pick(['ACGT', 'ACGT', 'ACGTN', 'ACGTacgt', 'ACGTRYX-']);
  return Array.from({ length: random.integer(0, 200) }, () => random.pick([...letters]).repeat(random.chance(0.1) ? 5 : 1)).join('');
}

describe('unknown ids', () => {
  for (const [name, source, rules] of VOCABULARIES) {
    it.each(KERNELS)(`of ${name} are counted by %s`, async (kernel) => {
      using dna = await DnaTokenizer.load(source, { kernel, ...KEEP });
      const random = new Random(SEED);
      let unknownRows = 0;
      for (let round = 0; round < sample(60, 6); round++) {
        const sequences = Array.from({ length: random.integer(0, 20) }, () => randomSequence(random));
        const length = random.chance(0.5) ? random.integer(6, 120) : undefined;
        const side = random.pick(['left', 'right'] as const);
        const addSpecialTokens = random.chance(0.5);
        const expected = sequences.map((sequence) => {
          const body = encodeNaively(rules, Buffer.from(sequence)) as number[];
          const around = addSpecialTokens ? (rules.before ?? []).length + (rules.after ?? []).length : 0;
          const kept = body.slice(0, length === undefined ? body.length : length - around);
          if (length !== undefined) expect(rowNaively(rules, body, length, side, addSpecialTokens).ids).toHaveLength(length);
          return kept.filter((id) => id === rules.unknown).length;
        });
        unknownRows += expected.filter((count) => count > 0).length;
        const options = { length, truncate: true, side, addSpecialTokens, type: random.pick(['uint16', 'int32', 'bigint64'] as const) };
        for (const matrix of [dna.encodeBatch(sequences, options), await dna.encodeBatchAsync(sequences, options)]) {
          expect(plain(matrix.unknownPerRow), `seed ${SEED}, round ${round}`).toEqual(expected);
          expect(matrix.unknown).toBe(expected.reduce((sum, count) => sum + count, 0));
        }
      }
      expect(unknownRows > 0).toBe(rules.unknown !== undefined);
    });
  }

  it('are counted when many threads fill a matrix, and in batches of sequences and files', async () => {
    using dna = await DnaTokenizer.load('hyenadna');
    const random = new Random(SEED, 1);
    const sequences = Array.from({ length: 4000 }, () => Array.from({ length: 300 }, () => random.pick([...'ACGTacgX'])).join(''));
    const counts = sequences.map((sequence) => sequence.replace(/[ACGT]/g, '').length);
    const matrix = await dna.encodeBatchAsync(sequences, { threads: 4 });
    expect(plain(matrix.unknownPerRow)).toEqual(counts);
    expect(plain(dna.encodeBatch(sequences, { threads: 4 }).unknownPerRow)).toEqual(counts);
    const few = sequences.slice(0, 50).map((sequence, row) => sequence.slice(row % 3));
    const fewCounts = few.map((sequence) => sequence.replace(/[ACGT]/g, '').length);
    const fasta = few.map((sequence, row) => `>r${row}\n${sequence}\n`);
    for (const source of [few, few.map((sequence) => ({ sequence })), readFasta(fasta)]) {
      for (const length of [undefined, 400]) {
        const found = new Map<number, number>();
        for await (const { indexes, unknown, unknownPerRow } of dna.batches(source, { batchSize: 7, length })) {
          indexes.forEach((index, row) => found.set(index, unknownPerRow[row]!));
          expect(unknown).toBe(unknownPerRow.reduce((sum, count) => sum + count, 0));
        }
        if (found.size > 0) expect(fewCounts.map((_, index) => found.get(index))).toEqual(fewCounts);
        expect(found.size === 0).toBe(!Array.isArray(source) && length === 400); // a file is read once
      }
    }
  });

  it('are counted for dnabert2', async () => {
    using dna = await DnaTokenizer.load('dnabert2', { tokenizerJson: dnaTokenizerJson() });
    const { unknown, unknownPerRow } = dna.encodeBatch(['ACNNGT', 'ACGT', 'éN👍'], { addSpecialTokens: true });
    expect([unknown, plain(unknownPerRow)]).toEqual([5, [2, 0, 3]]);
  });
});

describe('characters beyond ASCII', () => {
  // Python has one character for each of these, hence one unknown id.
  const TEXT = 'Aé👍\u{1F9EC}ÿC\ud800G';

  it.each(['hyenadna', 'caduceus'])('are one unknown id each for %s', async (name) => {
    using dna = await DnaTokenizer.load(name);
    const expected = [7, 6, 6, 6, 6, 8, 6, 9];
    expect(plain(dna.encode(TEXT))).toEqual(expected);
    expect(plain(await dna.encodeAsync(TEXT))).toEqual(expected);
    expect(dna.count(TEXT)).toBe(8);
    for (const matrix of [dna.encodeBatch(['ACGTACGT', TEXT]), await dna.encodeBatchAsync(['ACGTACGT', TEXT])]) {
      expect(plain(matrix.ids.subarray(8))).toEqual(expected);
      expect(plain(matrix.unknownPerRow)).toEqual([0, 5]);
    }
    for await (const { ids, unknown } of dna.batches([TEXT, 'ACGTACGT'], { batchSize: 2 })) {
      expect(plain(ids.subarray(0, 8))).toEqual(expected);
      expect(unknown).toBe(5);
    }
    // Bytes have no characters.
    expect(plain(dna.encode(Buffer.from('Aé')))).toEqual([7, 6, 6]);
  });

  it('are one each for Nucleotide Transformer, whose errors still have their position', async () => {
    using kmers = await DnaTokenizer.load('nt-v2');
    expect(plain(kmers.encode('ACGTACé'))).toEqual([728, 0]);
    expect(plain(kmers.encode('ACGTAC👍ACGTAC'))).toEqual([728, 0, 728]);
    for (const work of [() => kmers.encode('é👍AR'), () => kmers.count('é👍AR')]) {
      expect(thrown(work)).toMatchObject({ code: 'UNKNOWN_BASE', position: 4, message: expect.stringContaining("'R' at position 4") });
    }
  });

  it('are bytes for Evo 2', async () => {
    using dna = await DnaTokenizer.load('evo2');
    expect(plain(dna.encode(TEXT.replace('\ud800', '')))).toEqual([...Buffer.from(TEXT.replace('\ud800', ''))]);
  });
});

describe('special tokens in sequences', () => {
  const json = dnaTokenizerJson();
  const shared = join(import.meta.dirname, '../../../shared/vocabularies/dnabert2.tokenizer.json');

  it.each([
    ['one of the form of DNABERT-2', () => json],
    [
      'DNABERT-2',
      () => (existsSync(shared) ? { ...JSON.parse(readFileSync(shared, 'utf8')), truncation: null, padding: null } : undefined),
    ],
  ] as [string, () => object | undefined][])('equal the reference: %s', async (_, jsonOf) => {
    const tokenizerJson = jsonOf();
    if (!tokenizerJson) return;
    const reference = HuggingFace.fromString(JSON.stringify(tokenizerJson));
    using dna = await DnaTokenizer.load('dnabert2', { tokenizerJson });
    const random = new Random(SEED, 2);
    const PARTS = [
      '[MASK]',
      '[SEP]',
      '[CLS]',
      '[PAD]',
      '[UNK]',
      'ACGT',
      'GATTACA',
      'TTTTTTTTTT',
      'N',
      'acgt',
      '[',
      ']',
      '[MASK',
      'MASK]',
      ' ',
      'é',
      '👍',
      '-',
    ];
    const sequences = Array.from({ length: sample(8000, 150) }, () =>
      Array.from({ length: random.integer(0, 12) }, () => random.pick(PARTS)).join(''),
    );
    const rows: number[][] = [];
    for (const sequence of sequences) {
      const expected = (await reference.encode(sequence, null, { addSpecialTokens: true })).getIds();
      rows.push(expected);
      expect(plain(dna.encode(sequence, { special: 'allow', addSpecialTokens: true })), JSON.stringify(sequence)).toEqual(expected);
      expect(dna.count(sequence, { special: 'allow', addSpecialTokens: true })).toBe(expected.length);
      // Without them, and as text, each is encoded character by character.
      if (!/\[(?:MASK|SEP|CLS|PAD|UNK)\]/.test(sequence)) expect(plain(dna.encode(sequence, { addSpecialTokens: true }))).toEqual(expected);
    }
    const all = dna.encodeBatch(sequences, { special: 'allow', addSpecialTokens: true });
    const later = await dna.encodeBatchAsync(sequences, { special: 'allow', addSpecialTokens: true });
    expect(later).toEqual(all);
    expect(all.shape[1]).toBe(Math.max(...rows.map(({ length }) => length)));
    const found = rows.map((ids, row) => plain(all.ids.subarray(row * all.shape[1], row * all.shape[1] + ids.length)));
    expect(found).toEqual(rows);
    // '[UNK]' in a sequence is the unknown id, too.
    expect(plain(all.unknownPerRow)).toEqual(rows.map((ids) => ids.slice(1, -1).filter((id) => id === 0).length));
  });

  let dna: DnaTokenizer;
  beforeAll(async () => (dna = await DnaTokenizer.load('hyenadna')));
  afterAll(() => dna.close());

  it('are text by default, and otherwise follow the option', async () => {
    expect(plain(dna.encode('A[MASK]'))).toEqual([7, 6, 6, 7, 6, 6, 6]);
    expect(plain(dna.encode('A[MASK]', { special: 'text' }))).toEqual([7, 6, 6, 7, 6, 6, 6]);
    expect(plain(dna.encode('A[MASK]C[SEP][CLS]', { special: 'allow' }))).toEqual([7, 3, 8, 1, 0]);
    expect(plain(dna.encode('A[MASK]C[SEP]', { special: ['[MASK]'] }))).toEqual([7, 3, 8, 6, 6, 6, 6, 6]);
    expect(plain(dna.encode('ACGT', { special: 'allow', type: 'uint8' }))).toEqual([7, 8, 9, 10]);
    expect(plain(dna.encode('A[MASK]', { special: 'allow', length: 4, addSpecialTokens: true }))).toEqual([4, 7, 3, 1]);
    expect(dna.count('A[MASK]C', { special: 'allow' })).toBe(3);
    expect(dna.encodeBatch(['AC', 'A[MASK]C'], { special: 'allow' })).toMatchObject({
      shape: [2, 3],
      ids: Int32Array.of(4, 7, 8, 7, 3, 8),
      unknown: 0,
    });
    using kmers = await DnaTokenizer.load('nt-v2');
    // As in transformers' EsmTokenizer, with the model's vocabulary (5.24).
    expect(plain(kmers.encode('ACGTAC<mask>ACGTAC', { special: 'allow' }))).toEqual([728, 2, 728]);
    for await (const { ids, shape } of kmers.batches(['ACGTAC<mask>', 'ACGTACGTACGT'], { batchSize: 2, special: 'allow' })) {
      expect([plain(ids), shape]).toEqual([
        [728, 2, 728, kmers.encode('GTACGT')[0]],
        [2, 2],
      ]);
    }
  });

  it("may be forbidden, and lists may name only the vocabulary's", async () => {
    const position = 'the sequence holds a special token at position 3';
    for (const work of [() => dna.encode('éAC[SEP]', { special: 'forbid' }), () => dna.count('éAC[SEP]', { special: 'forbid' })]) {
      expect(thrown(work)).toMatchObject({ code: 'SPECIAL_FORBIDDEN', position: 3, message: expect.stringContaining(position) });
    }
    expect(thrown(() => dna.encodeBatch(['[', 'ACGT[SEP]'], { special: 'forbid' }))).toMatchObject({
      code: 'SPECIAL_FORBIDDEN',
      position: 4,
      row: 1,
    });
    expect(plain(dna.encode('A[C', { special: 'forbid' }))).toEqual([7, 6, 8]);
    expect(thrown(() => dna.encode('A', { special: ['[mask]'] }))).toMatchObject({ code: 'UNKNOWN_SPECIAL', position: 0 });
    expect(thrown(() => dna.encode('A', { special: 'none' as never }), TypeError).message).toContain('for special');
    using strict = await DnaTokenizer.load('nt-v3');
    expect(thrown(() => strict.encode('AC<mask>Ga', { special: 'allow' }))).toMatchObject({ code: 'UNKNOWN_BASE', position: 9 });
  });
});

describe('errors of batches', () => {
  /** The first line of the stack that is a location. */
  const location = (error: Error) => error.stack?.split('\n').find((line) => line.startsWith('    at ')) ?? '';
  const HERE = /dna-unknown\.test\.ts/;

  it("begin at the user's line, and have the row", async () => {
    using dna = await DnaTokenizer.load('nt-v3');
    const fasta = () => readFasta(['>a\nACGT\n>b\nACxT\n']);
    const cases: [() => AsyncIterable<unknown>, object][] = [
      [() => dna.batches(['ACGT', 'AxG'], { batchSize: 2 }), { code: 'UNKNOWN_BASE', row: 1, position: 1 }],
      [() => dna.batches(['ACGT', 'AxG'], { batchSize: 2, length: 9 }), { code: 'UNKNOWN_BASE', row: 1 }],
      [() => dna.batches(['ACGT', 'ACG'], { batchSize: 2, length: 3 }), { code: 'TEXT_TOO_LONG', row: 0 }],
      [
        () => dna.batches(fasta(), { batchSize: 2 }),
        { code: 'UNKNOWN_BASE', row: 1, message: expect.stringContaining('item 1 of the source ("b")') },
      ],
      [() => dna.batches(['A', 5 as never], { batchSize: 2 }), { row: 1, message: expect.stringContaining('source[1]') }],
      [() => dna.batches(['A'], {} as never), { message: expect.stringContaining('batchSize') }],
      [() => dna.batches(5 as never, { batchSize: 1 }), { message: expect.stringContaining('for source') }],
    ];
    for (const [make, expected] of cases) {
      let error: unknown;
      try {
        for await (const _ of make());
      } catch (thrown) {
        error = thrown;
      }
      expect(error).toMatchObject(expected);
      expect(location(error as Error)).toMatch(HERE);
      expect((error as Error).stack).toContain((error as Error).message);
    }
  });

  it('of the source itself pass unchanged', async () => {
    using dna = await DnaTokenizer.load('nt-v3');
    const failures = [new TypeError('expected nothing'), new TokenizerError('mine', { code: 'CLOSED' })];
    for (const failure of failures) {
      const { stack } = failure;
      function* source(): Generator<string> {
        yield 'ACGT';
        throw failure;
      }
      const reading = (async () => {
        for await (const _ of dna.batches(source(), { batchSize: 1 }));
      })();
      await expect(reading).rejects.toBe(failure);
      expect(failure.stack).toBe(stack);
    }
  });

  it('have the row in every call', async () => {
    using dna = await DnaTokenizer.load('nt-v3');
    const sequences = ['ACGT', 'ACGT', 'Ax'];
    expect(thrown(() => dna.encodeBatch(sequences))).toMatchObject({ code: 'UNKNOWN_BASE', row: 2, position: 1 });
    await expect(dna.encodeBatchAsync(sequences)).rejects.toMatchObject({ code: 'UNKNOWN_BASE', row: 2, position: 1 });
    expect(thrown(() => dna.encodeBatch(sequences, { length: 2 }))).toMatchObject({ code: 'TEXT_TOO_LONG', row: 0 });
    await expect(dna.encodeBatchAsync(['A', 'ACGT'], { length: 2 })).rejects.toMatchObject({ code: 'TEXT_TOO_LONG', row: 1 });
    expect(thrown(() => dna.encodeBatch(['A', 5 as never]), TypeError)).toMatchObject({ row: 1 });
  });
});
