// DnaTokenizer.discover: tables for other tokenizers, and the fallback to them.

import { Tokenizer as HuggingFace } from 'tokenizers';
import { describe, expect, inject, it } from 'vitest';
import { type DnaBatch, DnaTokenizer, embed, type UpstreamEncode } from 'crayon-tokenizer/dna';

import { Random } from '../fuzz/random.mjs';
import { sample } from '../share.js';
import { dnaTokenizerJson } from './dna-bpe.js';
import { encodeNaively, lettersBy, MODELS, type NaiveRules, rowNaively } from './naive-dna.js';
import { thrown } from './thrown.js';

const SEED = 20261122;
const plain = (ids: ArrayLike<number | bigint>) => Array.from(ids, Number);

/** A tokenizer that follows rules, with the ids it puts around sequences. */
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
  [
    '3-mers with N',
    { k: 3, digits: 'ACGTN', kmer: (i) => 9 + i, ids: { A: 1, C: 2, G: 3, T: 4, N: 5 }, unknown: 0, before: [6], after: [7, 8] },
    { unit: 'kmer', k: 3 },
  ],
  ['5-mers without tails', { k: 5, digits: 'CGTA', kmer: (i) => 9 + i, ids: { N: 5 }, unknown: 0, tail: 'drop' }, { unit: 'kmer', k: 5 }],
  [
    '4-mers with tails of a pad id',
    { k: 4, digits: 'ACGT', kmer: (i) => 9 + i, ids: { N: 5 }, unknown: 0, tail: 'pad', pad: 2 },
    { unit: 'kmer', k: 4 },
  ],
  [
    'overlapping 3-mers',
    { k: 3, stride: true, digits: 'ACGT', kmer: (i) => 9 + i, ids: {}, unknown: 0, before: [1], after: [2] },
    { unit: 'kmer-stride-1', k: 3 },
  ],
  [
    'another id at the start',
    { ids: { A: 1, C: 2, G: 3, T: 4, N: 5 }, starts: { A: 11, C: 12, G: 13, T: 14, N: 15 }, unknown: 0 },
    { unit: 'byte', k: 1 },
  ],
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
    // They are an ordinary vocabulary.
    using again = await DnaTokenizer.load(dna.toCartridge());
    expect(plain(again.encode('ACGTACGTAC', { addSpecialTokens: true }))).toEqual(encode('ACGTACGTAC'));
  });

  it('of a tokenizer that returns promises of bigint arrays', async () => {
    const encode = upstream(MODELS['nt-v1']!);
    using dna = await DnaTokenizer.discover(async (sequence) => BigInt64Array.from(encode(sequence), BigInt));
    expect(dna.fallback).toBe(undefined);
    expect(plain(dna.encode('ACGTACGTANC'))).toEqual(encode('ACGTACGTANC'));
    expect(plain(await dna.encodeAsync('ACGTACGTANC'))).toEqual(encode('ACGTACGTANC'));
  });

  it('have the names from decode', async () => {
    const names: Record<number, string> = { 1: '[SEP]', 6: '[UNK]' };
    using dna = await DnaTokenizer.discover(upstream(MODELS.hyenadna!), { decode: ([id]) => names[id!] ?? '', padId: 4 });
    expect(dna.specialTokens.get('[SEP]')).toBe(1);
    expect(dna.decode(dna.encode('ACGTNx'))).toBe('ACGTN[UNK][SEP]');
    expect(dna.decode(dna.encode('ACGTN'), { skipSpecialTokens: true })).toBe('ACGTN');
    expect(plain(dna.encodeBatch(['A', 'CC']).ids)).toEqual([4, 7, 1, 8, 8, 1]); // on the left
  });

  it('use k if it is given', async () => {
    using dna = await DnaTokenizer.discover(upstream(MODELS['nt-v1']!), { tokenLength: 6 });
    expect(dna).toMatchObject({ fallback: undefined, k: 6 });
    using wrong = await DnaTokenizer.discover(upstream(MODELS['nt-v1']!), { tokenLength: 3 });
    expect(wrong.fallback?.reason).toBe('it has no id for each 3-mer');
    expect(plain(wrong.encode('ACGTACG'))).toEqual(upstream(MODELS['nt-v1']!)('ACGTACG'));
  });
});

describe('an object', () => {
  const hyena = upstream(MODELS.hyenadna!);
  const names = { '[CLS]': 0, '[SEP]': 1, '[BOS]': 2, '[MASK]': 3, '[PAD]': 4, '[UNK]': 6 };
  /** Like transformers.js: a call returns tensors of bigints; `encode` returns numbers. */
  const callable = (sequence: string) => ({
    input_ids: { data: BigInt64Array.from(hyena(sequence), BigInt), dims: [1, hyena(sequence).length] },
  });
  const inPython = {
    encode: hyena,
    ...{
      pad_token: '[PAD]',
      pad_token_id: 4,
      unk_token: '[UNK]',
      unk_token_id: 6,
      mask_token: '[MASK]',
      sep_token: '[SEP]',
      cls_token: '[CLS]',
    },
    get_vocab: () => ({ ...names, A: 7 }),
    ...{ padding_side: 'left', model_max_length: 1e30 },
  };
  const facts = { ids: 'tables', tokenLength: 1, padId: 4, unknownId: 6, n: 'token', side: 'left' };

  it.each<[string, object, object, string]>([
    ['a tokenizer', inPython, { ...facts, modelLength: undefined }, 'padId 4: pad_token_id of the tokenizer'],
    [
      'a model with a tokenizer',
      { tokenizer: inPython, config: { max_position_embeddings: 1024 } },
      { ...facts, modelLength: 1024 },
      'modelLength 1024: max_position_embeddings of the config of the object',
    ],
    [
      'a tokenizer in a wrapper of one',
      { tokenizer: { tokenizer: inPython }, max_seq_len: 160 },
      { ...facts, modelLength: 160 },
      'modelLength 160: max_seq_len of the object',
    ],
    [
      'what JavaScript calls it',
      { encode: hyena, padTokenId: 4, unkTokenId: 6, paddingSide: 'left', modelMaxLength: 512 },
      { ...facts, modelLength: 512 },
      'padId 4: pad_token_id of the tokenizer',
    ],
    [
      'names of tokens',
      { encode: hyena, tokenToId: (name: string) => (names as Record<string, number>)[name] ?? 6, paddingSide: 'left' },
      facts,
      "padId 4: the token '[PAD]' of the tokenizer",
    ],
    [
      'names in a map',
      { encode: hyena, model: { tokens_to_ids: new Map(Object.entries(names)) }, padding_side: 'left' },
      facts,
      "padId 4: the token '[PAD]' of the tokenizer",
    ],
    [
      'a function with properties',
      Object.assign(callable, { pad_token_id: 4, padding_side: 'left' }),
      facts,
      'unknownId 6: what becomes of J and of O',
    ],
    [
      'the model says padding, not the tokenizer',
      { pad_id: 4, tokenizer: { encode: (s: string) => ({ ids: hyena(s) }), pad_token_id: 5 }, padding_side: 'left' },
      facts,
      'padId 4: pad_id of the object',
    ],
    [
      'encodings of Rust',
      { encode: async (s: string) => ({ getIds: () => hyena(s) }), pad_id: 4, padding_side: 'left' },
      facts,
      'padId 4: pad_id of the tokenizer',
    ],
    [
      'a tokenizer whose tokens are ids',
      { tokenize: (s: string) => Uint8Array.from(hyena(s)), pad_id: 4, padding_side: 'left' },
      facts,
      "side 'left': padding_side of the tokenizer",
    ],
  ])('is recognised: %s', async (_, object, expected, reason) => {
    using dna = await DnaTokenizer.discover(object);
    expect(dna.fallback).toBe(undefined);
    expect(dna.discovery).toMatchObject(expected);
    expect(dna.discovery!.reasons).toContain(reason);
    expect(dna.padId).toBe(4);
    expect(plain(dna.encode('ACGTNx'))).toEqual(hyena('ACGTNx'));
    const { modelLength = 3 } = expected as { modelLength?: number };
    const rows = ['A', 'CC'].map((sequence) => [...Array<number>(modelLength - hyena(sequence).length).fill(4), ...hyena(sequence)]);
    expect(plain(dna.encodeBatch(['A', 'CC']).ids)).toEqual(rows.flat());
  });

  it('names special tokens, which are then found in sequences', async () => {
    using dna = await DnaTokenizer.discover(inPython);
    expect(Object.fromEntries(dna.discovery!.specialTokens)).toEqual({ '[PAD]': 4, '[UNK]': 6, '[MASK]': 3, '[CLS]': 0, '[SEP]': 1 });
    expect(dna.specialTokens.get('[MASK]')).toBe(3);
    expect(plain(dna.encode('A[MASK]C', { special: 'allow' }))).toEqual([7, 3, 8, 1]);
    expect(dna.decode([7, 6, 3, 1])).toBe('A[UNK][MASK][SEP]');
    // Options take precedence.
    using own = await DnaTokenizer.discover(inPython, { padId: 5, side: 'right' });
    expect(plain(own.encodeBatch(['A', 'CC']).ids)).toEqual([7, 1, 5, 8, 8, 1]);
  });

  it('has a padding id other than the unknown id', async () => {
    // Like tokenizers that return the unknown id for every name.
    using dna = await DnaTokenizer.discover({ encode: hyena, unk_token_id: 6, convert_tokens_to_ids: () => 6 });
    expect(dna.padId).toBe(undefined);
    expect(dna.discovery!.padId).toBe(undefined);
    expect(dna.discovery!.specialTokens.size).toBe(0);
  });

  it('may be hostile', async () => {
    const hostile = new Proxy({ encode: hyena } as Record<PropertyKey, unknown>, {
      get: (target, name) => {
        if (name === 'encode') return target.encode;
        throw new Error(String(name));
      },
    });
    using dna = await DnaTokenizer.discover(hostile);
    expect(plain(dna.encode('ACGT'))).toEqual(hyena('ACGT'));
    using wrong = await DnaTokenizer.discover({
      encode: hyena,
      pad_token_id: '4',
      unk_token_id: -1,
      model_max_length: 0,
      padding_side: 'up',
      pad_token: 5,
      special_tokens: 1,
    });
    expect(wrong.discovery).toMatchObject({ padId: undefined, unknownId: 6, modelLength: undefined, side: undefined });
  });

  it.each<[string, NaiveRules, object]>([
    ['6-mers', { ...MODELS['nt-v2']!, letters: KEEP }, { tokenLength: 6, n: 'token', unknownId: 0 }],
    ['6-mers that refuse other letters', MODELS['nt-v1']!, { tokenLength: 6, n: 'token', unknownId: 0 }],
    ['3-mers with N', UPSTREAMS[6]![1], { tokenLength: 3, n: 'kmer', unknownId: 0 }],
    ['GPN', MODELS.gpn!, { tokenLength: 1, n: 'unknown', unknownId: 2 }],
    ['bytes', MODELS.evo2!, { tokenLength: 1, n: 'token', unknownId: undefined }],
    ['bases', { ids: { A: 1, C: 2, G: 3, T: 4 } }, { tokenLength: 1, n: 'refused', unknownId: undefined }],
  ])('shows how N is encoded: %s', async (_, rules, expected) => {
    using dna = await DnaTokenizer.discover(upstream(rules));
    expect([dna.fallback, dna.discovery]).toMatchObject([
      undefined,
      { ids: 'tables', padId: rules.tail === 'pad' ? rules.pad : undefined, ...expected },
    ]);
  });

  it('may be the fallback of another tokenizer', async () => {
    const encode = (sequence: string) => hyena(sequence.replace(/NNN+/g, 'NN'));
    using dna = await DnaTokenizer.discover({ ...inPython, encode });
    expect(dna.discovery).toMatchObject({ ids: 'tokenizer', tokenLength: undefined, padId: 4, unknownId: 6, n: 'token' });
    expect(dna.fallback?.reason).toMatch(/do not follow from its tables/);
    expect(dna.specialTokens.get('[MASK]')).toBe(3);
    expect(plain(dna.encodeBatch(['A', 'CNNNN']).ids)).toEqual([4, 4, 7, 1, 8, 11, 11, 1]);
  });

  it('without a tokenizer uses the published table on request', async () => {
    for (const [object, padId, unknownId] of [
      [{}, 0, 0],
      [{ embed: () => [], pad_token_id: 9, unk_token_id: 5, model_max_length: 77 }, 9, 5],
    ] as const) {
      using dna = await DnaTokenizer.discover(object, { fallback: 'published', side: 'right' });
      expect(plain(dna.encode('ACGTNacgtn'))).toEqual([1, 2, 3, 4, 0, 1, 2, 3, 4, 0]);
      expect(plain(dna.encode('AxR'))).toEqual([1, unknownId, unknownId]);
      const width = padId === 9 ? 77 : 2;
      const rows = [[1], [2, 2]].map((ids) => [...ids, ...Array<number>(width - ids.length).fill(padId)]);
      expect(plain(dna.encodeBatch(['A', 'CC']).ids)).toEqual(rows.flat());
      expect(dna.discovery).toMatchObject({
        ids: 'published',
        tokenLength: 1,
        padId,
        unknownId,
        n: 'token',
        modelLength: padId === 9 ? 77 : undefined,
      });
      expect(dna.discovery!.reasons).toContain("ids 'published': the object has no tokenizer");
      expect(dna.fallback).toBe(undefined);
    }
    // One with a tokenizer uses that.
    using dna = await DnaTokenizer.discover(inPython, { fallback: 'published' });
    expect(dna.discovery!.ids).toBe('tables');
  });

  it('may be a tokenizer of this package', async () => {
    using nt = await DnaTokenizer.load('nt-v3', { prefix: ['<cls>'] });
    using dna = await DnaTokenizer.discover(nt);
    expect(dna.discovery).toMatchObject({ padId: 1, unknownId: 0, n: 'token', ids: 'tables' });
    expect(plain(dna.encode('ACGTN'))).toEqual([3, 6, 8, 9, 7, 10]);
    expect(dna.specialTokens.get('<mask>')).toBe(2);
  });
});

describe('the length of a model', () => {
  const rules = MODELS.hyenadna!;
  const model = (more: object) => ({ tokenizer: { encode: upstream(rules), pad_token_id: 4, padding_side: 'left' }, ...more });
  const sequences = Array.from({ length: 50 }, (_, index) => randomSequence(new Random(SEED, 20 + index)).slice(0, 20));
  const naive = (sequence: string, length: number, side: 'left' | 'right' = 'left') =>
    rowNaively(rules, encodeNaively(rules, new TextEncoder().encode(sequence)) as number[], length, side, true);

  it.each(['left', 'right', undefined] as const)('is that of every row, which is padded on the side %s', async (side) => {
    using dna = await DnaTokenizer.discover(model({ model_max_length: 24 }));
    const expected = sequences.map((sequence) => naive(sequence, 24, side));
    for (const type of ['int32', 'uint8', 'bigint64'] as const) {
      for (const { ids, mask, shape } of [
        dna.encodeBatch(sequences, { side, type }),
        await dna.encodeBatchAsync(sequences, { side, type }),
      ]) {
        expect(shape).toEqual([50, 24]);
        expect(plain(ids)).toEqual(expected.flatMap((row) => row.ids));
        expect(plain(mask)).toEqual(expected.flatMap((row) => row.mask));
      }
    }
    // The ids of a micro-batch are counted with the padding: 100 hold four rows, however short.
    const shapes = [];
    const all = [];
    for await (const { ids, shape, indexes } of dna.batches(sequences, { side, batchSize: 16, tokensPerCall: 100 })) {
      shapes.push(shape);
      all.push(...ids);
      expect(plain(indexes)).toEqual(plain(indexes).map((_, row) => indexes[0]! + row));
    }
    expect(shapes).toEqual([...Array.from({ length: 12 }, () => [4, 24]), [2, 24]]);
    expect(all).toEqual(expected.flatMap((row) => row.ids));
    const seen: number[] = [];
    const run = ({ ids, shape: [rows, length] }: DnaBatch) =>
      Array.from({ length: rows }, (_, row) => ids.slice(row * length, (row + 1) * length).join());
    for await (const { values, from } of embed(dna, sequences, run, { side, batchSize: 16, tokensPerCall: 100 })) {
      values.forEach((value, at) => expect(value).toBe(expected[from + at]!.ids.join()));
      seen.push(...values.map((_, at) => from + at));
    }
    expect(seen).toEqual(sequences.map((_, index) => index));
  });

  it('gives way to the length of a call', async () => {
    using dna = await DnaTokenizer.discover(model({ model_max_length: 24 }));
    expect(plain(dna.encodeBatch(['A', 'CC'], { length: 4 }).ids)).toEqual([4, 4, 7, 1, 4, 8, 8, 1]);
    expect(plain(dna.encode('A'))).toEqual([7, 1]); // a single sequence is not a row
    expect(thrown(() => dna.encodeBatch(['A', 'C'.repeat(24)]))).toMatchObject({
      code: 'TEXT_TOO_LONG',
      row: 1,
      message: 'sequences[1] has more than 24 ids, the length; truncate: true cuts them off',
    });
    expect(plain(dna.encodeBatch(['C'.repeat(24)], { truncate: true }).ids)).toEqual([...Array<number>(23).fill(8), 1]);
  });

  it('is set, or left out, by the options', async () => {
    using own = await DnaTokenizer.discover(model({ model_max_length: 24 }), { modelLength: 5 });
    expect(own.discovery).toMatchObject({ modelLength: 5, reasons: expect.arrayContaining(['modelLength 5: the options']) });
    expect(plain(own.encodeBatch(['A']).ids)).toEqual([4, 4, 4, 7, 1]);
    using none = await DnaTokenizer.discover(model({ model_max_length: 24 }), { modelLength: false });
    expect(none.discovery!.modelLength).toBe(undefined);
    expect(none.discovery!.reasons.filter((reason) => reason.startsWith('modelLength'))).toEqual(['modelLength none: the options']);
    expect(plain(none.encodeBatch(['A']).ids)).toEqual([7, 1]);
    for (const modelLength of [0, 1.5]) await expect(DnaTokenizer.discover(model({}), { modelLength })).rejects.toThrow(/for modelLength/);
  });

  it('needs a padding id', async () => {
    using dna = await DnaTokenizer.discover({ encode: upstream(rules), model_max_length: 24 });
    expect(dna.discovery).toMatchObject({ padId: undefined, modelLength: 24 });
    expect(dna.encodeBatch(['A', 'C']).shape).toEqual([2, 2]);
  });

  it('holds where the tokenizer itself is asked', async () => {
    const encode = async (sequence: string) => upstream(rules)(sequence.replace(/NNN+/g, 'NN'));
    using dna = await DnaTokenizer.discover({ encode, pad_id: 4, max_seq_len: 6 });
    expect(dna.fallback).toBeDefined();
    expect(plain((await dna.encodeBatchAsync(['ANNNN', 'C'])).ids)).toEqual([4, 4, 7, 11, 11, 1, 4, 4, 4, 4, 8, 1]);
  });
});

describe('bytes beyond ASCII', () => {
  const characters = (sequence: string) => Array.from(sequence, (letter) => 1 + 'ACGTN'.indexOf(letter));
  const bytes = (sequence: string) => [...new TextEncoder().encode(sequence)];
  const pairsBy = (others: (text: string) => number[]) => (sequence: string) =>
    (sequence.match(/[ACGT]{2}|[^]/gu) ?? []).flatMap((part) =>
      part.length === 2 && part < 'a' ? [300 + 4 * 'ACGT'.indexOf(part[0]!) + 'ACGT'.indexOf(part[1]!)] : others(part),
    );
  const TEXTS = ['é', 'Aé', 'éAC', 'ACGÿTé', 'AC中文GT', 'A😀\u0080\u00a0T', 'Ж\u2003N', '\u{10ffff}A'];

  it('are all asked for', async () => {
    const asked = new Set<number>();
    const encode = (sequence: string) => (bytes(sequence).forEach((byte) => asked.add(byte)), bytes(sequence));
    using dna = await DnaTokenizer.discover(encode);
    expect(dna.fallback).toBe(undefined);
    // In UTF-8 no text has the others.
    const none = [0xc0, 0xc1, ...Array.from({ length: 11 }, (_, index) => 0xf5 + index)];
    for (let byte = 0; byte < 256; byte++) {
      expect(asked.has(byte), `byte ${byte}`).toBe(!none.includes(byte));
      if (none.includes(byte))
        expect(thrown(() => dna.encode(Uint8Array.of(65, byte)))).toMatchObject({ code: 'UNKNOWN_BASE', position: 1 });
      else expect(plain(dna.encode(Uint8Array.of(65, byte)))).toEqual([65, byte]);
    }
    const single = new Set<string>();
    using other = await DnaTokenizer.discover((sequence) => (single.add(sequence), characters(sequence)));
    for (let code = 0; code < 256; code++) expect(single.has(`A${String.fromCharCode(code)}A`), `character ${code}`).toBe(true);
    // The unknown id is that of every byte.
    expect(other.unknownId).toBe(0);
    expect(plain(other.encode(Uint8Array.from({ length: 256 }, (_, byte) => byte)))).toEqual(
      Array.from({ length: 256 }, (_, byte) => 1 + 'ACGTN'.indexOf(String.fromCharCode(byte))),
    );
  });

  it.each<[string, (sequence: string) => number[]]>([
    ['one unknown id', characters],
    ['one unknown id between others', (sequence) => [250, ...characters(sequence), 251]],
    ['a token for each byte', bytes],
    ['an unknown id for each byte', (sequence) => bytes(sequence).map((byte) => 1 + 'ACGTN'.indexOf(String.fromCharCode(byte)))],
    ['k-mers and an unknown id', pairsBy((text) => Array.from(text, (letter) => 1 + 'ACGTN'.indexOf(letter)))],
    ['k-mers and a token for each byte', pairsBy(bytes)],
  ])('have the ids of the tokenizer: %s', async (_, encode) => {
    using dna = await DnaTokenizer.discover(encode);
    expect(dna.fallback).toBe(undefined);
    for (const text of TEXTS) expect(plain(dna.encode(text)), text).toEqual(encode(text));
    const matrix = TEXTS.map((text) => dna.encodeBatch([text]));
    expect(matrix.map(({ ids }) => plain(ids))).toEqual(TEXTS.map(encode));
  });

  it('have the ids of Hugging Face', async () => {
    const file = {
      version: '1.0',
      truncation: null,
      padding: null,
      added_tokens: [],
      normalizer: null,
      post_processor: null,
      decoder: null,
    };
    const vocab = { '[UNK]': 0, A: 1, C: 2, G: 3, T: 4, N: 5 };
    const hex = (byte: number) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`;
    const bytes = Object.fromEntries(Array.from({ length: 256 }, (_, byte) => [hex(byte), 10 + byte]));
    const each = { type: 'Split', pattern: { Regex: '[\\s\\S]' }, behavior: 'Isolated', invert: false };
    const models = [
      { ...file, pre_tokenizer: each, model: { type: 'WordLevel', vocab, unk_token: '[UNK]' } },
      { ...file, pre_tokenizer: null, model: { type: 'BPE', vocab, merges: [], unk_token: '[UNK]', fuse_unk: false } },
      {
        ...file,
        pre_tokenizer: null,
        model: { type: 'BPE', vocab: { ...vocab, ...bytes }, merges: [], unk_token: '[UNK]', byte_fallback: true },
      },
    ];
    for (const [index, json] of models.entries()) {
      const reference = HuggingFace.fromString(JSON.stringify(json));
      const idsOf = async (sequence: string) => (await reference.encode(sequence)).getIds();
      using dna = await DnaTokenizer.discover(idsOf);
      expect(dna.fallback).toBe(undefined);
      const random = new Random(SEED, 40 + index);
      const others = () => String.fromCodePoint(random.integer(128, random.pick([255, 0x3000, 0xd7ff])) + random.pick([0, 0x10000]));
      for (let round = 0; round < sample(2000, 200); round++) {
        const sequence = Array.from({ length: random.integer(0, 12) }, () => (random.chance(0.7) ? random.pick('ACGTN') : others())).join(
          '',
        );
        expect(plain(dna.encode(sequence)), `${index}: ${sequence}`).toEqual(await idsOf(sequence));
      }
    }
  });

  it.each<[string, (sequence: string) => number[]]>([
    ['an id for each character', (sequence) => Array.from(sequence, (letter) => letter.codePointAt(0)!)],
    [
      'an error',
      (sequence) =>
        Array.from(sequence, (letter) => {
          if (letter > '~') throw new Error(letter);
          return letter.charCodeAt(0);
        }),
    ],
    ['one id for a run', (sequence) => Array.from(sequence.replace(/[^\0-\x7f]+/gu, 'é'), (letter) => 1 + 'ACGTN'.indexOf(letter))],
    [
      'an unknown id, while other letters are refused',
      (sequence) =>
        Array.from(sequence, (letter) => {
          if (letter === 'x') throw new Error(letter);
          return 1 + 'ACGTN'.indexOf(letter);
        }),
    ],
    [
      'another unknown id at the start',
      (sequence) => Array.from(sequence, (letter, at) => ('ACGTN'.includes(letter) ? 0 : 20) + (at ? 10 : 1) + 'ACGTN'.indexOf(letter)),
    ],
  ])('are refused where tables cannot hold their ids: %s', async (_, encode) => {
    using dna = await DnaTokenizer.discover(encode);
    expect(dna.fallback).toBe(undefined);
    for (const text of TEXTS)
      expect(
        thrown(() => dna.encode(text)),
        text,
      ).toMatchObject({ code: 'UNKNOWN_BASE' });
    expect(plain(dna.encode('ACGTN'))).toEqual(encode('ACGTN'));
  });
});

describe('GPN', () => {
  // songlab/tokenizer-dna-mlm: its tokenizer.json, by its rules.
  const special = ['[PAD]', '[MASK]', '[UNK]'].map((content, id) => ({
    id,
    content,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
    special: true,
  }));
  const json = {
    ...{
      version: '1.0',
      truncation: null,
      padding: null,
      added_tokens: special,
      normalizer: { type: 'Lowercase' },
      pre_tokenizer: { type: 'Whitespace' },
    },
    ...{ post_processor: null, decoder: null },
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: '[UNK]',
      fuse_unk: false,
      vocab: { '[PAD]': 0, '[MASK]': 1, '[UNK]': 2, a: 3, c: 4, g: 5, t: 6 },
      merges: [],
    },
  };

  it('gives the ids of its own tokenizer', async () => {
    const reference = HuggingFace.fromString(JSON.stringify(json));
    using dna = await DnaTokenizer.load('gpn');
    const random = new Random(SEED, 11);
    const sequences = ['', 'ACGTNacgtnRx-', 'AC[MASK]gt[MASK]', ...Array.from({ length: sample(200, 40) }, () => randomSequence(random))];
    for (const sequence of sequences) {
      const expected = (await reference.encode(sequence)).getIds();
      expect(plain(dna.encode(sequence, { special: 'allow' })), sequence).toEqual(expected);
    }
    using found = await DnaTokenizer.discover(async (sequence) => (await reference.encode(sequence)).getIds());
    expect(found.discovery).toMatchObject({ unknownId: 2, n: 'unknown', tokenLength: 1 });
  });
});

describe('an irregular tokenizer', () => {
  it.each([
    ['bases that share an id', (s) => Array.from(s, (base) => ('AG'.includes(base) ? 1 : 2))],
    ['k-mers with ids of their first base', (s) => Array.from({ length: Math.max(0, s.length - 1) }, (_, at) => s.charCodeAt(at))],
    ['ids that no vocabulary has', (s) => Array.from(s, (base) => base.charCodeAt(0) * 1e7)],
    ['a length', (s) => [s.length]],
    ['a length behind', (s) => [...Array.from(s, (base) => 5 + 'ACGT'.indexOf(base)), 1000 + s.length]],
    ['positions', (s) => Array.from(s, (_, at) => at)],
  ] as [string, (sequence: string) => number[]][])('encodes itself: %s', async (_, encode) => {
    const dna = await DnaTokenizer.discover(encode);
    for (const sequence of ['', 'A', 'ACGTAC', 'GGNNac']) expect(plain(dna.encode(sequence)), sequence).toEqual(encode(sequence));
    dna.close();
  });

  it('reports its error if it always throws', async () => {
    const broken = new Error('broken');
    await expect(
      DnaTokenizer.discover(() => {
        throw broken;
      }),
    ).rejects.toBe(broken);
  });
});

describe('a fallback', () => {
  /** Like HyenaDNA, except for sequences that begin with many different bases: no probe does. */
  const adversary = (sequence: string) =>
    upstream(MODELS.hyenadna!)(/^GATTA|GGTCA/.test(sequence) ? sequence.replaceAll('A', 'N') : sequence);

  it('calls the tokenizer if the tables do not describe it', async () => {
    // Each agrees on every probe, until a random sequence shows the difference.
    const liars: [string, UpstreamEncode][] = [
      [
        'another id in long sequences',
        (sequence) => upstream(MODELS.hyenadna!)(sequence.length > 150 ? sequence.replaceAll('A', 'C') : sequence),
      ],
      ['a run of N as one', (sequence) => upstream(MODELS.hyenadna!)(sequence.replace(/NNN+/g, 'NN'))],
      [
        'a token for three bases',
        (sequence) =>
          upstream(MODELS.hyenadna!)(sequence).flatMap((id, i, ids) => (id === 9 && ids[i + 1] === 7 && ids[i + 2] === 10 ? [50] : [id])),
      ],
      [
        'a k-mer at another position',
        (sequence) => upstream({ ...MODELS['nt-v1']!, letters: KEEP })(sequence.length > 70 ? sequence.slice(1) : sequence),
      ],
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

  it('returns the same shapes as tables', async () => {
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
      unknown: 0, // another tokenizer does not report what it does not know
      unknownPerRow: Uint32Array.of(0, 0),
    });
    expect(dna.count('NNNN')).toBe(3);
    expect(dna.decode([7, 8])).toBe('7-8');
    expect(thrown(() => dna.encode('ACGT', { length: 2 }))).toMatchObject({ code: 'TEXT_TOO_LONG' });
    expect(thrown(() => dna.toCartridge())).toMatchObject({ code: 'BUILD_FAILED' });
    const shapes = [];
    for await (const { shape, indexes } of dna.batches(['A', 'NNNN', 'NN'], { batchSize: 4 })) shapes.push([...shape, ...indexes]);
    expect(shapes).toEqual([
      [1, 2, 0],
      [2, 3, 1, 2],
    ]);
  });

  it('to an asynchronous tokenizer encodes asynchronously', async () => {
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

  it('to an asynchronous tokenizer asks for the parts between special tokens', async () => {
    const encode = async (sequence: string) => upstream(MODELS.hyenadna!)(sequence.replace(/NNN+/g, 'NN'));
    using dna = await DnaTokenizer.discover({ encode, mask_token: '[MASK]', mask_token_id: 3, pad_id: 4 });
    expect(dna.fallback).toBeDefined();
    const allow = { special: 'allow' } as const;
    const sequence = '[MASK]AC[MASK][MASK]NNNNG';
    const expected = [3, 7, 8, 3, 3, 11, 11, 9, 1];
    expect(plain(await dna.encodeAsync(sequence, allow))).toEqual(expected);
    expect(plain(await dna.encodeAsync('NNNN', allow))).toEqual([11, 11, 1]);
    expect(plain((await dna.encodeBatchAsync([sequence, 'A'], allow)).ids)).toEqual([...expected, ...Array<number>(7).fill(4), 7, 1]);
    const all = [];
    for await (const { ids, indexes } of dna.batches([sequence, 'NNNN'], { ...allow, batchSize: 2 })) all.push([...indexes, ...ids]);
    expect(all).toEqual([
      [0, ...expected],
      [1, 11, 11, 1],
    ]);
    const forbid = { special: 'forbid' } as const;
    await expect(dna.encodeBatchAsync(['A', 'AC[MASK]'], forbid)).rejects.toMatchObject({ code: 'SPECIAL_FORBIDDEN', row: 1, position: 2 });
    expect(plain(await dna.encodeAsync('ANNN', forbid))).toEqual([7, 11, 11, 1]);
    // Bytes that change meanwhile are no other sequence's.
    const bytes = new TextEncoder().encode('ACGT');
    const later = dna.encodeAsync(bytes);
    bytes.fill(65);
    await expect(later).rejects.toThrow('the sequence has changed since its ids were asked for');
  });

  it('misses an adversary only on input that no check covers', async () => {
    using dna = await DnaTokenizer.discover(adversary);
    const { fallback } = dna;
    // Either a check has found it, or the tables are correct for everything that was checked.
    if (fallback) expect(fallback.example!.expected).toEqual(adversary(fallback.example!.sequence));
    else expect(plain(dna.encode('ACGT'))).toEqual(adversary('ACGT'));
  });

  it('serves DNABERT-2', async () => {
    const reference = HuggingFace.fromString(JSON.stringify(dnaTokenizerJson()));
    const encode = async (sequence: string) => (await reference.encode(sequence)).getIds();
    using dna = await DnaTokenizer.discover(encode);
    expect(dna.fallback?.reason).toMatch(/it has no id|do not follow/);
    expect(plain(await dna.encodeAsync('ACGTTGCAACNGT'))).toEqual(await encode('ACGTTGCAACNGT'));
  });
});

describe('arguments', () => {
  it('are validated', async () => {
    await expect(DnaTokenizer.discover(5 as never)).rejects.toThrow(
      'expected a function, or an object with a tokenizer, for encodeFn but received 5',
    );
    await expect(DnaTokenizer.discover({})).rejects.toThrow(/an object with a tokenizer, or fallback: 'published', for encodeFn/);
    await expect(DnaTokenizer.discover({}, { fallback: 'other' as never })).rejects.toThrow(
      'expected \'published\' for fallback but received "other"',
    );
    await expect(DnaTokenizer.discover(() => 'ids' as never)).rejects.toThrow('expected an array of token ids for what encodeFn returns');
    await expect(DnaTokenizer.discover(() => [-1])).rejects.toThrow(TypeError);
    await expect(DnaTokenizer.discover(() => [1], { pad: 1 } as never)).rejects.toThrow(/unknown option 'pad'/);
    await expect(DnaTokenizer.discover(() => [1], { tokenLength: 0 })).rejects.toThrow(RangeError);
  });
});
