// Added tokens with `single_word`, `lstrip` and `rstrip`, through every call: the same ids, offsets and counts as npm
// `tokenizers` with the same file.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileCartridge, Tokenizer } from 'crayon-tokenizer';

import { Random } from '../fuzz/random.mjs';
import { sample } from '../share.js';
import {
  BYTE_LEVEL,
  compareFiles,
  compareGeneral,
  compareLong,
  idsOf,
  jsonOf,
  OPTIONS,
  referenceOf,
  type Token,
} from './added-token-files.js';
import { openCartridge } from './cartridge-reader.mjs';

const MERGES = ['a b', 'Ġ a', 'Ġ Ġ', 'Ã ©', 'b c', '< m', 'Ġ <', 'Ċ Ċ', 'Â ł'];
/** The id of the first added token. */
const FIRST = 256 + MERGES.length;
const WITHOUT_PATTERN = { ...BYTE_LEVEL, use_regex: false };

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'crayon-test-'));
  process.env.CRAYON_CACHE_DIR = join(folder, 'cache');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const token = (content: string, flags: Partial<Token>): Token => ({
  id: FIRST,
  content,
  single_word: false,
  lstrip: false,
  rstrip: false,
  normalized: false,
  special: false,
  ...flags,
});

/** Writes a file with these tokens, whose ids count from FIRST. */
function written(name: string, tokens: readonly Token[], pretokenizer?: object): { file: string; path: string } {
  const file = jsonOf(MERGES, tokens, null, pretokenizer);
  const path = join(folder, `${name}.json`);
  writeFileSync(path, file);
  return { file, path };
}

/** What random files with one kind of flags have. */
interface Kind {
  name: string;
  files: number;
  tokensOf(random: Random): Token[];
  textOf(random: Random, tokens: readonly Token[], length: number): string;
  pretokenizerOf(random: Random): object;
  refusal: RegExp;
  /** Of the files, at most. */
  refused: number;
}

/** They overlap; for files with both kinds of tokens, the last ones do not. */
const OVERLAPPING = [
  '<m>',
  '<m',
  'm>x',
  'ab',
  'abc',
  'bc',
  'cab',
  'a b',
  'c ',
  ' d',
  '_',
  '12',
  '2',
  '中',
  'ệ',
  '\u0301',
  '\u200d',
  '😀',
  'aaa',
  '<m>ab',
];
const SEPARATE = ['<m>', '[n]', 'ab', '中', '12', '_', '😀', 'ệ', '\u200d'];
const BESIDE_WORDS = [
  ...'abcdm12_<>[] .,\n-',
  ...'é\u0301\u0338=\u200b\u200c\u200d中の한٣Ⅷ²½ⓐ‿ªß\u0903\u20dd\u{1d400}\u{e0100}😀\ufeff\u00a0\u3000\u0345ﬁ',
  'e\u0301',
  '\u212b',
  '\u1fef',
  '  ',
  "'s",
];

const SINGLE_WORDS: Kind = {
  name: 'single_word',
  files: sample(240, 10),
  tokensOf(random) {
    const isMixed = random.integer(0, 2) === 0;
    const isLate = random.integer(0, 1) === 1;
    const strips = random.integer(0, 2) === 0;
    const contents = (isMixed ? SEPARATE : OVERLAPPING).filter((content) => random.integer(0, 1) && !(strips && /^\s/.test(content)));
    return contents.map((content) => {
      const normalized = isMixed ? random.integer(0, 1) === 1 : isLate;
      const mayStrip = strips && !(isMixed && normalized);
      return token(content, {
        single_word: random.integer(0, 3) > 0,
        lstrip: mayStrip && random.integer(0, 2) === 0,
        rstrip: mayStrip && random.integer(0, 2) === 0,
        normalized,
        // A token that merging makes is not.
        special: content.length > 1 && content !== 'ab' && content !== 'bc' && content !== '<m' && random.integer(0, 1) === 1,
      });
    });
  },
  textOf(random, tokens, length) {
    const one = () => (random.integer(0, 1) && tokens.length > 0 ? random.pick(tokens).content : random.pick(BESIDE_WORDS));
    return Array.from({ length }, one).join('');
  },
  pretokenizerOf: (random) => (random.integer(0, 2) ? BYTE_LEVEL : WITHOUT_PATTERN),
  refusal: /overlap|with whitespace|and has rstrip|is not supported (?:with a normalizer|beside one)|would be decoded to these/,
  refused: 1 / 2,
};

const STRIPPED = ['<m>', '<a', '<a>', '[ệ]', '  ', '\n', ' <c>', '<d> ', '中', 'b<'];
const SPACES = [' ', '  ', '   ', '\n', '\t', '\r\n', '\u000b', '\u0085', '\u00a0', '\u1680', '\u2000', '\u2028', '\u202f', '\u3000'];
const BESIDE_SPACES = ['a', 'b', '<', '>', 'é', 'e\u0301', '\u0301', '\u0338', '😀', '\u200b', '\u180e', '\u001c', "'s", '12', '\ufeff'];

const STRIPS: Kind = {
  name: 'lstrip and rstrip',
  files: sample(160, 8),
  tokensOf(random) {
    // Tokens of whitespace, or right strips; and normalized ones that no other can overlap.
    const spaces = random.integer(0, 1) === 1;
    const normalizes = random.integer(0, 1) === 1;
    const contents = STRIPPED.filter((content) => (spaces || !/^\s/.test(content)) && random.integer(0, 1));
    return contents.map((content) =>
      token(content, {
        lstrip: random.integer(0, 1) === 1,
        rstrip: !spaces && random.integer(0, 2) === 0,
        normalized: normalizes && random.integer(0, 3) === 0,
        special: random.integer(0, 1) === 1,
      }),
    );
  },
  textOf(random, tokens, length) {
    let text = '';
    for (let i = 0; i < length; i++) {
      const kind = random.integer(0, 7);
      if (kind < 4) text += random.pick(SPACES);
      else if (kind < 6 && tokens.length > 0) text += random.pick(tokens).content;
      else text += random.pick(BESIDE_SPACES);
      if (random.integer(0, 40) === 0) text += ' '.repeat(random.integer(0, 200));
    }
    return text;
  },
  pretokenizerOf: () => BYTE_LEVEL,
  refusal: /overlap|with whitespace|and has rstrip|where both are normalized/,
  refused: 3 / 4,
};

describe.each([SINGLE_WORDS, STRIPS])('random tokens with $name', { timeout: 300_000 }, (kind) => {
  it.each([null, { type: 'NFC' }])(`${kind.files} files, normalizer %j`, async (normalizer) => {
    const refused = await compareFiles({
      folder,
      count: kind.files,
      stream: normalizer ? 1 : 0,
      tokensOf: kind.tokensOf,
      fileOf: (tokens, random) => jsonOf(MERGES, tokens, normalizer, kind.pretokenizerOf(random)),
      textOf: kind.textOf,
      refusal: kind.refusal,
    });
    expect(refused).toBeLessThan(kind.refused * kind.files);
  });
});

describe('tokens with flags', { timeout: 300_000 }, () => {
  it.each([
    [
      'single words, without a pattern',
      SINGLE_WORDS,
      WITHOUT_PATTERN,
      [
        token('ab', { single_word: true }),
        token('bc', { single_word: true }),
        token('<m>', { single_word: true, lstrip: true }),
        token('中', {}),
      ],
      ['abc12'.repeat(20_000), `${'ab '.repeat(15_000)}${'ab,'.repeat(15_000)}`],
    ],
    [
      'single words, normalized',
      SINGLE_WORDS,
      BYTE_LEVEL,
      [
        token('ab', { single_word: true, normalized: true }),
        token('bca', {}),
        token('12', { single_word: true }),
        token('c1', { single_word: true, normalized: true }),
      ],
      ['abc12'.repeat(20_000), `${'ab '.repeat(15_000)}${'ab,'.repeat(15_000)}`],
    ],
    [
      'strips',
      STRIPS,
      BYTE_LEVEL,
      [
        token('<m>', { lstrip: true, special: true }),
        token('[ệ]', { rstrip: true }),
        token('<b>', { lstrip: true, rstrip: true, special: true }),
      ],
      [`a${' '.repeat(200_000)}<m>${' \n'.repeat(100_000)}<b>${' '.repeat(150_000)}x`],
    ],
  ] as const)('are found in long texts on threads, in streams, in files: %s', async (name, kind, pretokenizer, tokens, texts) => {
    const random = new Random(3);
    const { file, path } = written(name, tokens, pretokenizer);
    using tokenizer = await Tokenizer.load(path);
    const reference = referenceOf(file);
    for (const text of [kind.textOf(random, tokens, 60_000), ...texts]) await compareLong(tokenizer, reference, text, random, folder);
  });

  it('are whole words as the origin classifies each code point', async () => {
    const { file, path } = written('characters', [token('<m>', { single_word: true }), token('|end|', {})]);
    const reference = referenceOf(file);
    using tokenizer = await Tokenizer.load(path);
    const step = Math.max(1, Math.round(1 / (sample(1000) / 1000) / 4));
    const codes = [];
    for (let code = 0; code < 0x110000; code++) {
      const isOdd = (code >= 0xd800 && code < 0xe000) || (code >= 0x32000 && code % 997 > 0 && code < 0xe0000) || code > 0xe0200;
      if (!isOdd && code % step === 0) codes.push(code);
    }
    for (let from = 0; from < codes.length; from += 20_000) {
      const characters = codes.slice(from, from + 20_000).map((code) => String.fromCodePoint(code));
      for (const text of [characters.map((each) => `${each}<m>|end|`).join(''), characters.map((each) => `<m>${each}|end|`).join('')]) {
        const [ids] = await idsOf(reference, [text]);
        expect(Buffer.compare(Buffer.from(tokenizer.encode(text, OPTIONS).buffer), Buffer.from(Uint32Array.from(ids!).buffer))).toBe(0);
      }
    }
  });

  it('are governed by the policy if they are special', async () => {
    const { path } = written('policy', [token('<m>', { lstrip: true, special: true }), token('<n>', { rstrip: true })]);
    using tokenizer = await Tokenizer.load(path);
    const text = 'x  <m>  <n>  y';
    const bytesOf = (part: string) => [...tokenizer.encode(part, { special: 'text' })];
    expect([...tokenizer.encode(text, { special: 'text' })]).toEqual([...bytesOf('x  <m>  '), FIRST + 1, ...bytesOf('y')]);
    expect([...tokenizer.encode(text, OPTIONS)]).toEqual([...bytesOf('x'), FIRST, ...bytesOf('  '), FIRST + 1, ...bytesOf('y')]);
    expect(() => tokenizer.encode(text, { special: 'forbid' })).toThrow('<m>');
    expect(tokenizer.decode([FIRST, FIRST + 1])).toBe('<m><n>');
  });

  it.each([
    ['single_word', { single_word: true }, /is found only as a whole word/],
    ['lstrip', { lstrip: true, special: true }, /includes whitespace around it/],
  ] as const)('prevent adaptation: %s', async (name, flags, message) => {
    const { path } = written(`adapted-${name}`, [token('<m>', flags)]);
    using tokenizer = await Tokenizer.load(path);
    await expect(tokenizer.adapt({ threshold: 0, add: 1 })).rejects.toThrow(message);
  });

  it('are stored in full and slim cartridges', async () => {
    const tokens = [token('<m>', { lstrip: true, special: true }), token('<n>', { rstrip: true, special: true })];
    const words = [token('<m>', { single_word: true, special: true }), token('ab', { single_word: true, normalized: true })];
    const texts = ['<m> a<m>', 'ab abc ab', 'x<m>', '<m>', ' ab, <m>!'];
    for (const slim of [false, true]) {
      const cartridge = await compileCartridge(written('strips', tokens).path, { slim });
      const [view] = openCartridge(cartridge).views;
      expect(view.addedTokens).toMatchObject([
        { lstrip: true, rstrip: false },
        { lstrip: false, rstrip: true },
      ]);
      using again = await Tokenizer.load(await compileCartridge(cartridge, { slim: !slim }));
      expect([...again.encode('  <m><n>  ', OPTIONS)]).toEqual([FIRST, FIRST + 1]);
      const { file, path } = written('words', words);
      using general = await Tokenizer.load(await compileCartridge(await compileCartridge(path, { slim }), { slim: !slim }));
      expect(texts.map((text) => [...general.encode(text, OPTIONS)])).toEqual(await idsOf(referenceOf(file), texts));
    }
  });

  it.each([
    [
      'single words, both raw and normalized',
      null,
      { single_word: true, special: true },
      'ab',
      { single_word: true, normalized: true },
      'added_tokens[0].single_word',
    ],
    ['rstrip before a token of whitespace', null, { rstrip: true, special: true }, '\n', { special: true }, 'added_tokens'],
    [
      'normalized, inside of another one',
      { type: 'NFC' },
      { lstrip: true, normalized: true, special: true },
      'a<m>',
      { normalized: true, special: true },
      'added_tokens',
    ],
  ] as const)('take the general path: %s', async (_, normalizer, flags, other, otherFlags, why) => {
    const file = jsonOf(MERGES, [token('<m>', flags), token(other, otherFlags)], normalizer);
    const texts = ['<m>', 'x <m> y', 'a<m>', ' a<m> <m> b', 'ab<m>c', '<m> a<m>', 'ab abc ab', ' ab, <m>!'];
    await compareGeneral(file, texts, why);
  });
});
