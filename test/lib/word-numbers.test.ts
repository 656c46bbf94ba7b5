// The number of each id's word, as the engine tells it, equals the word ids of npm `tokenizers` with the same file: for files of
// every model and pretokenizer, for pretokenizers in sequences of which each splits what the previous one made, and on both backends.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { Tokenizer, TokenizerError } from 'crayon-tokenizer';
import { engineOf } from '../../dist/node/internals.js';
import { Random } from '../fuzz/random.mjs';
import { nastyString } from '../fuzz/strings.mjs';
import { sample, SHARE, some } from '../share.js';
import { fileOf, type Json } from './small-file.js';

interface Reference {
  encode(text: string, pair: null, options: { addSpecialTokens: boolean }): Promise<{ getIds(): number[]; getWordIds(): number[] }>;
  disableTruncation(): void;
  disablePadding(): void;
}
const require = createRequire(import.meta.url);
const { Tokenizer: HuggingFace } = require('tokenizers') as { Tokenizer: { fromString(json: string): Reference } };

const SEED = 20261128;
const ALLOW = 1;
const MODELS = fileURLToPath(new URL('../models', import.meta.url));
const SHARED = fileURLToPath(new URL('../../../shared/vocabularies', import.meta.url));
const PUBLISHED = ['bert-base-uncased', 't5-small', 'phi-3-mini', 'clip', 'dnabert2'].map((name) => join(SHARED, `${name}.tokenizer.json`));
const PACKAGES = some(['gpt2', 'qwen3', 'mistral_nemo', 'deepseek_v3'], (name) => name === 'gpt2' || name === 'deepseek_v3').map((name) =>
  fileURLToPath(new URL(`../../node_modules/@lenml/tokenizer-${name}/models/tokenizer.json`, import.meta.url)),
);
const FILES = [
  ...readdirSync(MODELS)
    .filter((name) => name.endsWith('.tokenizer.json'))
    .map((name) => join(MODELS, name)),
  ...PUBLISHED.filter((file) => existsSync(file)),
  ...PACKAGES,
];

const PARTS = [
  ...[
    ' ',
    '  ',
    '\n',
    '\t',
    '\u3000',
    '▁',
    '▁▁',
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
    '12345',
    '...',
  ],
  ...[
    '\u0301',
    '\u200d',
    '<unk>',
    '<s>',
    '</s>',
    '[UNK]',
    '[MASK]',
    ' <mask> ',
    '<|endoftext|>',
    '<|a|>',
    ' <|b|> ',
    'x'.repeat(101),
    'ab',
    'A-b',
    '\0',
  ],
];
const textsOf = (count: number, seed: number) =>
  [
    '',
    'hello world',
    ...PARTS,
    ...PARTS.map((part) => `a${part}b`),
    ...Array.from({ length: count }, (_, index) => nastyString(seed, index, PARTS)),
  ].map((text) => text.toWellFormed());

/** Each file on both backends, or in a sample on one after the other. */
const backendsOf = (index: number) => some(['native', 'wasm'] as const, (_, backend) => index % 2 === backend);

/** How many encodings have several words. */
async function compare(file: Buffer, texts: readonly string[], backends: readonly ('native' | 'wasm')[]): Promise<number> {
  const other = HuggingFace.fromString(file.toString());
  other.disableTruncation();
  other.disablePadding();
  const expected = await Promise.all(texts.map((text) => other.encode(text, null, { addSpecialTokens: false })));
  let several = 0;
  for (const backend of backends) {
    const tokenizer = await Tokenizer.load(file, { backend });
    const engine = engineOf(tokenizer);
    texts.forEach((text, index) => {
      const [ids, words] = [expected[index]!.getIds(), expected[index]!.getWordIds()];
      const found = engine.encodeWithOffsets(text, 'words', ALLOW);
      const shown = JSON.stringify([backend, text]);
      expect(found.ids.join(), shown).toBe(ids.join());
      expect(found.offsets.filter((_, at) => at % 2 === 0).join(), shown).toBe(words.join());
      several += Number(new Set(words).size > 1);
    });
    tokenizer.close();
  }
  return several;
}

describe('the numbers of words', () => {
  it.each(FILES.map((file, index) => ({ name: file.replace('/models/tokenizer.json', '').replace(/.*\//, ''), file, index })))(
    'are the reference’s with $name',
    { timeout: 300_000 },
    async ({ file, index }) => {
      const texts = textsOf(sample(20_000, 150), SEED);
      expect(await compare(readFileSync(file), texts, backendsOf(index))).toBeGreaterThan(20);
    },
  );

  const LONG = ['bert', 'clip', 'falcon', 'xlm-roberta'].map((name, index): [string, number] => [name, index]);
  it.each(LONG)('are the reference’s in long texts, read in windows, with %s', { timeout: 300_000 }, async (name, index) => {
    const text = textsOf(2000, SEED).join(' ').repeat(2);
    expect(text.length).toBeGreaterThan(300_000);
    expect(await compare(readFileSync(join(MODELS, `${name}.tokenizer.json`)), [text], backendsOf(index))).toBe(SHARE === 1 ? 2 : 1);
  });

  it('are the reference’s with random pretokenizers, normalizers, models and added tokens', { timeout: 600_000 }, async () => {
    const random = new Random(SEED);
    const rounds = sample(5000, 60);
    const compared = new Map<string, number>();
    for (let round = 0; round < rounds; round++) {
      const file = randomFile(random);
      const bytes = Buffer.from(JSON.stringify(file));
      try {
        (await Tokenizer.load(bytes)).close();
      } catch (error) {
        expect(error).toBeInstanceOf(TokenizerError);
        continue; // the importer says why it does not read this one
      }
      const texts = Array.from({ length: 12 }, () => randomText(random));
      const shown = JSON.stringify({ round, normalizer: file.normalizer, pre_tokenizer: file.pre_tokenizer, model: file.model.type });
      try {
        const several = await compare(bytes, texts, [random.pick(['native', 'wasm'] as const)]);
        compared.set(file.model.type, (compared.get(file.model.type) ?? 0) + Number(several > 0));
      } catch (error) {
        throw new Error(`${(error as Error).message}\n${shown}`, { cause: error });
      }
    }
    for (const model of MODEL_CLASSES) expect(compared.get(model), model).toBeGreaterThan(rounds / 50);
  });
});

it('tells added tokens from equal tokens of the model', async () => {
  const vocab = { '[UNK]': 0, hello: 1, '##s': 2 };
  const file = {
    added_tokens: [{ id: 1, content: 'hello', single_word: true, lstrip: false, rstrip: false, normalized: false, special: false }],
    pre_tokenizer: { type: 'WhitespaceSplit' },
    model: { type: 'WordPiece', vocab, unk_token: '[UNK]', continuing_subword_prefix: '##', max_input_chars_per_word: 100 },
  };
  for (const backend of ['native', 'wasm'] as const) {
    const tokenizer = await Tokenizer.load(Buffer.from(JSON.stringify(file)), { backend });
    const { ids, offsets } = engineOf(tokenizer).encodeWithOffsets('hello hellos hello', 'words', ALLOW);
    expect([[...ids], [...offsets]]).toEqual([
      [1, 1, 2, 1],
      [0, 1, 1, 0, 1, 0, 2, 1],
    ]);
    tokenizer.close();
  }
});

const MODEL_CLASSES = ['BPE', 'WordPiece', 'WordLevel', 'Unigram'];
const CHARACTERS = [...'abcdeABé中の1234.,-!▁ \u0301'];
const TEXTS = [
  ...CHARACTERS,
  ...CHARACTERS,
  ' ',
  '  ',
  '\n',
  '\u3000',
  'ab',
  'abc',
  'x',
  '\u{1f600}',
  '٣',
  'ａ',
  '<a>',
  '<b>',
  ' <a> ',
  'ab1',
  '...',
];
const randomText = (random: Random) => Array.from({ length: random.integer(0, 14) }, () => random.pick(TEXTS)).join('');

const BEHAVIORS = ['Isolated', 'Removed', 'MergedWithPrevious', 'MergedWithNext', 'Contiguous'];
const PATTERNS = [
  '\\s+',
  '\\w+',
  '[ab]+',
  '\\d',
  '\\p{L}+',
  '[.,!-]',
  '\\p{P}+|\\p{N}{1,2}',
  ' ?\\w+',
  '\\s+(?!\\S)|\\s+',
  '中|の+',
  '[^\\s]+\\s?',
];

function randomSplit(random: Random): Json {
  switch (random.integer(0, 9)) {
    case 0:
      return { type: 'Whitespace' };
    case 1:
      return { type: 'WhitespaceSplit' };
    case 2:
      return { type: 'Digits', individual_digits: random.pick([true, false]) };
    case 3:
      return { type: 'Punctuation', behavior: random.pick(BEHAVIORS) };
    case 4:
      return { type: 'CharDelimiterSplit', delimiter: random.pick(['a', ' ', '中']) };
    case 5:
      return { type: 'FixedLength', length: random.integer(1, 4) };
    case 6:
      return { type: 'BertPreTokenizer' };
    case 7:
      return {
        type: 'Metaspace',
        replacement: '▁',
        prepend_scheme: random.pick(['always', 'first', 'never']),
        split: random.pick([true, false]),
      };
    default: {
      const pattern = random.pick([{ String: random.pick([' ', 'a', '▁', 'ab']) }, { Regex: random.pick(PATTERNS) }]);
      return { type: 'Split', pattern, behavior: random.pick(BEHAVIORS), invert: random.pick([true, false]) };
    }
  }
}

function randomNormalizer(random: Random): Json | null {
  return random.pick([
    null,
    null,
    { type: 'NFKC' },
    { type: 'Lowercase' },
    { type: 'BertNormalizer', clean_text: true, handle_chinese_chars: true, strip_accents: null, lowercase: true },
    { type: 'Replace', pattern: { String: ' ' }, content: '▁' },
    { type: 'Sequence', normalizers: [{ type: 'NFD' }, { type: 'StripAccents' }] },
    { type: 'Replace', pattern: { Regex: 'a+' }, content: random.pick(['', 'b', ' ']) },
  ]);
}

const tokensOf = (random: Random, count: number) =>
  Array.from({ length: count }, () => Array.from({ length: random.integer(2, 3) }, () => random.pick(CHARACTERS)).join(''));
const numbered = (tokens: readonly string[]) => Object.fromEntries([...new Set(tokens)].map((token, id) => [token, id]));

function randomModel(random: Random, type: string, isByteLevel: boolean): Json {
  const left = random.integer(0, 3) === 0 ? CHARACTERS.filter(() => random.integer(0, 4) > 0) : CHARACTERS;
  const tokens = tokensOf(random, 60);
  if (type === 'WordLevel') return { type, vocab: numbered(['[UNK]', ...left, ...tokens]), unk_token: '[UNK]' };
  if (type === 'WordPiece') {
    const parts = [...left, ...tokens].map((token) => `##${token}`);
    return {
      type,
      vocab: numbered(['[UNK]', ...left, ...tokens, ...parts]),
      unk_token: '[UNK]',
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 20,
    };
  }
  if (type === 'Unigram') {
    const vocab = Object.keys(numbered(['<unk>', ...left, ...tokens])).map((token, id) => [
      token,
      id === 0 ? 0 : -random.integer(1, 2000) / 256,
    ]);
    return { type, vocab, unk_id: 0, byte_fallback: false };
  }
  if (isByteLevel)
    return fileOf([
      ['a', 'b'],
      ['ab', 'c'],
      ['Ġ', 'a'],
      ['Ġ', 'Ġ'],
      ['1', '2'],
      ['.', '.'],
      ['ä', '¸'],
      ['ä¸', 'Ń'],
      ['c', 'd'],
    ]).model;
  const merges: [string, string][] = [
    ['a', 'b'],
    ['ab', 'c'],
    ['▁', 'a'],
    ['▁', '▁'],
    ['1', '2'],
    ['.', '.'],
    ['中', 'の'],
    [' ', 'a'],
    ['c', 'd'],
  ];
  const fitting = merges.filter((pair) => pair.every((part) => [...part].every((character) => left.includes(character))));
  const unknown = random.pick([{ unk_token: '<unk>', fuse_unk: random.pick([true, false]) }, { unk_token: null }]);
  return { type, vocab: numbered(['<unk>', ...left, ...fitting.map((pair) => pair.join(''))]), merges: fitting, ...unknown };
}

function randomFile(random: Random): Json {
  const type = random.pick(MODEL_CLASSES);
  const isByteLevel = type === 'BPE' && random.pick([true, false]);
  const stages = Array.from({ length: random.integer(0, 3) }, () => randomSplit(random));
  if (isByteLevel) {
    const byteLevel = {
      type: 'ByteLevel',
      add_prefix_space: random.integer(0, 3) === 0,
      trim_offsets: true,
      use_regex: random.pick([true, false]),
    };
    stages.splice(random.integer(0, stages.length), 0, byteLevel);
  }
  const model = randomModel(random, type, isByteLevel);
  const size = Object.keys(model.vocab).length;
  const flags = () => ({
    lstrip: random.integer(0, 3) === 0,
    rstrip: random.integer(0, 3) === 0,
    normalized: random.integer(0, 3) === 0,
    special: random.pick([true, false]),
  });
  const added = ['<a>', '<b>'].map((content, index) => ({ id: size + index, content, single_word: false, ...flags() }));
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: random.pick([added, []]),
    normalizer: randomNormalizer(random),
    pre_tokenizer: stages.length === 0 ? null : stages.length === 1 ? stages[0] : { type: 'Sequence', pretokenizers: stages },
    post_processor: null,
    decoder: null,
    model,
  };
}
