// Two texts as one list of ids: the same ids, types and masks as npm `tokenizers` with the same file, for the
// post-processors of published models and for random templates.

import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileCartridge, Tokenizer } from 'crayon-tokenizer';

import { Random } from '../fuzz/random.mjs';
import { nastyString } from '../fuzz/strings.mjs';
import { sample } from '../share.js';
import { added, bytesOf, fileOf, type Json } from './small-file.js';
import { thrown } from './thrown.js';

interface Encoding {
  getIds(): number[];
  getTypeIds(): number[];
  getAttentionMask(): number[];
}
interface Reference {
  encode(text: string, pair: string | null, options: { addSpecialTokens: boolean }): Promise<Encoding>;
}
const { Tokenizer: HuggingFace } = createRequire(import.meta.url)('tokenizers') as { Tokenizer: { fromString(json: string): Reference } };

const TOKENS = ['<s>', '</s>', '<sep>'];
const [BOS, EOS, SEP] = [260, 261, 262] as const;
const MERGES: [string, string][] = [
  ['a', 'b'],
  ['Ġ', 'a'],
  ['Ġa', 'b'],
  ['ab', 'ab'],
];

const file = (post_processor: Json | null) =>
  fileOf(MERGES, (json) => {
    json.added_tokens = TOKENS.map((token, index) => added(token, BOS + index));
    json.post_processor = post_processor;
  });

const text = (id: string, type_id = 0) => ({ Sequence: { id, type_id } });
const token = (id: string, type_id = 0) => ({ SpecialToken: { id, type_id } });
const SPECIAL = {
  '<s>': { id: '<s>', ids: [BOS], tokens: ['<s>'] },
  '</s>': { id: '</s>', ids: [EOS], tokens: ['</s>'] },
  '<two>': { id: '<two>', ids: [SEP, EOS], tokens: ['<sep>', '</s>'] },
};
const template = (single: object[], pair: object[]) => ({ type: 'TemplateProcessing', single, pair, special_tokens: SPECIAL });
const byteLevel = { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true };
const bert = { type: 'BertProcessing', sep: ['</s>', EOS], cls: ['<s>', BOS] };

/** The templates of the named models. */
const PUBLISHED: [name: string, post_processor: Json | null][] = [
  ['none', null],
  ['BERT', template([token('<s>'), text('A'), token('</s>')], [token('<s>'), text('A'), token('</s>'), text('B', 1), token('</s>', 1)])],
  ['BERT, as it was written before', bert],
  ['RoBERTa', { type: 'RobertaProcessing', sep: ['</s>', EOS], cls: ['<s>', BOS], trim_offsets: true, add_prefix_space: true }],
  ['Llama 2', template([token('<s>'), text('A')], [token('<s>'), text('A'), token('<s>', 1), text('B', 1)])],
  ['T5', template([text('A'), token('</s>')], [text('A'), token('</s>'), text('B'), token('</s>')])],
  ['Phi-3', template([text('A')], [text('A'), text('B', 1)])],
  [
    'XLNet',
    template([text('A'), token('<two>'), token('<s>', 2)], [text('A'), token('<two>'), text('B', 1), token('<two>', 1), token('<s>', 2)]),
  ],
  ['ByteLevel', byteLevel],
  ['a sequence', { type: 'Sequence', processors: [byteLevel, bert] }],
  ['an empty sequence', { type: 'Sequence', processors: [] }],
];

function randomTemplate(random: Random): Json {
  const piece = () => (random.chance(0.5) ? token(random.pick(Object.keys(SPECIAL)), random.pick([0, 1, 7, 300])) : undefined);
  const around = (texts: object[]) => [piece(), ...texts.flatMap((each) => [each, piece(), piece()])].filter((each) => each !== undefined);
  const texts = random.pick([
    ['A', 'B'],
    ['B', 'A'],
    ['A', 'B', 'A'],
    ['B', 'A', 'B'],
  ]);
  return template(around([text('A', random.pick([0, 0, 2]))]), around(texts.map((id) => text(id, random.pick([0, 1, 1, 2 ** 31])))));
}

async function expectSame(
  tokenizer: Tokenizer,
  reference: Reference,
  pairs: readonly (readonly [string, string])[],
  said: string,
): Promise<void> {
  for (const addSpecialTokens of [true, false]) {
    for (const [first, second] of pairs) {
      const expected = await reference.encode(first, second, { addSpecialTokens });
      const name = `${said}: ${JSON.stringify([first, second])}`;
      const own = tokenizer.encodePair(first, second, { special: 'allow', addSpecialTokens });
      expect([...own.ids], name).toEqual(expected.getIds());
      expect([...own.typeIds], name).toEqual(expected.getTypeIds());
      expect([...own.mask], name).toEqual(expected.getAttentionMask());
      expect(tokenizer.encodePair(Buffer.from(first), Buffer.from(second), { special: 'allow', addSpecialTokens })).toEqual(own);
      const alone = await reference.encode(first, null, { addSpecialTokens });
      const single = tokenizer.encodePair(first, undefined, { special: 'allow', addSpecialTokens });
      expect([...single.ids], name).toEqual(alone.getIds());
      expect([...single.typeIds], name).toEqual(alone.getTypeIds());
      expect([...tokenizer.encode(first, { special: 'allow', addSpecialTokens })], name).toEqual(alone.getIds());
    }
  }
}

const PAIRS: [string, string][] = [
  ['', ''],
  ['ab', ''],
  ['', 'ab'],
  ['ab ab', ' abab'],
  ['a<s>b', '</s> <sep>'],
  ['né', '\u{1f600}'],
];

describe('the post-processor of', () => {
  it.each(PUBLISHED)('%s joins pairs like Hugging Face', async (name, processor) => {
    const json = file(processor);
    const random = new Random(7, name.length);
    const pairs = [
      ...PAIRS,
      ...Array.from({ length: sample(200, 20) }, (_, index): [string, string] => [
        nastyString(43, index, TOKENS),
        nastyString(44, random.integer(0, 1e6), TOKENS),
      ]),
    ];
    using tokenizer = await Tokenizer.load(bytesOf(json));
    using slim = await Tokenizer.load(await compileCartridge(bytesOf(json), { slim: true }));
    const reference = HuggingFace.fromString(JSON.stringify(json));
    const wellFormed = pairs.map(([first, second]) => [first.toWellFormed(), second.toWellFormed()] as const);
    await expectSame(tokenizer, reference, wellFormed, name);
    await expectSame(slim, reference, PAIRS, name);
  });

  it('random files does, too', async () => {
    for (let seed = 0; seed < sample(400, 40); seed++) {
      const json = file(randomTemplate(new Random(0x7e41, seed)));
      using tokenizer = await Tokenizer.load(bytesOf(json));
      await expectSame(
        tokenizer,
        HuggingFace.fromString(JSON.stringify(json)),
        PAIRS,
        JSON.stringify({ seed, post_processor: json.post_processor }),
      );
    }
  });

  it('version 2.0 is read, too', async () => {
    const pair = [{ ids: [BOS] }, { seq: 'A' }, { ids: [EOS, EOS], type_id: 3 }, { seq: 'B', type_id: 1 }, { ids: [] }];
    const json = file({
      type: 'TemplateProcessing',
      single: [
        { ids: [BOS], type_id: 0 },
        { seq: 'A', type_id: 0 },
        { ids: [EOS], type_id: 0 },
      ],
      pair,
    });
    Object.assign(json, { version: '2.0' });
    using tokenizer = await Tokenizer.load(bytesOf(json));
    expect(tokenizer.encodePair('a', 'b')).toEqual({
      ids: Uint32Array.of(BOS, 97, EOS, EOS, 98),
      typeIds: Uint32Array.of(0, 0, 3, 3, 1),
      mask: Uint32Array.of(1, 1, 1, 1, 1),
    });
    expect([...tokenizer.encodePair('a').ids]).toEqual([BOS, 97, EOS]);
  });
});

describe('encodePair', () => {
  it('reports a file without a template for pairs', async () => {
    for (const pair of [[], [text('A')], [token('<s>'), text('B')]]) {
      using tokenizer = await Tokenizer.load(bytesOf(file(template([text('A')], pair))));
      expect(thrown(() => tokenizer.encodePair('a', 'b'))).toMatchObject({
        code: 'INVALID_TEMPLATE',
        message: expect.stringMatching(/has no template for two texts/),
      });
      expect(thrown(() => tokenizer.encodePairBatch([['a', 'b']]))).toMatchObject({ code: 'INVALID_TEMPLATE' });
      expect([...tokenizer.encodePair('a').ids]).toEqual([97]);
    }
  });

  it.each([
    ['a third text', [text('A'), text('C')], /post_processor\.pair\[1\]\.Sequence\.id: expected one of A, B/],
    ['a type that is none', [{ Sequence: { id: 'A', type_id: -1 } }], /post_processor\.pair\[0\]\.Sequence\.type_id: expected an id/],
  ])('refuses a file whose template for pairs has %s', async (_, pair, message) => {
    await expect(Tokenizer.load(bytesOf(file(template([text('A')], pair))))).rejects.toThrow(message);
  });

  // The reference opens these, and panics when it encodes.
  it.each<[string, object[], object[]]>([
    ['pairs, with an unknown special token', [text('A')], [token('<x>'), text('A'), text('B')]],
    ['one text, with two', [text('A'), text('B')], [text('A'), text('B')]],
    ['one text, with none', [token('<s>')], [text('A'), text('B')]],
  ])('has no template for %s', async (_, single, pair) => {
    using tokenizer = await Tokenizer.load(bytesOf(file(template(single, pair))));
    const encode = () =>
      single.length === 1 && 'Sequence' in single[0]! ? tokenizer.encodePair('a', 'b') : tokenizer.encode('a', { addSpecialTokens: true });
    expect(encode).toThrow(expect.objectContaining({ code: 'INVALID_TEMPLATE' }));
  });

  describe('of a tokenizer', () => {
    let tokenizer: Tokenizer;
    beforeAll(async () => {
      tokenizer = await Tokenizer.load(bytesOf(file(bert)));
    });
    afterAll(() => tokenizer?.close());

    it('names the text in an error', () => {
      expect(() => tokenizer.encodePair('a<s>', 'b', { special: 'forbid' })).toThrow(
        /^the text holds the special token "<s>" at position 1/,
      );
      expect(() => tokenizer.encodePair('a', 'bé<s>', { special: 'forbid' })).toThrow(
        /^the second text holds the special token "<s>" at position 2/,
      );
      expect(
        thrown(() =>
          tokenizer.encodePairBatch(
            [
              ['a', 'b'],
              ['a', 'b<s>'],
            ],
            { special: 'forbid' },
          ),
        ),
      ).toMatchObject({ row: 1, position: 1, message: expect.stringMatching(/^pairs\[1\]\[1\] holds/) });
      expect(() => tokenizer.encodePair(5 as never, 'b')).toThrow('expected a string or a Uint8Array for text but received 5');
      expect(() => tokenizer.encodePair('a', null as never)).toThrow('expected a string or a Uint8Array for textPair but received null');
      expect(() => tokenizer.encodePair('a', 'b', { pair: true } as never)).toThrow(/unknown option 'pair'/);
      expect(() => tokenizer.encodePairBatch('ab' as never)).toThrow('expected an array of pairs of texts for pairs');
      expect(() => tokenizer.encodePairBatch([['a']] as never)).toThrow('expected an array of two texts for pairs[0]');
      expect(() => tokenizer.encodePairBatch([['a', 5]] as never)).toThrow(
        'expected a string or a Uint8Array for pairs[0][1] but received 5',
      );
      expect(() => tokenizer.encodePairBatch([['a', 'b']], { pads: {} } as never)).toThrow(/unknown option 'pads'/);
    });

    it('treats special tokens in a text as text by default', () => {
      expect([...tokenizer.encodePair('<s>', 'b').ids].filter((id) => id === BOS)).toHaveLength(1);
      expect([...tokenizer.encodePair('<s>', 'b', { special: ['<s>'] }).ids].filter((id) => id === BOS)).toHaveLength(2);
    });

    it('pads batches like single pairs', () => {
      const random = new Random(99);
      const pairs = Array.from({ length: 200 }, (_, index) => [nastyString(45, index), nastyString(46, random.integer(0, 1e6))] as const);
      const rows = pairs.map((pair) => tokenizer.encodePair(...pair));
      const width = Math.max(...rows.map(({ ids }) => ids.length));
      for (const side of ['left', 'right'] as const) {
        const padded = tokenizer.encodePairBatch(pairs, { pad: { side, padId: 9 } });
        expect(padded.shape).toEqual([rows.length, width]);
        rows.forEach(({ ids, typeIds, mask }, row) => {
          const fill = (values: Uint32Array, by: number) => {
            const rest = Array<number>(width - values.length).fill(by);
            return side === 'left' ? [...rest, ...values] : [...values, ...rest];
          };
          const of = (all: Int32Array) => [...all.subarray(row * width, (row + 1) * width)];
          expect(of(padded.ids)).toEqual(fill(ids, 9));
          expect(of(padded.typeIds)).toEqual(fill(typeIds, 0));
          expect(of(padded.mask)).toEqual(fill(mask, 0));
        });
      }
      const wide = tokenizer.encodePairBatch([['ab', 'abab']], { pad: { type: 'bigint64', length: 4, truncate: true }, threads: 1 });
      expect(wide).toEqual({
        ids: BigInt64Array.of(260n, 256n, 261n, 261n),
        typeIds: BigInt64Array.of(0n, 0n, 0n, 1n),
        mask: BigInt64Array.of(1n, 1n, 1n, 1n),
        shape: [1, 4],
      });
      expect(tokenizer.encodePairBatch([])).toEqual({
        ids: new Int32Array(0),
        typeIds: new Int32Array(0),
        mask: new Int32Array(0),
        shape: [0, 0],
      });
    });
  });
});
