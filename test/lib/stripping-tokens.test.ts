// Added tokens with `lstrip` and `rstrip` on every way that a text can take: ids, offsets and counts are those of npm
// `tokenizers` with the same file.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as entry from 'crayon-tokenizer';

import { Random } from '../fuzz/random.mjs';
import { sample } from '../share.js';
import { openCartridge } from './cartridge-reader.mjs';
import { cut, joined, through } from './chunks.js';

const { compileCartridge, Tokenizer } = entry;
const require = createRequire(import.meta.url);

interface Encoding {
  getIds(): number[];
  getOffsets(): [number, number][];
}
interface Reference {
  encodeBatch(texts: string[], options: { addSpecialTokens: boolean }): Promise<Encoding[]>;
}
const { Tokenizer: HuggingFace } = require('tokenizers') as { Tokenizer: { fromString(json: string): Reference } };

interface Token {
  id: number;
  content: string;
  single_word: boolean;
  lstrip: boolean;
  rstrip: boolean;
  normalized: boolean;
  special: boolean;
}

const OPTIONS = { special: 'allow' } as const;
const CONTENTS = ['<m>', '<a', '<a>', '[ệ]', '  ', '\n', ' <c>', '<d> ', '中', 'b<'];
const SPACES = [' ', '  ', '   ', '\n', '\t', '\r\n', '\u000b', '\u0085', '\u00a0', '\u1680', '\u2000', '\u2028', '\u202f', '\u3000'];
const OTHERS = ['a', 'b', '<', '>', 'é', 'e\u0301', '\u0301', '\u0338', '😀', '\u200b', '\u180e', '\u001c', "'s", '12', '\ufeff'];

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'crayon-test-'));
  process.env.CRAYON_CACHE_DIR = join(folder, 'cache');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The characters that stand for bytes. */
function alphabet(): string[] {
  let other = 256;
  const isShown = (byte: number) => (byte > 32 && byte < 127) || (byte > 160 && byte !== 173);
  return Array.from({ length: 256 }, (_, byte) => String.fromCharCode(isShown(byte) ? byte : other++));
}

function fileOf(tokens: readonly Token[], normalizer: object | null): string {
  const byteLevel = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: true };
  const merges = ['a b', 'Ġ a', 'Ġ Ġ', 'Ċ Ċ', 'Â ł', 'Ġ <'];
  const vocab: Record<string, number> = {};
  for (const text of [...alphabet(), ...merges.map((merge) => merge.replace(' ', ''))]) vocab[text] = Object.keys(vocab).length;
  const model = { type: 'BPE', dropout: null, unk_token: null, continuing_subword_prefix: null, end_of_word_suffix: null, fuse_unk: false, byte_fallback: false, ignore_merges: false, vocab, merges };
  return JSON.stringify({ version: '1.0', truncation: null, padding: null, added_tokens: tokens, normalizer, pre_tokenizer: byteLevel, post_processor: null, decoder: byteLevel, model });
}
const FIRST = 256 + 6;

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

async function idsOf(reference: Reference, texts: string[]): Promise<number[][]> {
  return (await reference.encodeBatch(texts, { addSpecialTokens: false })).map((encoding) => encoding.getIds());
}

describe('tokens with lstrip and rstrip', { timeout: 300_000 }, () => {
  const FILES = sample(160, 8);
  for (const normalizer of [null, { type: 'NFC' }]) {
    it(`${FILES} files ${normalizer ? 'with NFC' : 'without a normalizer'}`, async () => {
      let refused = 0;
      for (let seed = 1; seed <= FILES; seed++) {
        const random = new Random(seed);
        const tokens = randomTokens(random);
        const file = fileOf(tokens, normalizer);
        const path = join(folder, `${seed}.json`);
        writeFileSync(path, file);
        const own = await Tokenizer.load(path).catch((error: Error) => error);
        if (own instanceof Error) {
          expect(own.message).toMatch(/overlap|with whitespace|and has rstrip|is not supported with a normalizer/);
          refused++;
          continue;
        }
        const reference = HuggingFace.fromString(file);
        const texts = Array.from({ length: 30 }, () => textOf(random, tokens, random.integer(0, 25)));
        const expected = await reference.encodeBatch(texts, { addSpecialTokens: false });
        for (const [index, text] of texts.entries()) {
          const name = `${seed} ${JSON.stringify(text)} ${JSON.stringify(tokens)}`;
          const ids = expected[index]!.getIds();
          expect([...own.encode(text, OPTIONS)], name).toEqual(ids);
          expect(own.count(text, OPTIONS), name).toBe(ids.length);
          const units = [0];
          for (const character of text) units.push((units.at(-1) as number) + character.length);
          const { ids: same, offsets } = own.encodeWithOffsets(text, OPTIONS);
          expect([...same], name).toEqual(ids);
          expect([...offsets], name).toEqual(expected[index]!.getOffsets().flatMap((span) => span.map((at) => units[at])));
          if (index % 5 > 0) continue;
          expect([...joined(await through(cut(text, random), own.encodeStream(OPTIONS)))], name).toEqual(ids);
          expect([...(await own.encodeAsync(text, OPTIONS))], name).toEqual(ids);
          const parts = own.split(text, { ...OPTIONS, maxTokens: 12 });
          expect(parts.join(''), name).toBe(text);
          for (const alone of await idsOf(reference, parts)) expect(alone.length, name).toBeLessThanOrEqual(12);
          const kept = own.truncate(text, 12, OPTIONS);
          expect(text.startsWith(kept), name).toBe(true);
          expect((await idsOf(reference, [kept]))[0]!.length, name).toBeLessThanOrEqual(12);
        }
        own.close();
      }
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
    const reference = HuggingFace.fromString(file);
    for (const text of [textOf(random, tokens, 60_000), `a${' '.repeat(200_000)}<m>${' \n'.repeat(100_000)}<b>${' '.repeat(150_000)}x`]) {
      const [ids] = await idsOf(reference, [text]);
      expect([...own.encode(text, OPTIONS)]).toEqual(ids);
      expect([...(await own.encodeAsync(text, { ...OPTIONS, threads: 3 }))]).toEqual(ids);
      expect([...(await own.encodeAsync(text, { ...OPTIONS, threads: 3, strategy: 'overlap' }))]).toEqual(ids);
      expect(await own.countAsync(text, { ...OPTIONS, threads: 3 })).toBe(ids!.length);
      expect([...joined(await through(cut(text, random), own.encodeStream(OPTIONS)))]).toEqual(ids);
      const batch = own.encodeBatch(['', text, text], { ...OPTIONS, threads: 2 });
      expect([...batch.row(2)]).toEqual(ids);
      const source = join(folder, 'long.txt');
      writeFileSync(source, text);
      const parts: Uint32Array[] = [];
      for await (const part of own.encodeFile(source, OPTIONS)) parts.push(part.ids);
      expect([...joined(parts)]).toEqual(ids);
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

  it('keep a vocabulary from being adapted', async () => {
    const path = join(folder, 'adapted.json');
    writeFileSync(path, fileOf([token('<m>', FIRST, { lstrip: true })], null));
    using own = await Tokenizer.load(path);
    await expect(own.adapt({ threshold: 0, add: 1 })).rejects.toThrow(/includes whitespace around it/);
  });

  it('are in the cartridge, full and slim', async () => {
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
    ['rstrip before a token of whitespace', null, { rstrip: true }, '\n', {}, /"<m>" has rstrip and "\\n" begins with whitespace/],
    ['lstrip after a normalized one', null, { lstrip: true }, 'x ', { normalized: true }, /"<m>" has lstrip and "x " is normalized and ends with whitespace/],
    ['lstrip where a normalized one has rstrip', null, { lstrip: true }, 'xx', { normalized: true, rstrip: true }, /"<m>" has lstrip and "xx" is normalized and has rstrip/],
    ['normalized, with a normalizer', { type: 'NFC' }, { lstrip: true, normalized: true }, 'x', {}, /added_tokens\[0\]\.lstrip: .*with a normalizer/],
  ] as const)('refuses %s', async (_, normalizer, flags, other, otherFlags, message) => {
    const path = join(folder, 'refused.json');
    writeFileSync(path, fileOf([token('<m>', FIRST, flags), token(other, FIRST + 1, otherFlags)], normalizer));
    await expect(Tokenizer.load(path)).rejects.toThrow(message);
  });
});
