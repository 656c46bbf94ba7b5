// Matrices of reverse complements: the naive complement, encoded naively, on the CPU, on threads, in WebAssembly and on the
// emulated device; and errors at positions of the caller's sequences.

import { type DnaBatchOptions, DnaTokenizer, embed, reverseComplement } from 'crayon-tokenizer/dna';
import * as wasm from 'crayon-tokenizer/wasm/dna';
import { describe, expect, it } from 'vitest';

import { Random } from '../fuzz/random.mjs';
import { sample } from '../share.js';
import { leaveDeviceAfterEach, onDevice, rowsOf, SLICES, useEmulatedDevice } from './device-texts.js';
import { complementNaively, encodeNaively, MODELS, type NaiveRules, rowNaively } from './naive-dna.js';
import { thrown } from './thrown.js';

const ON = { device: 'emulated' as 'cuda' };
const STRIDE = { unit: 'kmer-stride-1', k: 3, kmerIds: 5, baseIds: {}, unknownId: 1, padId: 0 } as const;
const STRIDE_NAIVELY: NaiveRules = { k: 3, stride: true, digits: 'ACGT', kmer: (index) => 5 + index, ids: {}, unknown: 1, pad: 0 };
const VOCABULARIES: [name: string, source: string | typeof STRIDE, rules: NaiveRules][] = [
  ...Object.entries(MODELS).map(([name, rules]): [string, string, NaiveRules] => [name, name, rules]),
  ['overlapping 3-mers', STRIDE, STRIDE_NAIVELY],
];
type Shape = DnaBatchOptions & { mask?: 'uint8' | 'ids' | 'none' };
const utf8 = (text: string) => new TextEncoder().encode(text);

function sequencesOf(seed: number, count: number, rules: NaiveRules): string[] {
  const random = new Random(seed);
  const isUsable = (text: string) => Array.isArray(encodeNaively(rules, utf8(complementNaively(text)!)));
  return Array.from({ length: count }, () => {
    const letters = random.pick(['ACGT', 'ACGTN', 'ACGTU', 'ACGTRYSWKMBDHVNacgtu']);
    return Array.from({ length: random.pick([0, 1, 6, 31, 32, 33, 90, 200]) }, () => random.pick(letters)).join('');
  }).filter(isUsable);
}

/** The matrix that a call should make, its numbers in lists. */
function expectedOf(sequences: readonly string[], rules: NaiveRules, { length, side, addSpecialTokens = false }: DnaBatchOptions) {
  const bodies = sequences.map((text) => encodeNaively(rules, utf8(complementNaively(text)!)) as number[]);
  const around = addSpecialTokens ? (rules.before?.length ?? 0) + (rules.after?.length ?? 0) : 0;
  const columns = length ?? Math.max(...bodies.map((body) => body.length)) + around;
  const rows = bodies.map((body) => rowNaively(rules, body, columns, side ?? rules.side ?? 'right', addSpecialTokens));
  return { ids: rows.flatMap(({ ids }) => ids), mask: rows.flatMap(({ mask }) => mask), shape: [rows.length, columns] };
}

type Made = { ids: ArrayLike<number | bigint>; mask?: ArrayLike<number | bigint> | undefined; shape: readonly number[] };
const listed = ({ ids, mask, shape }: Made, without?: number[]) => ({
  ids: Array.from(ids, Number),
  mask: mask ? Array.from(mask, Number) : without,
  shape: [...shape],
});

leaveDeviceAfterEach();

describe.each(VOCABULARIES)('matrices of %s', (_, source, rules) => {
  const sequences = sequencesOf(58, sample(400, 60), rules);
  const shapes: Shape[] = [
    { side: 'left', mask: 'none' },
    { side: 'right', type: 'bigint64', mask: 'ids' },
    { side: 'right', type: 'uint16', length: 40, truncate: true, addSpecialTokens: true },
    { side: 'left', length: 300, addSpecialTokens: true, mask: 'ids' },
  ];

  it('have the ids of the complements, on the CPU and in WebAssembly', async () => {
    using dna = await DnaTokenizer.load(source as 'nt-v2');
    using other = await wasm.DnaTokenizer.load(source as 'nt-v2');
    for (const shape of shapes) {
      const options = { ...shape, reverseComplement: true };
      const expected = expectedOf(sequences, rules, shape);
      const before = rowsOf(['ACGT', ...sequences]);
      const block = { bytes: before.bytes, offsets: before.offsets.subarray(1) };
      for (const texts of [sequences, sequences.map(utf8), block]) {
        for (const made of [
          dna.encodeBatch(texts, options),
          await dna.encodeBatchAsync(texts, options),
          other.encodeBatch(texts, options),
        ]) {
          expect(listed(made, expected.mask)).toEqual(expected);
        }
      }
      expect(block.bytes).toEqual(rowsOf(['ACGT', ...sequences]).bytes); // the caller's bytes stay as they are
    }
  });

  it.each(SLICES)('have the same ids on a device, with %o %s', async (settings, faults) => {
    using dna = await DnaTokenizer.load(source as 'nt-v2');
    for (const shape of shapes) {
      const options = { ...ON, ...shape, reverseComplement: true, resident: false } as const;
      const expected = expectedOf(sequences, rules, shape);
      useEmulatedDevice(settings, faults);
      for (const texts of [sequences, rowsOf(sequences)]) {
        for (const made of [
          await onDevice(() => dna.encodeBatch(texts, options)),
          await onDevice(() => dna.encodeBatchAsync(texts, options)),
        ]) {
          expect(listed(made, expected.mask)).toEqual(expected);
        }
        const there = { ...options, resident: true } as const;
        for (using kept of [
          await onDevice(() => dna.encodeBatch(texts, there)),
          await onDevice(() => dna.encodeBatchAsync(texts, there)),
        ]) {
          expect(listed(kept.toHost() as Made, expected.mask)).toEqual(expected);
        }
      }
    }
  });

  it('come from batches and go to models', async () => {
    using dna = await DnaTokenizer.load(source as 'nt-v2');
    const length = 300;
    const expected = expectedOf(sequences, rules, { length }).ids;
    useEmulatedDevice({ sliceBytes: 4096 });
    for (const ahead of [0, 1]) {
      const options = { batchSize: 16, length, ahead, reverseComplement: true };
      for (const items of [sequences, sequences.map(utf8)]) {
        const all: number[] = [];
        for await (const { ids } of dna.batches(items, options)) all.push(...ids);
        expect(all).toEqual(expected);
      }
      const there: number[] = [];
      for await (using batch of dna.batches(sequences, { ...options, ...ON, resident: true })) there.push(...batch.toHost().ids);
      expect(there).toEqual(expected);
      const values: number[] = [];
      const model = ({ ids, shape: [rows] }: { ids: Int32Array; shape: readonly [number, number] }) =>
        Array.from({ length: rows }, (_, row) => [...ids.subarray(row * length, (row + 1) * length)]);
      for await (const { values: some } of embed(dna, sequences, model, options)) values.push(...some.flat());
      expect(values).toEqual(expected);
      // Rows of equal length.
      const rows: number[][] = [];
      for await (const {
        ids,
        shape: [, columns],
        indexes,
      } of dna.batches(sequences, { ...options, length: undefined })) {
        indexes.forEach((index, row) => (rows[index] = [...ids.subarray(row * columns, (row + 1) * columns)]));
      }
      expect(rows).toEqual(sequences.map((text) => encodeNaively(rules, utf8(complementNaively(text)!))));
    }
  });
});

it('large matrices have them, on all threads', async () => {
  const random = new Random(59);
  const sequences = Array.from({ length: 4000 }, () =>
    Array.from({ length: random.integer(500, 600) }, () => random.pick('ACGT')).join(''),
  );
  using dna = await DnaTokenizer.load('hyenadna');
  const options = { length: 600, mask: 'none' } as const;
  const { ids } = dna.encodeBatch(
    sequences.map((text) => reverseComplement(text)),
    options,
  );
  const same = (made: Int32Array) =>
    Buffer.compare(Buffer.from(made.buffer, made.byteOffset, made.byteLength), Buffer.from(ids.buffer, ids.byteOffset, ids.byteLength)) ===
    0;
  expect(same(dna.encodeBatch(sequences, { ...options, reverseComplement: true }).ids)).toBe(true);
  expect(same((await dna.encodeBatchAsync(rowsOf(sequences), { ...options, reverseComplement: true })).ids)).toBe(true);
});

it.each([
  ['answers with promises', true],
  ['is asked itself', false],
])('a discovered tokenizer has them where it %s', async (_, isAsync) => {
  // The length in every id: no table fits, so it is asked.
  const encode = (sequence: string) => Array.from(sequence, (base) => sequence.length * 10 + 'ACGTN'.indexOf(base));
  using dna = await DnaTokenizer.discover((sequence) => (isAsync ? Promise.resolve(encode(sequence)) : encode(sequence)));
  expect(dna.fallback).toBeDefined();
  const sequences = ['ACGG', 'TTAC', 'CNNA'];
  const expected = sequences.map((text) => encode(complementNaively(text)!));
  const options = { reverseComplement: true, mask: 'none' } as const;
  expect([...(await dna.encodeBatchAsync(sequences, options)).ids]).toEqual(expected.flat());
  for await (const { ids } of dna.batches(sequences, { ...options, batchSize: 3 })) expect([...ids]).toEqual(expected.flat());
});

describe('errors', () => {
  const rejected = {
    code: 'UNKNOWN_BASE',
    row: 2,
    position: 4,
    message:
      "sequences[2] holds 'R' at position 4, for which nt-v2 has no id here (a code of several bases: load with ambiguous: 'normalize')",
  };
  const without = {
    code: 'UNKNOWN_BASE',
    row: 1,
    position: 2,
    message: "sequences[1] holds '*' at position 2, which is not a base and has no complement",
  };

  it.each([
    ['a letter that the model rejects', ['ACGT', '', 'GGTTRAAAAAA'], rejected],
    ['a letter without a complement', ['ACGT', 'AC*', 'GG'], without],
    [
      'a character beyond ASCII',
      ['ACGT', 'ACé'],
      { ...without, message: 'sequences[1] holds U+00E9 at position 2, which is not a base and has no complement' },
    ],
  ])('name the row and the position of %s', async (_, sequences, failure) => {
    using dna = await DnaTokenizer.load('nt-v2');
    useEmulatedDevice();
    for (const more of [{}, ON, { ...ON, resident: true }] as (Shape & { resident?: boolean })[]) {
      const options = { ...more, reverseComplement: true, length: 12, resident: more.resident as false };
      const bytes = sequences.every((text) => /^[ -~]*$/.test(text)) ? [sequences.map(utf8), rowsOf(sequences)] : [];
      for (const texts of [sequences, ...bytes]) {
        expect(thrown(() => dna.encodeBatch(texts, options))).toMatchObject(failure);
        await expect(dna.encodeBatchAsync(texts, options)).rejects.toMatchObject(failure);
      }
      for (const items of [sequences, ...(bytes.length > 0 ? [sequences.map(utf8)] : [])]) {
        const { message, ...rest } = failure;
        const named = { ...rest, message: message.replace(/^sequences\[(\d)\]/, 'item $1 of the source ("r$1")') };
        const records = items.map((sequence, index) => ({ name: `r${index}`, sequence }));
        await expect(dna.batches(records, { ...options, batchSize: 3 }).next()).rejects.toMatchObject(named);
      }
    }
  });

  it('refuse another value', async () => {
    using dna = await DnaTokenizer.load('nt-v2');
    expect(() => dna.encodeBatch(['A'], { reverseComplement: 1 as never })).toThrow(
      'expected a boolean for reverseComplement but received 1',
    );
    expect(() => dna.encode('A', { reverseComplement: true } as never)).toThrow(/unknown option 'reverseComplement'/);
  });
});
