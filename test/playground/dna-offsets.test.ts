// Ids of DNA are drawn on their letters: every view of random sequences, for every preset.

import { DnaTokenizer, type DnaName } from 'crayon-tokenizer/dna';
import { expect, it } from 'vitest';

import { dnaOffsets } from '../../docs/playground/src/dna-offsets.js';
import { unitsOf } from '../../docs/playground/src/units.js';
import { Random } from '../fuzz/random.mjs';

const SEED = Number(process.env.CRAYON_FUZZ_SEED ?? 1);
const PRESETS: DnaName[] = ['nt-v1', 'nt-v2', 'nt-v3', 'hyenadna', 'caduceus', 'evo2', 'gpn'];
const PARTS = [
  'ACGTAC',
  'ACGTACGTACGTACGTA',
  'T',
  'g',
  'acgtac',
  'N',
  'NNN',
  'n',
  'R',
  'RY',
  'ry',
  '-',
  '--',
  '.',
  'X',
  '*',
  ' ',
  '\n',
  '\u00a0',
  '\0',
  'é',
  '東',
  '😀',
  '\ud83d',
];

/** What a letter, a word or a k-mer is for Nucleotide Transformer's own tokenizer, as its regular expression has them. */
const ESM = /[ACGT]{6}|[ACGTN]|[^\sACGTN]+/g;
const expectedPlaces = (preset: string, sequence: string) => {
  if (/^nt-v[12]$/.test(preset))
    return Array.from(sequence.toUpperCase().matchAll(ESM), ({ index, 0: { length } }) => [index, index + length]);
  const places: number[][] = [];
  let at = 0;
  for (const letter of sequence) {
    const count = preset === 'evo2' ? new TextEncoder().encode(letter).length : 1;
    for (let each = 0; each < count; each++) places.push([at, at + letter.length]);
    at += letter.length;
  }
  return places;
};

it('R and Y of a published sequence are one unknown id, and what follows keeps its letters', async () => {
  using tokenizer = await DnaTokenizer.load('nt-v2', { lowerCase: 'normalize', ambiguous: 'keep' });
  const sequence = 'ACGTACRYACGTACGTACGT';
  const ids = Uint32Array.from(tokenizer.encode(sequence, { addSpecialTokens: false }), Number);
  const offsets = dnaOffsets(tokenizer, sequence, ids);
  const drawn = unitsOf(sequence, 0, sequence.length, { ids, offsets }).map(({ first, from, to }) => [
    sequence.slice(from, to),
    ids[first],
  ]);
  expect(drawn).toEqual([
    ['ACGTAC', 728],
    ['RY', 0],
    ['ACGTAC', 728],
    ['GTACGT', ids[3]],
  ]);
});

it.each(PRESETS)('%s: each id is on the letters that have it', async (preset) => {
  using tokenizer = await DnaTokenizer.load(preset as 'nt-v2', { lowerCase: 'normalize', ambiguous: 'keep' });
  for (let trial = 0; trial < 400; trial++) {
    const random = new Random(SEED, trial);
    const sequence = Array.from({ length: random.integer(0, 40) }, () => random.pick(PARTS)).join('');
    const where = `${preset}, seed ${SEED}, trial ${trial}: ${JSON.stringify(sequence)}`;
    const ids = Uint32Array.from(tokenizer.encode(sequence, { addSpecialTokens: false }), Number);
    const offsets = dnaOffsets(tokenizer, sequence, ids);
    const places = Array.from(ids, (_, id) => [offsets[2 * id], offsets[2 * id + 1]]);
    expect(places, where).toEqual(expectedPlaces(preset, sequence));
    // What is drawn: each unit's letters alone have the unit's ids, and letters without a unit have none.
    const idsOf = (text: string) => Array.from(tokenizer.encode(text, { addSpecialTokens: false }), Number);
    const units = unitsOf(sequence, 0, sequence.length, { ids, offsets });
    expect(units.map(({ from, to }) => sequence.slice(from, to)).join(''), where).toBe(sequence);
    for (const { first, end, from, to } of units) {
      if (/^\s*$/.test(sequence.slice(from, to)) && first === end) expect(idsOf(sequence.slice(from, to)), where).toEqual([]);
      else expect(idsOf(sequence.slice(from, to)), where).toEqual([...ids.subarray(first, end)]);
    }
  }
});

it('asks about each letter and run once', async () => {
  using tokenizer = await DnaTokenizer.load('nt-v2', { lowerCase: 'normalize', ambiguous: 'keep' });
  const sequence = 'ACGTACRYN-'.repeat(5000);
  const ids = Uint32Array.from(tokenizer.encode(sequence, { addSpecialTokens: false }), Number);
  let letters = 0;
  const counting = {
    unit: tokenizer.unit,
    unknownId: tokenizer.unknownId,
    encode: ((text: string, options: object) => {
      letters += text.length;
      return tokenizer.encode(text, options);
    }) as DnaTokenizer['encode'],
    decode: (given: Parameters<DnaTokenizer['decode']>[0]) => tokenizer.decode(given),
  };
  dnaOffsets(counting, sequence, ids);
  expect(letters).toBeLessThan(sequence.length);
});
