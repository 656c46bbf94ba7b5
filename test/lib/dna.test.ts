// DnaTokenizer: ids that follow the models' rules, on every kernel; matrices, policies, arguments, errors, cartridges.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { Tokenizer, TokenizerError } from 'crayon-tokenizer';
import {
  type DnaIdType,
  type DnaLoadOptions,
  DnaTokenizer,
  type DnaVocabulary,
  packBases,
  reverseComplement,
  unpackBases,
} from 'crayon-tokenizer/dna';

import { Random } from '../fuzz/random.mjs';
import { native } from '../../dist/node/internals.js';
import { sample } from '../share.js';
import { complementNaively, encodeNaively, lettersBy, MODELS, type NaiveRules, rowNaively } from './naive-dna.js';
import { thrown } from './thrown.js';

const SEED = 20261122;
const KERNELS = inject('backend') === 'wasm' ? ['simd128', 'scalar'] : native().addon.kernels();
const TYPES: DnaIdType[] = ['uint8', 'uint16', 'int32', 'bigint64'];
const bytesOf = (text: string) => Uint8Array.from(Buffer.from(text, 'latin1'));
const plain = (ids: ArrayLike<number | bigint>) => Array.from(ids, Number);

const LETTERS = ['ACGT', 'ACGT', 'ACGTN', 'ACGTNNNN', 'ACGTacgt', 'ACGTNacgtn', 'ACGTRYSWKMBDHVNU', 'ACGT-*\n xé\xff'];

/** A sequence as in genomes: bases of some kind, with runs. */
function randomSequence(random: Random, most: number): Uint8Array {
  const letters = random.pick(LETTERS);
  const length = random.chance(0.3) ? random.integer(0, 30) : random.integer(0, most);
  const out: number[] = [];
  while (out.length < length) {
    const code = letters.charCodeAt(random.integer(0, letters.length - 1));
    for (let run = random.chance(0.1) ? random.integer(1, 20) : 1; run > 0; run--) out.push(code);
  }
  return Uint8Array.from(out.slice(0, length));
}

/** Vocabularies of every kind, and their rules for the oracle. */
const OWN: [string, DnaVocabulary, NaiveRules][] = [
  [
    'start ids',
    { unit: 'byte', baseIds: { A: 0, C: 1, G: 2, T: 3, N: 4 }, startIds: { A: 10, C: 11, G: 12, T: 13 }, padId: 20, unknownId: 21 },
    { ids: { A: 0, C: 1, G: 2, T: 3, N: 4 }, starts: { A: 10, C: 11, G: 12, T: 13 }, pad: 20, unknown: 21 },
  ],
  [
    'no unknown id',
    { unit: 'byte', baseIds: { A: 300, C: 1, G: 2, T: 3 }, padId: 0, prefix: [7, 8], suffix: [9], lowerCase: 'normalize', side: 'left' },
    { ids: { A: 300, C: 1, G: 2, T: 3 }, pad: 0, before: [7, 8], after: [9], side: 'left', letters: lettersBy({ lowerCase: 'normalize' }) },
  ],
  [
    'five digits, N one of them',
    { unit: 'kmer', k: 3, alphabet: 'ACGTN', kmerIds: 10, baseIds: { A: 1, C: 2, G: 3, T: 4, N: 5 }, unknownId: 0, padId: 6 },
    { k: 3, digits: 'ACGTN', kmer: (index) => 10 + index, ids: { A: 1, C: 2, G: 3, T: 4, N: 5 }, unknown: 0, pad: 6 },
  ],
  [
    'tails of a pad id',
    { unit: 'kmer', k: 4, kmerIds: 10, baseIds: { N: 5 }, unknownId: 0, padId: 6, tail: 'pad' },
    { k: 4, digits: 'ACGT', kmer: (index) => 10 + index, ids: { N: 5 }, unknown: 0, pad: 6, tail: 'pad' },
  ],
  [
    'no tails',
    { unit: 'kmer', k: 5, kmerIds: 10, baseIds: { N: 5 }, unknownId: 0, padId: 6, tail: 'drop' },
    { k: 5, digits: 'ACGT', kmer: (index) => 10 + index, ids: { N: 5 }, unknown: 0, pad: 6, tail: 'drop' },
  ],
  [
    'a table with holes',
    {
      unit: 'kmer',
      k: 2,
      kmerIds: Array.from({ length: 16 }, (_, i) => (i % 3 ? 50 - i : -1)),
      baseIds: { A: 1, C: 2, G: 3, T: 4 },
      unknownId: 0,
      padId: 6,
    },
    { k: 2, digits: 'ACGT', kmer: (i) => (i % 3 ? 50 - i : undefined), ids: { A: 1, C: 2, G: 3, T: 4 }, unknown: 0, pad: 6 },
  ],
  [
    'overlapping k-mers',
    { unit: 'kmer-stride-1', k: 3, kmerIds: 10, baseIds: {}, unknownId: 0, padId: 6, lowerCase: 'normalize' },
    {
      k: 3,
      stride: true,
      digits: 'ACGT',
      kmer: (index) => 10 + index,
      ids: {},
      unknown: 0,
      pad: 6,
      letters: lettersBy({ lowerCase: 'normalize' }),
    },
  ],
  [
    '8-mers',
    { unit: 'kmer', k: 8, alphabet: 'TGCA', kmerIds: 3, baseIds: { A: 0, C: 1, G: 2, T: 2 }, unknownId: 0, padId: 1 },
    { k: 8, digits: 'TGCA', kmer: (index) => 3 + index, ids: { A: 0, C: 1, G: 2, T: 2 }, unknown: 0, pad: 1 },
  ],
];

const ALL: [string, DnaVocabulary | string, NaiveRules][] = [
  ...Object.entries(MODELS).map(([name, rules]) => [name, name, rules] as [string, string, NaiveRules]),
  ...OWN,
];

/** The ids, or the position where they end. */
function idsOf(work: () => ArrayLike<number | bigint>) {
  try {
    return plain(work());
  } catch (error) {
    if (!(error instanceof TokenizerError) || error.code !== 'UNKNOWN_BASE') throw error;
    return { bad: error.position };
  }
}

describe.each(KERNELS)('with the kernel %s', (kernel) => {
  it.each(ALL)('ids follow the rules: %s', async (name, source, rules) => {
    using dna = await DnaTokenizer.load(source, { kernel });
    expect(dna.backend).toMatchObject({ kernel, kind: inject('backend') });
    const types = TYPES.filter(
      (type) =>
        ({ uint8: 1, uint16: 2, int32: 4, bigint64: 8 })[type] >= (dna.vocabularySize > 65_536 ? 4 : dna.vocabularySize > 256 ? 2 : 1),
    );
    const random = new Random(SEED, name.length, kernel.length);
    for (let round = 0; round < sample(120, 30); round++) {
      const sequence = randomSequence(random, 400);
      const expected = encodeNaively(rules, sequence);
      const type = random.pick(types);
      const shown = `${type} of ${JSON.stringify(Buffer.from(sequence).toString('latin1'))}`;
      expect(
        idsOf(() => dna.encode(sequence, { type })),
        shown,
      ).toEqual(expected);
      expect(
        idsOf(() =>
          dna.encode(
            Buffer.from(sequence)
              .toString('latin1')
              .replace(/[^\0-\x7f]/g, ''),
            { type },
          ),
        ),
        shown,
      ).toEqual(
        encodeNaively(
          rules,
          sequence.filter((byte) => byte < 0x80),
        ),
      );
      if (!Array.isArray(expected)) continue;
      expect(dna.count(sequence)).toBe(expected.length);
      const { before = [], after = [] } = rules;
      expect(plain(dna.encode(sequence, { type, addSpecialTokens: true }))).toEqual([...before, ...expected, ...after]);
      const around = random.chance(0.5);
      const side = random.pick(['left', 'right'] as const);
      const length = before.length + after.length + random.integer(0, 300);
      const fixed = dna.encode(sequence, { type, length, side, truncate: true, addSpecialTokens: around });
      expect(plain(fixed), shown).toEqual(rowNaively(rules, expected, length, side, around).ids);
    }
  });

  it.each(ALL)('matrices follow the rules: %s', async (name, source, rules) => {
    using dna = await DnaTokenizer.load(source, { kernel });
    const random = new Random(SEED, 2, name.length);
    for (let round = 0; round < sample(20, 5); round++) {
      const sequences = Array.from({ length: random.integer(0, 40) }, () => randomSequence(random, 100)).filter((each) =>
        Array.isArray(encodeNaively(rules, each)),
      );
      const around = random.chance(0.5);
      const given = random.chance(0.5) ? undefined : random.pick(['left', 'right'] as const);
      const side = given ?? rules.side ?? 'right';
      const bodies = sequences.map((sequence) => encodeNaively(rules, sequence) as number[]);
      const more = around ? (rules.before?.length ?? 0) + (rules.after?.length ?? 0) : 0;
      const longest = Math.max(0, ...bodies.map((body) => body.length + more));
      const fixed = random.chance(0.5) ? random.integer(more, 120) : undefined;
      const length = fixed ?? longest;
      const type = random.pick(['int32', 'bigint64'] as const);
      const mask = random.pick(['uint8', 'ids'] as const);
      const options = { type, mask, side: given, addSpecialTokens: around, length: fixed, truncate: fixed !== undefined } as const;
      const rows = bodies.map((body) => rowNaively(rules, body, length, side, around));
      const matrix = dna.encodeBatch(sequences, options);
      expect(matrix.shape).toEqual([sequences.length, length]);
      expect(plain(matrix.ids)).toEqual(rows.flatMap(({ ids }) => ids));
      expect(plain(matrix.mask)).toEqual(rows.flatMap(({ mask }) => mask));
      expect(matrix.mask.constructor).toBe(mask === 'ids' ? matrix.ids.constructor : Uint8Array);
      const offsets = new Uint32Array(sequences.length + 1);
      sequences.forEach((each, row) => (offsets[row + 1] = offsets[row]! + each.length));
      const joined = { bytes: new Uint8Array(Buffer.concat(sequences)), offsets };
      expect(dna.encodeBatch(joined, options)).toEqual(matrix);
    }
  });

  it('sequences longer than any window follow the rules too', async () => {
    const random = new Random(SEED, 3);
    for (const [, source, rules] of [ALL[0]!, ALL[3]!, ...OWN]) {
      using dna = await DnaTokenizer.load(source, { kernel });
      const letters = rules.ids.N === undefined && rules.unknown === undefined ? 'ACGT' : 'ACGTACGTACGTACGTACGTACGTACGTACGTN';
      const sequence = Uint8Array.from({ length: 200_001 }, () => letters.charCodeAt(random.integer(0, letters.length - 1)));
      const { before = [], after = [] } = rules;
      const expected = [...before, ...(encodeNaively(rules, sequence) as number[]), ...after];
      const ids = dna.encode(sequence, { addSpecialTokens: true });
      expect(Buffer.compare(Buffer.from(ids.buffer), Buffer.from(Int32Array.from(expected).buffer))).toBe(0);
      const text = Buffer.from(sequence).toString('latin1');
      const wide = dna.encode(text, { addSpecialTokens: true, type: 'bigint64', out: new BigInt64Array(expected.length + 5) });
      expect(wide.length).toBe(expected.length);
      expect(wide.every((id, index) => Number(id) === expected[index])).toBe(true);
      const matrix = dna.encodeBatch([sequence, sequence.subarray(0, 100_000)], { mask: 'none' });
      expect(matrix.mask).toBe(undefined);
      expect(plain(matrix.ids.subarray(0, matrix.shape[1]))).toEqual(plain(dna.encode(sequence)));
    }
  });
});

describe('the built-in vocabularies', () => {
  it.each([
    ['hyenadna', 12, 7, 'byte', 1],
    ['caduceus', 12, 7, 'byte', 1],
    ['nt-v1', 4107, 6, 'kmer', 6],
    ['nt-v2', 4107, 6, 'kmer', 6],
    ['nt-v3', 11, 6, 'byte', 1],
    ['gpn', 7, 3, 'byte', 1],
    ['evo2', 512, 0, 'byte', 1],
  ] as const)('%s has %i ids', async (name, size, special, unit, k) => {
    using dna = await DnaTokenizer.load(name);
    expect(dna).toMatchObject({ name, vocabularySize: size, unit, k, fallback: undefined });
    expect(dna.specialTokens.size).toBe(special);
  });

  it('have the published ids of their k-mers', async () => {
    for (const [name, first] of [
      ['nt-v1', 4],
      ['nt-v2', 6],
    ] as const) {
      using dna = await DnaTokenizer.load(name);
      const all = Array.from({ length: 4096 }, (_, index) => [10, 8, 6, 4, 2, 0].map((bit) => 'ATCG'[(index >> bit) & 3]).join(''));
      expect(plain(dna.encode(all.join('')))).toEqual(all.map((_, index) => first + index));
      expect(dna.decode(dna.encode(all.join('')))).toBe(all.join(''));
    }
  });

  it('put the ids of the options before a sequence', async () => {
    using dna = await DnaTokenizer.load('nt-v2', { prefix: ['<bos>', 3], suffix: ['<eos>'], addSpecialTokens: true });
    expect(plain(dna.encode('AAAAAA'))).toEqual([5, 3, 6, 4]);
    expect(plain(dna.encode('AAAAAA', { addSpecialTokens: false }))).toEqual([6]);
    await expect(DnaTokenizer.load('nt-v2', { prefix: ['<boss>'] })).rejects.toThrow(
      /one of <unk>, .* for vocabulary.prefix\[0\] but received "<boss>"/,
    );
  });

  it('are exactly these', async () => {
    await expect(DnaTokenizer.load('hyena')).rejects.toThrow(/no vocabulary of DNA is called "hyena" \(did you mean 'hyenadna'\?\)/);
    await expect(DnaTokenizer.load('gpt2')).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
  });
});

describe('policies', () => {
  const POLICIES = ['reject', 'normalize', 'keep', undefined] as const;

  it('determine the letters of every model, for every byte', async () => {
    const random = new Random(SEED, 4);
    for (const [name, rules] of Object.entries(MODELS)) {
      for (const lowerCase of POLICIES) {
        const [ambiguous, n] = [random.pick(POLICIES), random.pick(['reject', 'keep', undefined] as const)];
        using dna = await DnaTokenizer.load(name, { lowerCase, ambiguous, n });
        const own = { hyenadna: 'keep', caduceus: 'normalize', gpn: 'normalize', evo2: 'keep' }[name] ?? 'reject';
        const others = name.startsWith('nt') ? 'reject' : 'keep';
        const letters = lettersBy({ lowerCase: lowerCase ?? own, ambiguous: ambiguous ?? others, n });
        for (let byte = 0; byte < 256; byte++) {
          const sequence = Uint8Array.of(65, 65, byte, 67);
          expect(
            idsOf(() => dna.encode(sequence)),
            `${name} ${byte} ${lowerCase} ${ambiguous} ${n}`,
          ).toEqual(encodeNaively({ ...rules, letters }, sequence));
        }
      }
    }
  });

  it('determine the tails', async () => {
    for (const tail of ['single', 'pad', 'drop'] as const) {
      using dna = await DnaTokenizer.load('nt-v2', { tail });
      expect(plain(dna.encode('AAAAAAACNAA'))).toEqual(encodeNaively({ ...MODELS['nt-v2']!, tail }, bytesOf('AAAAAAACNAA')));
    }
  });

  it('have names', async () => {
    const wrong = (options: object) => DnaTokenizer.load('hyenadna', options as DnaLoadOptions);
    await expect(wrong({ lowerCase: 'upper' })).rejects.toThrow(
      "expected 'reject', 'normalize' or 'keep' for lowerCase but received \"upper\"",
    );
    await expect(wrong({ n: 'normalize' })).rejects.toThrow("expected 'reject' or 'keep' for n");
    await expect(wrong({ tail: 5 })).rejects.toThrow(TypeError);
    await expect(wrong({ lowercase: 'keep' })).rejects.toThrow(/did you mean 'lowerCase'/);
    await expect(wrong({ rna: true })).rejects.toThrow(/unknown option 'rna' \(there are/);
  });
});

describe('arguments', () => {
  let dna: DnaTokenizer;
  beforeAll(async () => {
    dna = await DnaTokenizer.load('hyenadna');
  });
  afterAll(() => dna.close());

  it('may be strings beyond ASCII', async () => {
    expect(plain(dna.encode('AéC'))).toEqual([7, 6, 8]);
    using strict = await DnaTokenizer.load('nt-v3', { lowerCase: 'keep', ambiguous: 'reject' });
    expect(thrown(() => strict.encode('é👍AR'))).toMatchObject({ code: 'UNKNOWN_BASE', position: 4 });
    for (const [letter, advice] of [
      ['r', "(a code of several bases in lower case: load with lowerCase and ambiguous: 'normalize')"],
      ['x', 'and it is not a base'],
      ['a', "(lower case: load with lowerCase: 'normalize')"],
    ] as const) {
      using refusing = await DnaTokenizer.load('nt-v3');
      expect(thrown(() => refusing.encode(`C${letter}`)).message.endsWith(advice)).toBe(true);
    }
    expect(thrown(() => strict.encodeBatch(['A', 'é👍AR']))).toMatchObject({ code: 'UNKNOWN_BASE', position: 4, row: 1 });
    expect(thrown(() => strict.encodeBatch(['A', bytesOf('\xff\xffAR')]))).toMatchObject({ code: 'UNKNOWN_BASE', position: 3, row: 1 });
    expect(thrown(() => strict.encode('AR')).message).toBe(
      "the sequence holds 'R' at position 1, for which nt-v3 has no id here (a code of several bases: load with ambiguous: 'normalize')",
    );
  });

  it('are named when refused', async () => {
    const call = (work: (dna: never) => unknown, kind: new (...args: never[]) => Error, message: RegExp | string) =>
      expect(thrown(() => work(dna as never), kind).message).toMatch(message);
    call((dna: any) => dna.encode(5), TypeError, 'expected a string or a Uint8Array for sequence but received 5');
    call((dna: any) => dna.encode('A', { type: 'int8' }), TypeError, /for type/);
    call((dna: any) => dna.encode('A', { length: -1 }), RangeError, /for length/);
    call((dna: any) => dna.encode('A', { length: '1' }), TypeError, /for length/);
    call((dna: any) => dna.encode('A', { side: 'top' }), TypeError, /for side/);
    call((dna: any) => dna.encode('A', { out: [] }), TypeError, /for out/);
    call((dna: any) => dna.encode('A', { out: new Int32Array(1), type: 'uint8' }), TypeError, /an array of uint8 for out/);
    call((dna: any) => dna.encode('AA', { out: new Int32Array(1) }), RangeError, /holds all ids .* for out/);
    call((dna: any) => dna.encode('AA', { out: new Int32Array(1), length: 2 }), RangeError, /at least 2 elements for out/);
    call((dna: any) => dna.encode('A', { addSpecialTokens: 1 }), TypeError, /for addSpecialTokens/);
    call((dna: any) => dna.encode('A', { lenght: 1 }), TypeError, /did you mean 'length'/);
    call((dna: any) => dna.encodeBatch('A'), TypeError, /for sequences/);
    call((dna: any) => dna.encodeBatch(['A', 5]), TypeError, 'for sequences[1] but received 5');
    call((dna: any) => dna.encodeBatch({ bytes: bytesOf('A'), offsets: Uint32Array.of(0, 2) }), RangeError, /for sequences.offsets\[1\]/);
    call((dna: any) => dna.encodeBatch(['A'], { mask: 'int8' }), TypeError, /for mask/);
    call((dna: any) => dna.encodeBatch(['A'], { out: { ids: new Int32Array(0) } }), RangeError, /for out.ids/);
    call(
      (dna: any) => dna.encodeBatch(['A'], { out: { ids: new Int32Array(1), mask: new Int32Array(1) } }),
      TypeError,
      /an array of uint8 for out.mask/,
    );
    call((dna: any) => dna.decode('A'), TypeError, /for ids/);
    using nt = await DnaTokenizer.load('nt-v2');
    expect(thrown(() => nt.encode('ACGT', { type: 'uint8' }), RangeError).message).toContain(
      '`type` must hold ids up to 4106, as \'uint16\' does; received "uint8"',
    );
  });

  it('are refused if they do not fit a length', () => {
    expect(thrown(() => dna.encode('ACGT', { length: 3 }))).toMatchObject({ code: 'TEXT_TOO_LONG' });
    const error = thrown(() => dna.encodeBatch(['A', 'AC', 'ACGT', 'ACGTT'], { length: 3 }));
    expect(error).toMatchObject({
      code: 'TEXT_TOO_LONG',
      row: 2,
      message: 'sequences[2] has more than 3 ids, the length; truncate: true cuts them off',
    });
    expect(plain(dna.encode('ACGT', { length: 3, truncate: true, addSpecialTokens: true }))).toEqual([7, 8, 1]);
  });

  it('may lack a pad id only if nothing is padded', async () => {
    using bare = await DnaTokenizer.load({ unit: 'byte', baseIds: { A: 1 } });
    expect(plain(bare.encodeBatch(['AA', 'AA']).ids)).toEqual([1, 1, 1, 1]);
    expect(plain(bare.encode('AA', { length: 2 }))).toEqual([1, 1]);
    expect(thrown(() => bare.encode('A', { length: 2 }))).toMatchObject({ code: 'INVALID_ARGUMENT' });
    expect(thrown(() => bare.encodeBatch(['AA', 'A'], { length: 2 })).message).toBe(
      'sequences[1] has fewer than 2 ids, the length, and dna has no id for padding',
    );
    expect(thrown(() => bare.encodeBatch(['AA', 'A'])).message).toBe(
      'sequences[1] has fewer than 2 ids, the length, and dna has no id for padding',
    );
  });

  it('may be reused arrays', () => {
    const out = new Int32Array(8).fill(99);
    const ids = dna.encode('ACGT', { out: out.subarray(2) as Int32Array<ArrayBuffer> });
    expect(ids.buffer).toBe(out.buffer);
    expect(plain(out)).toEqual([99, 99, 7, 8, 9, 10, 99, 99]);
    const first = dna.encodeBatch(['ACGT', 'AC']);
    const second = dna.encodeBatch(['GG', 'TTT'], { out: first });
    expect(second.ids.buffer).toBe(first.ids.buffer);
    expect(second.mask.buffer).toBe(first.mask.buffer);
    expect([plain(second.ids), plain(second.mask)]).toEqual([
      [4, 9, 9, 10, 10, 10],
      [0, 1, 1, 1, 1, 1],
    ]);
  });

  it('may be empty', () => {
    expect(dna.encode('')).toEqual(new Int32Array(0));
    expect(plain(dna.encode('', { addSpecialTokens: true }))).toEqual([1]);
    expect(dna.encodeBatch([])).toMatchObject({
      ids: new Int32Array(0),
      mask: new Uint8Array(0),
      shape: [0, 0],
      unknown: 0,
      unknownPerRow: new Uint32Array(0),
    });
    expect(dna.encodeBatch([], { length: 5 }).shape).toEqual([0, 5]);
    expect(dna.encodeBatch(['', '']).shape).toEqual([2, 0]);
    expect(plain(dna.encodeBatch(['', 'A'], { length: 2 }).ids)).toEqual([4, 4, 4, 7]);
    expect(dna.decode([])).toBe('');
    expect([reverseComplement(''), packBases('').length, unpackBases(new Uint8Array(0), 0).length]).toEqual(['', 0, 0]);
  });

  it('of custom vocabularies are validated', async () => {
    const wrong = (vocabulary: object) => DnaTokenizer.load(vocabulary as DnaVocabulary);
    await expect(wrong({})).rejects.toThrow("expected 'byte', 'kmer' or 'kmer-stride-1' for vocabulary.unit but received undefined");
    await expect(wrong({ unit: 'byte' })).rejects.toThrow(/for vocabulary.baseIds/);
    await expect(wrong({ unit: 'byte', baseIds: { A: -2 } })).rejects.toThrow(/for vocabulary.baseIds\['A'\]/);
    await expect(wrong({ unit: 'byte', baseIds: { AC: 2 } })).rejects.toThrow(RangeError);
    await expect(wrong({ unit: 'byte', baseIds: [1] })).rejects.toThrow(/256 ids/);
    await expect(wrong({ unit: 'byte', baseIds: {}, k: 3 })).rejects.toThrow(/`vocabulary.k` must be left out/);
    await expect(wrong({ unit: 'kmer', baseIds: {}, k: 9, kmerIds: 1 })).rejects.toThrow(/1 to 8 for vocabulary.k/);
    await expect(wrong({ unit: 'kmer', baseIds: {}, k: 2, kmerIds: [1] })).rejects.toThrow(/16 ids for vocabulary.kmerIds/);
    await expect(wrong({ unit: 'kmer', baseIds: {}, k: 2, kmerIds: 1, alphabet: 'AACG' })).rejects.toThrow(/4 or 5 different letters/);
    await expect(wrong({ unit: 'kmer', baseIds: {}, k: 2, kmerIds: 1, startIds: {} })).rejects.toThrow(
      /`vocabulary.startIds` must be left out/,
    );
    await expect(wrong({ unit: 'kmer', baseIds: {}, k: 2, kmerIds: 1, tail: 'pad' })).rejects.toThrow(Error);
    await expect(wrong({ unit: 'byte', baseIds: { A: 5 }, vocabularySize: 3 })).rejects.toThrow(Error);
    await expect(wrong({ unit: 'byte', baseIds: { A: 5 }, prefix: ['x'] })).rejects.toThrow(/no special tokens for vocabulary.prefix\[0\]/);
    await expect(wrong({ unit: 'byte', baseIds: { A: 5 }, unknwon: 3 })).rejects.toThrow(/unknown option 'unknwon' in vocabulary/);
  });
});

describe('decode', () => {
  it('returns the sequence', async () => {
    using dna = await DnaTokenizer.load('hyenadna');
    expect(dna.decode(dna.encode('ACGTN', { addSpecialTokens: true }))).toBe('ACGTN[SEP]');
    expect(dna.decode(dna.encode('ACGTN', { addSpecialTokens: true, type: 'bigint64' }), { skipSpecialTokens: true })).toBe('ACGTN');
    expect(thrown(() => dna.decode([7, 12]))).toMatchObject({ code: 'INVALID_ID', position: 1 });
    using evo = await DnaTokenizer.load('evo2');
    expect(evo.decode(evo.encode('ACGé'))).toBe('ACGé');
  });

  it('also handles overlapping k-mers', async () => {
    using dna = await DnaTokenizer.load({
      unit: 'kmer-stride-1',
      k: 3,
      kmerIds: 2,
      baseIds: {},
      unknownId: 0,
      specialTokens: { '<unk>': 0, '<s>': 1 },
      prefix: [1],
    });
    expect(dna.decode(dna.encode('ACGTT'))).toBe('ACGTT');
    expect(dna.decode(dna.encode('ACGTT', { addSpecialTokens: true }))).toBe('<s>ACGTT');
    expect(dna.decode(dna.encode('ACGTT', { addSpecialTokens: true }), { skipSpecialTokens: true })).toBe('ACGTT');
    expect(thrown(() => dna.decode([2, 2, 500]))).toMatchObject({ code: 'INVALID_ID', position: 2 });
  });
});

it('sizes the result by the longest row, whatever the rows contain', async () => {
  using dna = await DnaTokenizer.load('nt-v2');
  const rules = MODELS['nt-v2']!;
  for (const [first, second] of [
    ['ACGTACGTACGTAA', 'ACGTACGTACGTAN'],
    ['ACGNACGTACGTAA', 'ACGTACGTACGTAA'],
    ['ACGTACGTACGTAA', 'NACGTACGTACGTA'],
  ] as const) {
    const bodies = [first, second].map((text) => encodeNaively(rules, bytesOf(text)) as number[]);
    const columns = Math.max(...bodies.map(({ length }) => length));
    const { ids, mask, shape } = dna.encodeBatch([first, second]);
    expect(shape).toEqual([2, columns]);
    const rows = bodies.map((body) => rowNaively(rules, body, columns, 'right', false));
    expect(plain(ids)).toEqual(rows.flatMap((row) => row.ids));
    expect(plain(mask!)).toEqual(rows.flatMap((row) => row.ids.map((_, at) => Number(at < bodies[rows.indexOf(row)]!.length))));
  }
  // The rows have equally many bytes, and é has two.
  for (const rows of [
    ['ACGTAC', 'ACGTAa'],
    ['éCGTACa', 'ACGTACGT'],
    ['ACGTACGT', 'éCGTACa'],
  ]) {
    const row = rows.findIndex((text) => /a/.test(text));
    const position = rows[row]!.indexOf('a');
    expect(thrown(() => dna.encodeBatch(rows))).toMatchObject({ code: 'UNKNOWN_BASE', row, position });
  }
});

describe('cartridges', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'crayon-test-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(ALL)('hold a complete vocabulary: %s', async (name, source, rules) => {
    using dna = await DnaTokenizer.load(source);
    const bytes = dna.toCartridge();
    expect(Buffer.compare(bytes, (await DnaTokenizer.load(source)).toCartridge())).toBe(0);
    const path = join(folder, `${name.replace(/\W/g, '_')}.cray`);
    writeFileSync(path, bytes);
    for (const again of [bytes, bytes.buffer, path, pathToFileURL(path), new Blob([bytes])]) {
      using opened = await DnaTokenizer.load(again);
      expect([opened.name, opened.unit, opened.k, opened.padId, opened.unknownId, opened.vocabularySize]).toEqual([
        dna.name,
        dna.unit,
        dna.k,
        dna.padId,
        dna.unknownId,
        dna.vocabularySize,
      ]);
      const sequence = bytesOf('ACGTACGTTGCACATG');
      expect(plain(opened.encode(sequence, { addSpecialTokens: true }))).toEqual([
        ...(rules.before ?? []),
        ...(encodeNaively(rules, sequence) as number[]),
        ...(rules.after ?? []),
      ]);
      expect(Buffer.compare(opened.toCartridge(), bytes)).toBe(0);
    }
  });

  it('belong to one class or the other', async () => {
    using dna = await DnaTokenizer.load('hyenadna');
    const bytes = dna.toCartridge();
    for (const source of [bytes, join(folder, 'hyenadna.cray')]) {
      await expect(Tokenizer.load(source)).rejects.toThrow(/it is a vocabulary of DNA, which DnaTokenizer.load\(\) opens/);
    }
    const text = new URL('../../cartridges/r50k_base.cray', import.meta.url);
    await expect(DnaTokenizer.load(text)).rejects.toThrow(/r50k_base.cray: it is not a DNA vocabulary; Tokenizer.load\(\) opens it/);
    await expect(DnaTokenizer.load(bytes, { prefix: [1] })).rejects.toThrow(/`prefix` must be left out: a cartridge has its own/);
    await expect(DnaTokenizer.load(Uint8Array.of(1, 2, 3))).rejects.toMatchObject({ code: 'NOT_A_CARTRIDGE' });
    await expect(DnaTokenizer.load('./not-there.cray')).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
    const damaged = bytes.slice();
    damaged[damaged.length - 200]! ^= 1;
    await expect(DnaTokenizer.load(damaged)).rejects.toBeInstanceOf(TokenizerError);
  });

  it('are the only valid sources', async () => {
    for (const source of [undefined, null, 5]) {
      await expect(DnaTokenizer.load(source as never)).rejects.toThrow(
        /^expected one of hyenadna, .*, a vocabulary as an object, or a cartridge .* for source but received/,
      );
    }
  });

  it('are opened synchronously', () => {
    using dna = DnaTokenizer.loadSync('nt-v3');
    using again = DnaTokenizer.loadSync(dna.toCartridge(), { lowerCase: 'normalize' });
    expect(plain(again.encode('acgt'))).toEqual([6, 8, 9, 7]);
    expect(thrown(() => DnaTokenizer.loadSync(new Blob([]) as never), TypeError).message).toContain('loadSync');
  });
});

describe('a tokenizer that is closed', () => {
  it('throws CLOSED', async () => {
    const dna = await DnaTokenizer.load('hyenadna');
    expect(`${dna}`).toBe('[object Object]');
    dna.close();
    dna.close();
    for (const work of [() => dna.encode('A'), () => dna.encodeBatch(['A']), () => dna.decode([1]), () => dna.k, () => dna.toCartridge()]) {
      expect(thrown(work)).toMatchObject({ code: 'CLOSED' });
    }
    await expect(dna.encodeAsync('A')).rejects.toMatchObject({ code: 'CLOSED' });
    await expect(dna.batches(['A'], { batchSize: 1 }).next()).rejects.toMatchObject({ code: 'CLOSED' });
    expect(() => new DnaTokenizer(undefined as never)).toThrow(/expected DnaTokenizer.load\(\)/);
  });
});

describe('bases', () => {
  const random = new Random(SEED, 5);

  it('are complemented and packed the same at any length', () => {
    for (const length of [511, 512, 513, 16_383, 16_384, 16_385, 16_388, 50_001]) {
      const text = Array.from({ length }, () => random.pick([...'ACGTacgt'])).join('');
      expect(reverseComplement(text)).toBe(complementNaively(text));
      const packed = packBases(text);
      expect(packed.length).toBe(Math.ceil(length / 4));
      const codes = Array.from(text.toUpperCase(), (base) => 'ACGT'.indexOf(base));
      expect(
        packed.every((byte, at) => byte === codes.slice(4 * at, 4 * at + 4).reduce((sum, code, i) => sum + (code << (2 * i)), 0)),
      ).toBe(true);
      expect(Buffer.from(unpackBases(packed, length)).toString()).toBe(text.toUpperCase());
      expect(Buffer.from(unpackBases(packed, length - 1)).toString()).toBe(text.toUpperCase().slice(0, -1));
      for (const at of [0, length >> 1, length - 1]) {
        const wrong = `${text.slice(0, at)}!${text.slice(at + 1)}`;
        expect(thrown(() => reverseComplement(wrong))).toMatchObject({ code: 'UNKNOWN_BASE', position: at });
        expect(thrown(() => packBases(bytesOf(wrong)))).toMatchObject({ code: 'UNKNOWN_BASE', position: at });
      }
    }
  });

  it('are named in errors', () => {
    expect(thrown(() => reverseComplement('A-C*'))).toMatchObject({
      message: "the sequence holds '-' at position 1, which is not a base and has no complement",
    });
    expect(thrown(() => packBases('ACN'))).toMatchObject({
      message: "the sequence holds 'N' at position 2, which is none of the bases A, C, G and T",
    });
  });

  it('have complements', () => {
    for (let byte = 0; byte < 256; byte++) {
      const text = `A${String.fromCharCode(byte)}`;
      const expected = byte < 0x80 ? complementNaively(text) : undefined;
      const bytes = bytesOf(text);
      if (expected !== undefined)
        expect([reverseComplement(text), Buffer.from(reverseComplement(bytes)).toString()]).toEqual([expected, expected]);
      else expect(thrown(() => reverseComplement(bytes))).toMatchObject({ code: 'UNKNOWN_BASE', position: 1 });
    }
    for (let round = 0; round < sample(200, 40); round++) {
      const text = Array.from({ length: random.integer(0, 300) }, () => random.pick('ACGTNacgtnRYSWKMBDHVryswkmbdhvUu')).join('');
      expect(reverseComplement(text)).toBe(complementNaively(text));
    }
  });

  it('have two bits', () => {
    for (let round = 0; round < sample(200, 40); round++) {
      const text = Array.from({ length: random.integer(0, 300) }, () => random.pick('ACGTacgt')).join('');
      const packed = packBases(text);
      expect(packed.length).toBe(Math.ceil(text.length / 4));
      const expected = new Uint8Array(packed.length);
      [...text.toUpperCase()].forEach((base, index) => (expected[index >> 2]! |= 'ACGT'.indexOf(base) << (2 * (index & 3))));
      expect(packed).toEqual(expected);
      expect(Buffer.from(unpackBases(packed, text.length)).toString()).toBe(text.toUpperCase());
    }
    expect(thrown(() => packBases('ACGNA'))).toMatchObject({ code: 'UNKNOWN_BASE', position: 3 });
    expect(thrown(() => packBases('éA'))).toMatchObject({ code: 'UNKNOWN_BASE', position: 0 });
    expect(thrown(() => unpackBases(Uint8Array.of(1), 5), RangeError).message).toContain('at most 4');
    expect(() => unpackBases('A' as never, 1)).toThrow(TypeError);
    expect(() => reverseComplement(5 as never)).toThrow(TypeError);
  });
});
