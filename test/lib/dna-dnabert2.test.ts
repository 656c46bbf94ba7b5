// BPE of DNABERT-2's kind, from its tokenizer.json, compared with npm `tokenizers`.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Tokenizer as HuggingFace } from 'tokenizers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DnaTokenizer } from 'crayon-tokenizer/dna';

import { Random } from '../fuzz/random.mjs';
import { sample } from '../share.js';
import { dnaTokenizerJson } from './dna-bpe.js';
import { thrown } from './thrown.js';

const json = dnaTokenizerJson();
const reference = HuggingFace.fromString(JSON.stringify(json));
const plain = (ids: ArrayLike<number | bigint>) => Array.from(ids, Number);
const expected = async (sequence: string, addSpecialTokens: boolean) =>
  (await reference.encode(sequence, null, { addSpecialTokens })).getIds();
const LETTERS = ['ACGT', 'ACGT', 'AC', 'ACGTN', 'ACGTacgtn', 'ACGT \t\n-*', 'ACGTRYSWKM_19', 'ACGTé\u00a0\u2003\u3000👍\ufeff\u0085'];

describe('DNABERT-2', () => {
  let dna: DnaTokenizer;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'crayon-test-'));
    dna = await DnaTokenizer.load('dnabert2', { tokenizerJson: json });
  });
  afterAll(() => {
    dna.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('equals the reference', async () => {
    const random = new Random(20261122, 8);
    for (let round = 0; round < sample(300, 80); round++) {
      const letters = [...random.pick(LETTERS)];
      const sequence = Array.from({ length: random.integer(0, 300) }, () => random.pick(letters).repeat(random.chance(0.1) ? 9 : 1)).join(
        '',
      );
      const around = random.chance(0.5);
      const ids = await expected(sequence, around);
      expect(plain(dna.encode(sequence, { addSpecialTokens: around })), JSON.stringify(sequence)).toEqual(ids);
      expect(dna.count(sequence, { addSpecialTokens: around })).toBe(ids.length);
    }
    for (const token of Object.keys(json.model.vocab).slice(5)) expect(plain(dna.encode(token))).toEqual([json.model.vocab[token]]);
  });

  it('equals the reference on long sequences', async () => {
    const random = new Random(20261122, 9);
    const sequence = Array.from({ length: 100_000 }, () => random.pick('ACGT')).join('') + 'A'.repeat(50_000);
    expect(plain(dna.encode(sequence))).toEqual(await expected(sequence, false));
  });

  it('makes matrices', async () => {
    const sequences = ['ACGTACGTTTGACA', 'GG', 'ACNNGT', ''];
    const { ids, mask, shape } = dna.encodeBatch(sequences, { addSpecialTokens: true, type: 'bigint64', mask: 'ids' });
    const rows = await Promise.all(sequences.map((sequence) => expected(sequence, true)));
    const longest = Math.max(...rows.map(({ length }) => length));
    expect(shape).toEqual([4, longest]);
    expect(plain(ids)).toEqual(rows.flatMap((row) => [...row, ...new Array<number>(longest - row.length).fill(3)]));
    expect(plain(mask!)).toEqual(rows.flatMap((row) => [...row.map(() => 1), ...new Array<number>(longest - row.length).fill(0)]));
    expect(plain(dna.encode('ACGTACGT', { length: 3, truncate: true, addSpecialTokens: true }))).toHaveLength(3);
  });

  it('decodes', () => {
    expect(dna.decode(dna.encode('ACGTACGTTGN', { addSpecialTokens: true }))).toBe('[CLS]ACGTACGTTG[UNK][SEP]');
    expect(dna.decode(dna.encode('ACGTACGTTG', { addSpecialTokens: true }), { skipSpecialTokens: true })).toBe('ACGTACGTTG');
    expect(thrown(() => dna.decode([5, 9999]))).toMatchObject({ code: 'INVALID_ID', position: 1 });
    expect(dna).toMatchObject({ name: 'dnabert2', unit: 'bpe', padId: 3, unknownId: 0, vocabularySize: 309 });
    expect([...dna.specialTokens]).toEqual([
      ['[UNK]', 0],
      ['[CLS]', 1],
      ['[SEP]', 2],
      ['[PAD]', 3],
      ['[MASK]', 4],
    ]);
    expect(thrown(() => dna.toCartridge())).toMatchObject({ code: 'BUILD_FAILED' });
  });

  it('has policies', async () => {
    using upper = await DnaTokenizer.load('dnabert2', { tokenizerJson: json, lowerCase: 'normalize', ambiguous: 'reject' });
    expect(plain(upper.encode('acgtACGTn'))).toEqual(await expected('ACGTACGTN', false));
    expect(thrown(() => upper.encodeBatch(['A', 'acR']))).toMatchObject({ code: 'UNKNOWN_BASE', row: 1, position: 2 });
    await expect(DnaTokenizer.load('dnabert2', { tokenizerJson: json, tail: 'pad' })).rejects.toThrow(
      /`tail` must be left out: dnabert2 has no k-mers/,
    );
  });

  it('may also be given as text or a file', async () => {
    const path = join(folder, 'tokenizer.json');
    writeFileSync(path, JSON.stringify(json));
    for (const tokenizerJson of [JSON.stringify(json), path, pathToFileURL(path)]) {
      using other = DnaTokenizer.loadSync('dnabert2', { tokenizerJson });
      expect(plain(other.encode('ACGTACG'))).toEqual(plain(dna.encode('ACGTACG')));
    }
  });

  it('refuses a file whose ids would differ', async () => {
    const load = (change: object) => DnaTokenizer.load('dnabert2', { tokenizerJson: { ...json, ...change } });
    const model = (change: object) => load({ model: { ...json.model, ...change } });
    await expect(DnaTokenizer.load('dnabert2')).rejects.toThrow(/tokenizer.json, .* for tokenizerJson but received undefined/);
    await expect(DnaTokenizer.load('dnabert2', { tokenizerJson: '{' })).rejects.toMatchObject({ code: 'CORRUPT_STRUCTURE' });
    await expect(DnaTokenizer.load('hyenadna', { tokenizerJson: json })).rejects.toThrow(TypeError);
    await expect(load({ normalizer: { type: 'Lowercase' } })).rejects.toThrow(/it has a normalizer/);
    await expect(load({ pre_tokenizer: null })).rejects.toThrow(/not Whitespace/);
    await expect(load({ model: {} })).rejects.toThrow(/not BPE/);
    await expect(model({ fuse_unk: true })).rejects.toThrow(/fuse_unk/);
    const added = (change: object) => load({ added_tokens: json.added_tokens.map((token) => ({ ...token, ...change })) });
    for (const flag of ['single_word', 'lstrip', 'rstrip'])
      await expect(added({ [flag]: true })).rejects.toThrow(`its added token [UNK] has ${flag}`);
    await expect(added({ special: false })).rejects.toThrow(/is not special/);
    await expect(model({ unk_token: null })).rejects.toThrow(/no unknown token/);
    await expect(model({ merges: [...json.model.merges, 'A é'] })).rejects.toThrow(/is not one of bases/);
    // A token that its own bases do not encode to: AC comes before CA, so ACA is AC A, never A CA.
    const vocab = Object.fromEntries(['[UNK]', 'A', 'C', 'AC', 'CA', 'ACA'].map((token, id) => [token, id]));
    await expect(model({ vocab, merges: ['A C', 'C A', 'A CA'] })).rejects.toThrow(
      /the merge 2 \(A CA\) makes a token that its own bases do not become/,
    );
  });
});
