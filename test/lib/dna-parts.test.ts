// Sequences that arrive in parts of any size, with room for any number of ids: the same ids as in one call.

import { describe, expect, it } from 'vitest';
import { DnaTokenizer, type DnaVocabulary } from 'crayon-tokenizer/dna';

import { Random } from '../fuzz/random.mjs';
import { dnaEngineOf } from '../../dist/node/internals.js';
import { sample } from '../share.js';
import { encodeNaively, MODELS, type NaiveRules } from './naive-dna.js';
import { thrown } from './thrown.js';

const CONTINUED = 16;
const UNFINISHED = 32;

const STRIDE: DnaVocabulary = { unit: 'kmer-stride-1', k: 3, kmerIds: 1, baseIds: {}, unknownId: 0 };
const STARTS: DnaVocabulary = { unit: 'byte', baseIds: { A: 1, C: 2, G: 3, T: 4, N: 5 }, startIds: { A: 11, C: 12, G: 13, T: 14, N: 15 } };
const BASES = { A: 1, C: 2, G: 3, T: 4, N: 5 };
const RULES: [string, string | DnaVocabulary, NaiveRules][] = [
  ...Object.entries(MODELS).map(([name, rules]): [string, string, NaiveRules] => [name, name, rules]),
  ['stride 1', STRIDE, { ids: {}, unknown: 0, k: 3, digits: 'ACGT', stride: true, kmer: (index) => 1 + index }],
  ['other first ids', STARTS, { ids: BASES, starts: { A: 11, C: 12, G: 13, T: 14, N: 15 } }],
];

/** The ids of parts that end at `cuts`; each call has room for a few ids. */
function inParts(dna: DnaTokenizer, sequence: Uint8Array, cuts: readonly number[], room: () => number): number[] {
  const engine = dnaEngineOf(dna);
  const ids: number[] = [];
  let at = 0;
  for (const cut of [...cuts, sequence.length]) {
    const flags = cut < sequence.length ? UNFINISHED : 0;
    for (let more = true; more; ) {
      const out = new Int32Array(room());
      const part = engine.encodePart!(sequence.subarray(at, cut), flags | (at > 0 ? CONTINUED : 0), out);
      ids.push(...out.subarray(0, part.count));
      at += part.consumed;
      more = part.more;
    }
  }
  expect(at).toBe(sequence.length);
  return ids;
}

describe.each(RULES)('%s', (_, source, rules) => {
  it('gives the same ids in parts', async () => {
    using dna = await DnaTokenizer.load(source);
    const random = new Random(20261122);
    for (let round = 0; round < sample(300, 40); round++) {
      const letters = [...random.pick(['ACGT', 'ACGTN', 'ACGTNNN'])];
      const sequence = Uint8Array.from({ length: random.integer(0, 300) }, () => random.pick(letters).charCodeAt(0));
      const cuts = Array.from({ length: random.integer(0, 6) }, () => random.integer(0, Math.max(0, sequence.length - 1))).sort(
        (a, b) => a - b,
      );
      const ids = inParts(dna, sequence, cuts, () => random.integer(8, 80));
      expect(ids, `${Buffer.from(sequence)} ${cuts}`).toEqual(encodeNaively(rules, sequence));
    }
  });

  // WebAssembly takes windows of 64 Ki.
  it('gives the same ids for long parts', async () => {
    using dna = await DnaTokenizer.load(source);
    const random = new Random(7);
    const sequence = Uint8Array.from({ length: 200_001 }, () => random.pick([...'ACGT']).charCodeAt(0));
    sequence.fill('N'.charCodeAt(0), 65_530, 65_540);
    const ids = inParts(dna, sequence, [1, 150_000], () => 100_000);
    const expected = encodeNaively(rules, sequence) as number[];
    expect(ids.length).toBe(expected.length);
    expect(ids.findIndex((id, at) => id !== expected[at])).toBe(-1);
  });
});

it('reports the position of a byte without an id in a part', async () => {
  using dna = await DnaTokenizer.load('nt-v2');
  const engine = dnaEngineOf(dna);
  const sequence = Buffer.from(`${'ACGTAC'.repeat(20_000)}x`);
  let at = 0;
  const error = thrown(() => {
    const out = new Int32Array(1000);
    for (let more = true; more; ) {
      const part = engine.encodePart!(sequence.subarray(at), CONTINUED, out);
      at += part.consumed;
      more = part.more;
    }
  });
  expect([error.code, at + error.position]).toEqual(['UNKNOWN_BASE', 120_000]);
});
