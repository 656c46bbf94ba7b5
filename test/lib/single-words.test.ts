// Added tokens with `single_word`, through every call: the same ids, offsets and counts as npm `tokenizers` with the
// same file.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as entry from 'crayon-tokenizer';

import { Random } from '../fuzz/random.mjs';
import { sample } from '../share.js';
import { BYTE_LEVEL, compareFiles, compareGeneral, compareLong, idsOf, jsonOf, OPTIONS, referenceOf, type Token } from './added-token-files.js';

const { compileCartridge, Tokenizer } = entry;
/** They overlap; for files with both kinds of tokens, the last ones do not. */
const OVERLAPPING = ['<m>', '<m', 'm>x', 'ab', 'abc', 'bc', 'cab', 'a b', 'c ', ' d', '_', '12', '2', '中', 'ệ', '\u0301', '\u200d', '😀', 'aaa', '<m>ab'];
const SEPARATE = ['<m>', '[n]', 'ab', '中', '12', '_', '😀', 'ệ', '\u200d'];
const OTHERS = [
  ...'abcdm12_<>[] .,\n-',
  ...'é\u0301\u0338=\u200b\u200c\u200d中の한٣Ⅷ²½ⓐ‿ªß\u0903\u20dd\u{1d400}\u{e0100}😀\ufeff\u00a0\u3000\u0345ﬁ',
  'e\u0301',
  '\u212b',
  '\u1fef',
  '  ',
  "'s",
];

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'crayon-test-'));
  process.env.CRAYON_CACHE_DIR = join(folder, 'cache');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const MERGES = ['a b', 'Ġ a', 'Ġ Ġ', 'Ã ©', 'b c', '< m', 'Ġ <'];
const FIRST = 256 + MERGES.length;

function fileOf(tokens: readonly Token[], normalizer: object | null, pretokenizer?: object): string {
  return jsonOf(MERGES, tokens, normalizer, pretokenizer);
}
const WITHOUT_PATTERN = { ...BYTE_LEVEL, use_regex: false };

const token = (content: string, flags: Partial<Token>): Token => ({
  id: FIRST,
  content,
  single_word: true,
  lstrip: false,
  rstrip: false,
  normalized: false,
  special: false,
  ...flags,
});

function randomTokens(random: Random): Token[] {
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
}

function textOf(random: Random, tokens: readonly Token[], length: number): string {
  let text = '';
  for (let i = 0; i < length; i++) text += random.integer(0, 1) && tokens.length > 0 ? random.pick(tokens).content : random.pick(OTHERS);
  return text;
}

describe('tokens with single_word', { timeout: 300_000 }, () => {
  const FILES = sample(240, 10);
  for (const normalizer of [null, { type: 'NFC' }]) {
    it(`${FILES} files ${normalizer ? 'with NFC' : 'without a normalizer'}`, async () => {
      const refused = await compareFiles({
        folder,
        count: FILES,
        stream: normalizer ? 1 : 0,
        tokensOf: randomTokens,
        fileOf: (tokens, random) => fileOf(tokens, normalizer, random.integer(0, 2) ? BYTE_LEVEL : WITHOUT_PATTERN),
        textOf,
        refusal: /overlap|with whitespace|and has rstrip|is not supported (?:with a normalizer|beside one)|would be decoded to these/,
      });
      expect(refused).toBeLessThan(FILES / 2);
    });
  }

  it('each code point is classified as a word character or not', async () => {
    const file = fileOf([token('<m>', {}), token('|end|', { single_word: false })], null);
    const path = join(folder, 'characters.json');
    writeFileSync(path, file);
    const reference = referenceOf(file);
    using own = await Tokenizer.load(path);
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
        expect(Buffer.compare(Buffer.from(own.encode(text, OPTIONS).buffer), Buffer.from(Uint32Array.from(ids!).buffer))).toBe(0);
      }
    }
  });

  it('long texts: on threads, in streams, in files', async () => {
    const kinds: Token[][] = [
      [token('ab', {}), token('bc', {}), token('<m>', { lstrip: true }), token('中', { single_word: false })],
      [token('ab', { normalized: true }), token('bca', { single_word: false }), token('12', {}), token('c1', { normalized: true })],
    ];
    for (const [index, tokens] of kinds.entries()) {
      const random = new Random(index + 3);
      const file = fileOf(tokens, null, index ? BYTE_LEVEL : WITHOUT_PATTERN);
      const path = join(folder, `long-${index}.json`);
      writeFileSync(path, file);
      using own = await Tokenizer.load(path);
      const reference = referenceOf(file);
      for (const text of [textOf(random, tokens, 60_000), 'abc12'.repeat(20_000), `${'ab '.repeat(15_000)}${'ab,'.repeat(15_000)}`]) {
        await compareLong(own, reference, text, random, folder);
      }
    }
  });

  it('take the general path, from full and slim cartridges', async () => {
    const json = fileOf([token('<m>', { special: true }), token('ab', { normalized: true })], null);
    const texts = ['<m> a<m>', 'ab abc ab', 'x<m>', '<m>', ' ab, <m>!'];
    await compareGeneral(json, texts, 'added_tokens[0].single_word');
    for (const slim of [false, true]) {
      const cartridge = await compileCartridge(Buffer.from(json), { slim });
      using own = await Tokenizer.load(await compileCartridge(cartridge, { slim: !slim }));
      expect(texts.map((text) => [...own.encode(text, OPTIONS)])).toEqual(await idsOf(referenceOf(json), texts));
    }
  });

  it('prevent adaptation', async () => {
    const path = join(folder, 'adapted.json');
    writeFileSync(path, fileOf([token('<m>', {})], null));
    using own = await Tokenizer.load(path);
    await expect(own.adapt({ threshold: 0, add: 1 })).rejects.toThrow(/is found only as a whole word/);
  });
});
