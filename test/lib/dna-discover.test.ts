// DnaTokenizer.discover: tables of other tokenizers, and what falls back to them.

import { Tokenizer as HuggingFace } from 'tokenizers';
import { describe, expect, inject, it } from 'vitest';
import { DnaTokenizer, type UpstreamEncode } from 'crayon-tokenizer';

import { Random } from '../fuzz/random.mjs';
import { sample } from '../share.js';
import { dnaTokenizerJson } from './dna-bpe.js';
import { encodeNaively, lettersBy, MODELS, type NaiveRules } from './naive-dna.js';
import { thrown } from './thrown.js';

const SEED = 20261122;
const plain = (ids: ArrayLike<number | bigint>) => Array.from(ids, Number);

/** A tokenizer by rules, with what it puts around sequences. */
function upstream(rules: NaiveRules): (sequence: string) => number[] {
  return (sequence) => {
    const ids = encodeNaively(rules, new TextEncoder().encode(sequence));
    if (!Array.isArray(ids)) throw new Error(`no id at ${ids.bad}`);
    return [...(rules.before ?? []), ...ids, ...(rules.after ?? [])];
  };
}

function randomSequence(random: Random): string {
  const letters = random.pick(['ACGT', 'ACGTN', 'ACGTNNNN', 'acgt', 'ACGTacgtNn', 'ACGTRYSWKMBDHVN']);
  return Array.from({ length: random.integer(0, 200) }, () => random.pick(letters)).join('');
}

const KEEP = lettersBy({});
const UPSTREAMS: [string, NaiveRules, object][] = [
  ['characters, as HyenaDNA', MODELS.hyenadna!, { unit: 'byte', k: 1 }],
  ['characters in upper case, as Caduceus', MODELS.caduceus!, { unit: 'byte', k: 1 }],
  ['bytes, as Evo2', MODELS.evo2!, { unit: 'byte', k: 1 }],
  ['6-mers, as Nucleotide Transformer', { ...MODELS['nt-v2']!, letters: KEEP }, { unit: 'kmer', k: 6 }],
  ['6-mers that refuse lower case', MODELS['nt-v1']!, { unit: 'kmer', k: 6 }],
  ['6-mers of any case', { ...MODELS['nt-v2']!, letters: lettersBy({ lowerCase: 'normalize' }) }, { unit: 'kmer', k: 6 }],
  ['3-mers with N', { k: 3, digits: 'ACGTN', kmer: (i) => 9 + i, ids: { A: 1, C: 2, G: 3, T: 4, N: 5 }, unknown: 0, before: [6], after: [7, 8] }, { unit: 'kmer', k: 3 }],
  ['5-mers without tails', { k: 5, digits: 'CGTA', kmer: (i) => 9 + i, ids: { N: 5 }, unknown: 0, tail: 'drop' }, { unit: 'kmer', k: 5 }],
  ['4-mers with tails of a pad id', { k: 4, digits: 'ACGT', kmer: (i) => 9 + i, ids: { N: 5 }, unknown: 0, tail: 'pad', pad: 2 }, { unit: 'kmer', k: 4 }],
  ['overlapping 3-mers', { k: 3, stride: true, digits: 'ACGT', kmer: (i) => 9 + i, ids: {}, unknown: 0, before: [1], after: [2] }, { unit: 'kmer-stride-1', k: 3 }],
  ['another id at the start', { ids: { A: 1, C: 2, G: 3, T: 4, N: 5 }, starts: { A: 11, C: 12, G: 13, T: 14, N: 15 }, unknown: 0 }, { unit: 'byte', k: 1 }],
];

describe('tables', () => {
  it.each(UPSTREAMS)('of %s', async (name, rules, facts) => {
    const encode = upstream(rules);
    using dna = await DnaTokenizer.discover(encode, { name: 'other' });
    expect(dna.fallback).toBe(undefined);
    expect(dna).toMatchObject({ ...facts, name: 'other' });
    expect(dna.backend.kind).toBe(inject('backend'));
    const random = new Random(SEED, name.length);
    for (let round = 0; round < sample(200, 40); round++) {
      const sequence = randomSequence(random);
      let expected: number[];
      try {
        expected = encode(sequence);
      } catch {
        expect(thrown(() => dna.encode(sequence))).toMatchObject({ code: 'UNKNOWN_BASE' });
        continue;
      }
      expect(plain(dna.encode(sequence)), sequence).toEqual(expected);
      const bare = expected.slice(rules.before?.length ?? 0, expected.length - (rules.after?.length ?? 0));
      expect(plain(dna.encode(sequence, { addSpecialTokens: false }))).toEqual(bare);
    }
    // They are a vocabulary like any other.
    using again = await DnaTokenizer.load(dna.toCartridge());
    expect(plain(again.encode('ACGTACGTAC', { addSpecialTokens: true }))).toEqual(encode('ACGTACGTAC'));
  });

  it('of one that answers with promises, in arrays of bigints', async () => {
    const encode = upstream(MODELS['nt-v1']!);
    using dna = await DnaTokenizer.discover(async (sequence) => BigInt64Array.from(encode(sequence), BigInt));
    expect(dna.fallback).toBe(undefined);
    expect(plain(dna.encode('ACGTACGTANC'))).toEqual(encode('ACGTACGTANC'));
    expect(plain(await dna.encodeAsync('ACGTACGTANC'))).toEqual(encode('ACGTACGTANC'));
  });

  it('have the names that decode gives', async () => {
    const names: Record<number, string> = { 1: '[SEP]', 6: '[UNK]' };
    using dna = await DnaTokenizer.discover(upstream(MODELS.hyenadna!), { decode: ([id]) => names[id!] ?? '', padId: 4 });
    expect(dna.specialTokens.get('[SEP]')).toBe(1);
    expect(dna.decode(dna.encode('ACGTNx'))).toBe('ACGTN[UNK][SEP]');
    expect(dna.decode(dna.encode('ACGTN'), { skipSpecialTokens: true })).toBe('ACGTN');
    expect(plain(dna.encodeBatch(['A', 'CC']).ids)).toEqual([4, 7, 1, 8, 8, 1]); // on the left
  });

  it('are of the length that is known', async () => {
    using dna = await DnaTokenizer.discover(upstream(MODELS['nt-v1']!), { tokenLength: 6 });
    expect(dna).toMatchObject({ fallback: undefined, k: 6 });
    using wrong = await DnaTokenizer.discover(upstream(MODELS['nt-v1']!), { tokenLength: 3 });
    expect(wrong.fallback?.reason).toBe('it has no id for each 3-mer');
    expect(plain(wrong.encode('ACGTACG'))).toEqual(upstream(MODELS['nt-v1']!)('ACGTACG'));
  });
});

describe('what is hardly a tokenizer', () => {
  it.each([
    ['bases that share an id', (s) => Array.from(s, (base) => ('AG'.includes(base) ? 1 : 2))],
    ['k-mers with ids of their first base', (s) => Array.from({ length: Math.max(0, s.length - 1) }, (_, at) => s.charCodeAt(at))],
    ['ids that no vocabulary has', (s) => Array.from(s, (base) => base.charCodeAt(0) * 1e7)],
    ['a length', (s) => [s.length]],
    ['a length behind', (s) => [...Array.from(s, (base) => 5 + 'ACGT'.indexOf(base)), 1000 + s.length]],
    ['positions', (s) => Array.from(s, (_, at) => at)],
  ] as [string, (sequence: string) => number[]][])('is asked itself: %s', async (_, encode) => {
    const dna = await DnaTokenizer.discover(encode);
    for (const sequence of ['', 'A', 'ACGTAC', 'GGNNac']) expect(plain(dna.encode(sequence)), sequence).toEqual(encode(sequence));
    dna.close();
  });

  it('that always throws is the reason', async () => {
    const broken = new Error('broken');
    await expect(DnaTokenizer.discover(() => { throw broken; })).rejects.toBe(broken);
  });
});

describe('a fallback', () => {
  /** As HyenaDNA, but for sequences that begin with many different bases: no probe does. */
  const adversary = (sequence: string) => upstream(MODELS.hyenadna!)(/^GATTA|GGTCA/.test(sequence) ? sequence.replaceAll('A', 'N') : sequence);

  it('asks the tokenizer that its tables do not describe', async () => {
    // Each agrees on all that it is asked, until a random sequence shows the difference.
    const liars: [string, UpstreamEncode][] = [
      ['another id in long sequences', (sequence) => upstream(MODELS.hyenadna!)(sequence.length > 150 ? sequence.replaceAll('A', 'C') : sequence)],
      ['a run of N as one', (sequence) => upstream(MODELS.hyenadna!)(sequence.replace(/NNN+/g, 'NN'))],
      ['a token for three bases', (sequence) => upstream(MODELS.hyenadna!)(sequence).flatMap((id, i, ids) => (id === 9 && ids[i + 1] === 7 && ids[i + 2] === 10 ? [50] : [id]))],
      ['a k-mer at another position', (sequence) => upstream({ ...MODELS['nt-v1']!, letters: KEEP })(sequence.length > 70 ? sequence.slice(1) : sequence)],
    ];
    for (const [name, encode] of liars) {
      using dna = await DnaTokenizer.discover(encode, { padId: 4 });
      expect(dna.fallback?.reason, name).toMatch(/do not follow from its tables|it has no id/);
      const { sequence, expected, received } = dna.fallback!.example!;
      expect(expected).toEqual(encode(sequence));
      expect(received ?? []).not.toEqual(expected);
      expect(dna).toMatchObject({ unit: 'other', name: 'discovered' });
      const random = new Random(SEED, 7);
      for (let round = 0; round < 20; round++) {
        const sequence = randomSequence(random);
        expect(plain(dna.encode(sequence))).toEqual(encode(sequence));
      }
    }
  });

  it('has the shapes of all others', async () => {
    const encode = (sequence: string) => [...upstream(MODELS.hyenadna!)(sequence.replace(/NNN+/g, 'NN'))];
    using dna = await DnaTokenizer.discover(encode, { padId: 4, decode: (ids) => ids.join('-') });
    expect(plain(dna.encode('ACNNNG', { length: 8, type: 'bigint64' }))).toEqual([4, 4, 7, 8, 11, 11, 9, 1]);
    expect(plain(dna.encode('ACNNNG', { length: 4, truncate: true }))).toEqual([7, 8, 11, 1]);
    expect(plain(dna.encode('ACNNNG', { addSpecialTokens: false }))).toEqual([7, 8, 11, 11, 9]);
    const matrix = dna.encodeBatch(['ACNNNG', 'T'], { side: 'right' });
    expect(matrix).toEqual({
      ids: Int32Array.of(7, 8, 11, 11, 9, 1, 10, 1, 4, 4, 4, 4),
      mask: Uint8Array.of(1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0),
      shape: [2, 6],
      unknown: 0, // what it does not know, another tokenizer does not say
      unknownPerRow: Uint32Array.of(0, 0),
    });
    expect(dna.count('NNNN')).toBe(3);
    expect(dna.decode([7, 8])).toBe('7-8');
    expect(thrown(() => dna.encode('ACGT', { length: 2 }))).toMatchObject({ code: 'TEXT_TOO_LONG' });
    expect(thrown(() => dna.toCartridge())).toMatchObject({ code: 'BUILD_FAILED' });
    const shapes = [];
    for await (const { shape, indexes } of dna.batches(['A', 'NNNN', 'NN'], { batchSize: 4 })) shapes.push([...shape, ...indexes]);
    expect(shapes).toEqual([[1, 2, 0], [2, 3, 1, 2]]);
  });

  it('to promises encodes with promises', async () => {
    const encode = async (sequence: string) => upstream(MODELS.hyenadna!)(sequence.replace(/NNN+/g, 'NN'));
    using dna = await DnaTokenizer.discover(encode, { padId: 4 });
    expect(dna.fallback).toBeDefined();
    expect(thrown(() => dna.encode('A'), TypeError).message).toMatch(/answers with promises .* encodeAsync/);
    expect(thrown(() => dna.encodeBatch(['A']), TypeError).message).toMatch(/encodeBatchAsync/);
    expect(plain(await dna.encodeAsync('ANNNN'))).toEqual([7, 11, 11, 1]);
    expect(plain((await dna.encodeBatchAsync(['ANNNN', 'C'])).ids)).toEqual([7, 11, 11, 1, 4, 4, 8, 1]);
    const all = [];
    for await (const { ids, names } of dna.batches([{ name: 'a', sequence: 'NNNN' }], { batchSize: 4 })) all.push(...ids, ...names);
    expect(all).toEqual([11, 11, 1, 'a']);
  });

  it('is what an adversary escapes only where nobody asks', async () => {
    using dna = await DnaTokenizer.discover(adversary);
    const { fallback } = dna;
    // Either a check has met it, or the tables are right about everything that was checked.
    if (fallback) expect(fallback.example!.expected).toEqual(adversary(fallback.example!.sequence));
    else expect(plain(dna.encode('ACGT'))).toEqual(adversary('ACGT'));
  });

  it('is what DNABERT-2 has', async () => {
    const reference = HuggingFace.fromString(JSON.stringify(dnaTokenizerJson()));
    const encode = async (sequence: string) => (await reference.encode(sequence)).getIds();
    using dna = await DnaTokenizer.discover(encode);
    expect(dna.fallback?.reason).toMatch(/it has no id|do not follow/);
    expect(plain(await dna.encodeAsync('ACGTTGCAACNGT'))).toEqual(await encode('ACGTTGCAACNGT'));
  });
});

describe('arguments', () => {
  it('are checked', async () => {
    await expect(DnaTokenizer.discover(5 as never)).rejects.toThrow('expected a function for encodeFn but received 5');
    await expect(DnaTokenizer.discover(() => 'ids' as never)).rejects.toThrow('expected an array of token ids for what encodeFn returns');
    await expect(DnaTokenizer.discover(() => [-1])).rejects.toThrow(TypeError);
    await expect(DnaTokenizer.discover(() => [1], { pad: 1 } as never)).rejects.toThrow(/unknown option 'pad'/);
    await expect(DnaTokenizer.discover(() => [1], { tokenLength: 0 })).rejects.toThrow(RangeError);
  });
});
