// UnicodeScripts: pieces end between scripts, as in npm `tokenizers`, for models of every kind; spaces and unassigned characters that
// begin a text are dropped, in streams, threads and parts, too.

import { describe, expect, it } from 'vitest';
import { compileCartridge, Tokenizer } from 'crayon-tokenizer';

import { Random } from '../fuzz/random.mjs';
import { sample } from '../share.js';
import { compare, compareGeneral, referenceOf } from './added-token-files.js';
import { added, fileOf as byteLevelFile, type Json } from './small-file.js';

const SCRIPTS = { type: 'UnicodeScripts' };
const sequence = (...pretokenizers: object[]) => ({ type: 'Sequence', pretokenizers });
const PRETOKENIZERS: Record<string, object> = {
  alone: SCRIPTS,
  'in a Sequence': sequence(SCRIPTS),
  'behind WhitespaceSplit': sequence({ type: 'WhitespaceSplit' }, SCRIPTS),
  'before Digits': sequence(SCRIPTS, { type: 'Digits', individual_digits: true }),
};
const WORDS = [
  '<unk>',
  'a',
  'b',
  'ab',
  'a ',
  'ab ',
  ' ',
  'б',
  '漢',
  'かな',
  '漢か',
  '1',
  '.',
  'c',
  '\u0301',
  '\u0001',
  '\u0002',
  'a b',
  '##b',
  '##б',
  '##c',
  '## ',
  '##か',
];
const MERGES: [string, string][] = [
  ['a', 'b'],
  ['a', ' '],
  ['漢', 'か'],
  ['ab', ' '],
  [' ', ' '],
  ['か', 'な'],
];

const MODELS: Record<string, Json> = {
  WordLevel: { type: 'WordLevel', vocab: Object.fromEntries(WORDS.map((word, id) => [word, id])), unk_token: '<unk>' },
  WordPiece: {
    type: 'WordPiece',
    vocab: Object.fromEntries(WORDS.map((word, id) => [word, id])),
    unk_token: '<unk>',
    continuing_subword_prefix: '##',
    max_input_chars_per_word: 100,
  },
  Unigram: { type: 'Unigram', vocab: WORDS.map((word, id) => [word, -(id % 5) - word.length]), unk_id: 0, byte_fallback: false },
  BPE: {
    type: 'BPE',
    dropout: null,
    unk_token: '<unk>',
    continuing_subword_prefix: null,
    end_of_word_suffix: null,
    fuse_unk: true,
    byte_fallback: false,
    ignore_merges: false,
    vocab: Object.fromEntries([...new Set([...WORDS, 'か', 'な', ...MERGES.map((pair) => pair.join(''))])].map((word, id) => [word, id])),
    merges: MERGES,
  },
};
const NORMALIZERS = [null, null, { type: 'NFKC' }, { type: 'Lowercase' }, { type: 'Replace', pattern: { String: 'b' }, content: ' ' }];
// Some are unassigned in the table of the reference, and \u0001 \u0002 \u0003 are what a text is marked with meanwhile.
const PARTS = [
  'a',
  'b',
  'ab',
  'AB',
  ' ',
  ' ',
  '  ',
  'б',
  '漢',
  'か',
  'ナ',
  'ー',
  '々',
  '1',
  '１',
  '.',
  '\u0301',
  '\u0378',
  '\u0378',
  '\n',
  '\u3000',
  '\u0001',
  '\u0002',
  '\u0003',
  '\u0001\u0003',
  '😀',
  '\u{1fae0}',
  '한',
  '<s>',
  '\u{10ffff}',
];

const textOf = (random: Random) => Array.from({ length: random.integer(0, 20) }, () => random.pick(PARTS)).join('');

function fileOf(model: Json, pre_tokenizer: object, normalizer: object | null): Json {
  const size = Array.isArray(model.vocab) ? model.vocab.length : Object.keys(model.vocab).length;
  return { version: '1.0', added_tokens: [added('<s>', size)], normalizer, pre_tokenizer, post_processor: null, decoder: null, model };
}

describe.each(Object.entries(PRETOKENIZERS))('UnicodeScripts %s', { timeout: 300_000 }, (where, pretokenizer) => {
  // A pattern that ends pieces inside of another's matches is for BPE.
  const models = Object.entries(MODELS).filter(([name]) => name === 'BPE' || where !== 'before Digits');
  it.each(models)('%s', async (name, model) => {
    const random = new Random(7, name.length);
    for (const normalizer of NORMALIZERS.slice(random.integer(0, 1))) {
      const json = JSON.stringify(fileOf(model, pretokenizer, normalizer));
      const cartridge = await compileCartridge(Buffer.from(json), { slim: random.chance(0.5) });
      for (const backend of ['native', 'wasm'] as const) {
        using tokenizer = await Tokenizer.load(cartridge, { backend });
        const texts = ['', ' ', ' a', '\u0378', ...Array.from({ length: sample(400, 12) }, () => textOf(random))];
        await compare(tokenizer, referenceOf(json), texts, random, `${name} ${JSON.stringify(normalizer)}`);
      }
    }
  });

  it('BPE of bytes', async () => {
    const random = new Random(8);
    for (const normalizer of NORMALIZERS) {
      const json = JSON.stringify(
        byteLevelFile(
          [
            ['a', 'b'],
            ['Ġ', 'a'],
            ['a', 'Ġ'],
            ['Ġ', 'Ġ'],
            ['æ', '¼'],
            ['æ¼', '¢'],
            ['Ð', '±'],
            ['a', 'Ð±'],
          ],
          (file) => {
            file.normalizer = normalizer;
            file.pre_tokenizer = sequence(pretokenizer, {
              type: 'ByteLevel',
              add_prefix_space: false,
              trim_offsets: true,
              use_regex: random.chance(0.5),
            });
            file.added_tokens = [added('<s>', Object.keys(file.model.vocab).length)];
          },
        ),
      );
      using tokenizer = await Tokenizer.load(Buffer.from(json));
      const texts = Array.from({ length: sample(400, 12) }, () => textOf(random));
      await compare(tokenizer, referenceOf(json), texts, random, JSON.stringify(normalizer));
    }
  });
});

it('splits beside every code point where the reference does', { timeout: 300_000 }, async () => {
  const json = JSON.stringify(fileOf(MODELS.WordLevel!, SCRIPTS, null));
  using tokenizer = await Tokenizer.load(Buffer.from(json));
  const step = sample(64, 1) === 64 ? 1 : 61;
  const isOften = (code: number) => [0x0, 0x3, 0x4, 0x5, 0x6, 0x11, 0x30, 0x31].includes(code >> 8);
  const codes = Array.from({ length: 0x110000 }, (_, code) => code).filter(
    (code) => (code < 0xd800 || code > 0xdfff) && (code % step === 0 || isOften(code)),
  );
  // Between others, side by side, and first.
  const texts: string[] = [];
  for (let at = 0; at < codes.length; at += 300) {
    const characters = codes.slice(at, at + 300).map((code) => String.fromCodePoint(code));
    texts.push(
      characters.map((each) => `a${each}漢${each}б${each}.`).join(''),
      characters.join(''),
      ...characters.slice(0, 4).map((each) => `${each}a`),
    );
  }
  const expected = await referenceOf(json).encodeBatch(texts, { addSpecialTokens: false });
  for (const [index, text] of texts.entries()) {
    const units = [0];
    for (const character of text) units.push(units.at(-1)! + character.length);
    const own = tokenizer.encodeWithOffsets(text, { special: 'allow' });
    expect([...own.offsets]).toEqual(expected[index]!.getOffsets().flatMap((span) => span.map((at) => units[at])));
  }
});

it.each<[string, Json]>([
  ['behind another pretokenizer', sequence({ type: 'Digits', individual_digits: true }, SCRIPTS)],
  ['twice', sequence(SCRIPTS, SCRIPTS)],
  ['before Metaspace', sequence(SCRIPTS, { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', split: true })],
])('takes the general path: %s, beside a token that is normalized', async (_, pretokenizer) => {
  const file = fileOf(MODELS.WordLevel!, pretokenizer, { type: 'NFC' });
  file.added_tokens[0].normalized = true;
  const random = new Random(5);
  await compareGeneral(
    JSON.stringify(file),
    Array.from({ length: 20 }, () => textOf(random)),
  );
});
