// Added tokens with `lstrip` and `rstrip`, through every call: the same ids, offsets and counts as npm `tokenizers`
// with the same file.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as entry from 'crayon-tokenizer';

import { Random } from '../fuzz/random.mjs';
import { sample } from '../share.js';
import { compareFiles, compareGeneral, compareLong, jsonOf, OPTIONS, referenceOf, type Token } from './added-token-files.js';
import { openCartridge } from './cartridge-reader.mjs';

const { compileCartridge, Tokenizer } = entry;
const CONTENTS = ['<m>', '<a', '<a>', '[ệ]', '  ', '\n', ' <c>', '<d> ', '中', 'b<'];
const SPACES = [' ', '  ', '   ', '\n', '\t', '\r\n', '\u000b', '\u0085', '\u00a0', '\u1680', '\u2000', '\u2028', '\u202f', '\u3000'];
const OTHERS = ['a', 'b', '<', '>', 'é', 'e\u0301', '\u0301', '\u0338', '😀', '\u200b', '\u180e', '\u001c', "'s", '12', '\ufeff'];

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'crayon-test-'));
  process.env.CRAYON_CACHE_DIR = join(folder, 'cache');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const MERGES = ['a b', 'Ġ a', 'Ġ Ġ', 'Ċ Ċ', 'Â ł', 'Ġ <'];
const FIRST = 256 + MERGES.length;
const fileOf = (tokens: readonly Token[], normalizer: object | null) => jsonOf(MERGES, tokens, normalizer);

const token = (content: string, id: number, flags: Partial<Token>): Token => ({
  content,
  id,
  single_word: false,
  lstrip: false,
  rstrip: false,
  normalized: false,
  special: true,
  ...flags,
});

function randomTokens(random: Random): Token[] {
  // Tokens of whitespace, or right strips; and normalized ones that no other can overlap.
  const spaces = random.integer(0, 1) === 1;
  const normalizes = random.integer(0, 1) === 1;
  const contents = CONTENTS.filter((content) => (spaces || !/^\s/.test(content)) && random.integer(0, 1));
  return contents.map((content, index) =>
    token(content, FIRST + index, {
      lstrip: random.integer(0, 1) === 1,
      rstrip: !spaces && random.integer(0, 2) === 0,
      normalized: normalizes && random.integer(0, 3) === 0,
      special: random.integer(0, 1) === 1,
    }),
  );
}

function textOf(random: Random, tokens: readonly Token[], length: number): string {
  let text = '';
  for (let i = 0; i < length; i++) {
    const kind = random.integer(0, 7);
    if (kind < 4) text += random.pick(SPACES);
    else if (kind < 6 && tokens.length > 0) text += random.pick(tokens).content;
    else text += random.pick(OTHERS);
    if (random.integer(0, 40) === 0) text += ' '.repeat(random.integer(0, 200));
  }
  return text;
}

describe('tokens with lstrip and rstrip', { timeout: 300_000 }, () => {
  const FILES = sample(160, 8);
  for (const normalizer of [null, { type: 'NFC' }]) {
    it(`${FILES} files ${normalizer ? 'with NFC' : 'without a normalizer'}`, async () => {
      const refused = await compareFiles({
        folder,
        count: FILES,
        stream: normalizer ? 1 : 0,
        tokensOf: randomTokens,
        fileOf: (tokens) => fileOf(tokens, normalizer),
        textOf,
        refusal: /overlap|with whitespace|and has rstrip|where both are normalized/,
      });
      expect(refused).toBeLessThan((3 * FILES) / 4);
    });
  }

  it('long texts: on threads, in streams, in files', async () => {
    const random = new Random(3);
    const tokens = [token('<m>', FIRST, { lstrip: true }), token('[ệ]', FIRST + 1, { rstrip: true, special: false }), token('<b>', FIRST + 2, { lstrip: true, rstrip: true })];
    const file = fileOf(tokens, null);
    const path = join(folder, 'long.json');
    writeFileSync(path, file);
    using own = await Tokenizer.load(path);
    const reference = referenceOf(file);
    for (const text of [textOf(random, tokens, 60_000), `a${' '.repeat(200_000)}<m>${' \n'.repeat(100_000)}<b>${' '.repeat(150_000)}x`]) {
      await compareLong(own, reference, text, random, folder);
    }
  });

  it('are governed by the policy if they are special', async () => {
    const path = join(folder, 'policy.json');
    writeFileSync(path, fileOf([token('<m>', FIRST, { lstrip: true }), token('<n>', FIRST + 1, { rstrip: true, special: false })], null));
    using own = await Tokenizer.load(path);
    const text = 'x  <m>  <n>  y';
    const bytesOf = (part: string) => [...own.encode(part, { special: 'text' })];
    expect([...own.encode(text, { special: 'text' })]).toEqual([...bytesOf('x  <m>  '), FIRST + 1, ...bytesOf('y')]);
    expect([...own.encode(text, { special: 'allow' })]).toEqual([...bytesOf('x'), FIRST, ...bytesOf('  '), FIRST + 1, ...bytesOf('y')]);
    expect(() => own.encode(text, { special: 'forbid' })).toThrow('<m>');
    expect(own.decode([FIRST, FIRST + 1])).toBe('<m><n>');
  });

  it('prevent adaptation', async () => {
    const path = join(folder, 'adapted.json');
    writeFileSync(path, fileOf([token('<m>', FIRST, { lstrip: true })], null));
    using own = await Tokenizer.load(path);
    await expect(own.adapt({ threshold: 0, add: 1 })).rejects.toThrow(/includes whitespace around it/);
  });

  it('are stored in full and slim cartridges', async () => {
    const path = join(folder, 'cartridge.json');
    writeFileSync(path, fileOf([token('<m>', FIRST, { lstrip: true }), token('<n>', FIRST + 1, { rstrip: true })], null));
    for (const slim of [false, true]) {
      const cartridge = await compileCartridge(path, { slim });
      const [view] = openCartridge(cartridge).views;
      expect(view.addedTokens).toMatchObject([{ lstrip: true, rstrip: false }, { lstrip: false, rstrip: true }]);
      using own = await Tokenizer.load(await compileCartridge(cartridge, { slim: !slim }));
      expect([...own.encode('  <m><n>  ', OPTIONS)]).toEqual([FIRST, FIRST + 1]);
    }
  });

  it.each([
    ['rstrip before a token of whitespace', null, { rstrip: true }, '\n', {}],
    ['normalized, inside of another one', { type: 'NFC' }, { lstrip: true, normalized: true }, 'a<m>', { normalized: true }],
  ] as const)('takes the general path: %s', async (_, normalizer, flags, other, otherFlags) => {
    const json = fileOf([token('<m>', FIRST, flags), token(other, FIRST + 1, otherFlags)], normalizer);
    await compareGeneral(json, ['<m>', 'x <m> y', 'a<m>', ' a<m> <m> b', 'ab<m>c'], 'added_tokens');
  });
});
