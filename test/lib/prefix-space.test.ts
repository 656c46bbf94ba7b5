// add_prefix_space of ByteLevel behind a normalizer: a space goes in front of each stretch of text between added tokens, as the
// normalizers left it, unless it begins with one. The reference is npm `tokenizers`.

import { expect, it } from 'vitest';
import { compileCartridge, Tokenizer } from 'crayon-tokenizer';

import { Random } from '../fuzz/random.mjs';
import { sample } from '../share.js';
import { compare, compareGeneral, referenceOf } from './added-token-files.js';
import { added, bytesOf, fileOf, type Json } from './small-file.js';

const NORMALIZERS: Json[] = [
  { type: 'NFC' },
  { type: 'NFKC' },
  { type: 'Lowercase' },
  { type: 'Strip', strip_left: false, strip_right: true },
  { type: 'Replace', pattern: { String: 'c' }, content: ' ' },
  { type: 'BertNormalizer', clean_text: true, handle_chinese_chars: true, strip_accents: null, lowercase: true },
  { type: 'Sequence', normalizers: [{ type: 'NFD' }, { type: 'Lowercase' }, { type: 'StripAccents' }] },
  { type: 'Sequence', normalizers: [{ type: 'Replace', pattern: { String: 'x' }, content: ' ' }, { type: 'NFC' }] },
];
const MERGES: [string, string][] = [
  ['Ġ', 'a'],
  ['a', 'b'],
  ['Ġa', 'b'],
  ['Ġ', 'Ġ'],
  ['Ã', '©'],
  ['Ġ', 'Ã©'],
  ['c', 'd'],
  ['ab', 'c'],
];
const TOKENS = ['<s>', 'xy', 'ab', 'é', 'c d', ' y', 'Dd'];
const PARTS = [
  'a',
  'b',
  'ab',
  'AB',
  ' ',
  '  ',
  '\n',
  'x',
  '<s>',
  'é',
  'e\u0301',
  'É',
  'c',
  'd',
  'c d',
  ' y',
  'Ａ',
  '\u00a0',
  '中',
  '\u0301',
  '1',
];

const FILES = sample(300, 40);
it(`${FILES} files: ids and offsets`, { timeout: 300_000 }, async () => {
  let compared = 0;
  for (let seed = 1; seed <= FILES; seed++) {
    const random = new Random(seed, 7);
    const contents = [...new Set(Array.from({ length: random.integer(0, 3) }, () => random.pick(TOKENS)))];
    const json = JSON.stringify(
      fileOf(MERGES, (file) => {
        const own = contents.filter((content) => file.model.vocab[content] === undefined);
        const size = Object.keys(file.model.vocab).length;
        file.added_tokens = contents.map((content) => {
          const special = random.chance(0.4);
          return added(content, file.model.vocab[content] ?? size + own.indexOf(content), { special, normalized: random.chance(0.6) });
        });
        file.added_tokens.sort((one: Json, other: Json) => one.id - other.id);
        file.normalizer = random.pick(NORMALIZERS);
        file.pre_tokenizer = { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: random.chance(0.8) };
      }),
    );
    let cartridge: Uint8Array;
    try {
      cartridge = await compileCartridge(Buffer.from(json), { slim: random.chance(0.5) });
    } catch (error) {
      // What a normalizer makes of a token may be another one, and merging may make one that is special.
      expect((error as Error).message, json).toContain('added_tokens');
      continue;
    }
    compared++;
    using tokenizer = await Tokenizer.load(cartridge, { backend: random.pick(['native', 'wasm'] as const) });
    const texts = [
      '',
      ' ',
      'a',
      ' a',
      ...Array.from({ length: 10 }, () => Array.from({ length: random.integer(0, 20) }, () => random.pick(PARTS)).join('')),
    ];
    await compare(tokenizer, referenceOf(json), texts, random, json);
  }
  expect(compared).toBeGreaterThan(FILES / 2);
});

it.each<[string, Json]>([
  ['Strip', { type: 'Strip', strip_left: true, strip_right: false }],
  ['a Replace of spaces', { type: 'Replace', pattern: { String: ' a' }, content: 'a' }],
  ['a Replace with a pattern', { type: 'Replace', pattern: { Regex: 'a' }, content: 'b' }],
])('behind %s, which may take out a space, and whole words', async (_, normalizer) => {
  const file = fileOf(MERGES, (json) => {
    json.added_tokens = [added('<m>', Object.keys(json.model.vocab).length, { normalized: true, single_word: true })];
    json.normalizer = normalizer;
    json.pre_tokenizer.add_prefix_space = true;
  });
  await compareGeneral(bytesOf(file).toString(), ['', ' a', 'a a', '  ab <m> b', '<m>a', 'c d <m>'], 'pre_tokenizer.add_prefix_space');
});
