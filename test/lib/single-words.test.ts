// Added tokens with `single_word` on every way that a text can take: ids, offsets and counts are those of npm `tokenizers`
// with the same file.

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

/** The characters that stand for bytes. */
function alphabet(): string[] {
  let other = 256;
  const isShown = (byte: number) => (byte > 32 && byte < 127) || (byte > 160 && byte !== 173);
  return Array.from({ length: 256 }, (_, byte) => String.fromCharCode(isShown(byte) ? byte : other++));
}

const MERGES = ['a b', 'Ġ a', 'Ġ Ġ', 'Ã ©', 'b c', '< m', 'Ġ <'];
const FIRST = 256 + MERGES.length;

function fileOf(tokens: readonly Token[], normalizer: object | null, pretokenizer: object = BYTE_LEVEL): string {
  const vocab: Record<string, number> = {};
  for (const text of [...alphabet(), ...MERGES.map((merge) => merge.replace(' ', ''))]) vocab[text] = Object.keys(vocab).length;
  const model = { type: 'BPE', dropout: null, unk_token: null, continuing_subword_prefix: null, end_of_word_suffix: null, fuse_unk: false, byte_fallback: false, ignore_merges: false, vocab, merges: MERGES };
  let next = FIRST;
  const added = tokens.map((each) => ({ ...each, id: vocab[each.content] ?? next++ }));
  return JSON.stringify({ version: '1.0', truncation: null, padding: null, added_tokens: added, normalizer, pre_tokenizer: pretokenizer, post_processor: null, decoder: BYTE_LEVEL, model });
}
const BYTE_LEVEL = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: true };
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
      // What merging makes is not.
      special: content.length > 1 && content !== 'ab' && content !== 'bc' && content !== '<m' && random.integer(0, 1) === 1,
    });
  });
}

function textOf(random: Random, tokens: readonly Token[], length: number): string {
  let text = '';
  for (let i = 0; i < length; i++) text += random.integer(0, 1) && tokens.length > 0 ? random.pick(tokens).content : random.pick(OTHERS);
  return text;
}

async function idsOf(reference: Reference, texts: string[]): Promise<number[][]> {
  return (await reference.encodeBatch(texts, { addSpecialTokens: false })).map((encoding) => encoding.getIds());
}

describe('tokens with single_word', { timeout: 300_000 }, () => {
  const FILES = sample(240, 10);
  for (const normalizer of [null, { type: 'NFC' }]) {
    it(`${FILES} files ${normalizer ? 'with NFC' : 'without a normalizer'}`, async () => {
      let refused = 0;
      for (let seed = 1; seed <= FILES; seed++) {
        const random = new Random(seed);
        const tokens = randomTokens(random);
        const file = fileOf(tokens, normalizer, random.integer(0, 2) ? BYTE_LEVEL : WITHOUT_PATTERN);
        const path = join(folder, `${seed}.json`);
        writeFileSync(path, file);
        const own = await Tokenizer.load(path).catch((error: Error) => error);
        if (own instanceof Error) {
          expect(own.message).toMatch(/overlap|with whitespace|and has rstrip|is not supported with a normalizer|would be decoded to these/);
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
          expect(own.isWithinLimit(text, ids.length, OPTIONS), name).toBe(ids.length);
          const units = [0];
          for (const character of text) units.push((units.at(-1) as number) + character.length);
          const { ids: same, offsets } = own.encodeWithOffsets(text, OPTIONS);
          expect([...same], name).toEqual(ids);
          expect([...offsets], name).toEqual(expected[index]!.getOffsets().flatMap((span) => span.map((at) => units[at])));
          if (index % 5 > 0) continue;
          expect([...joined(await through(cut(text, random, 4), own.encodeStream(OPTIONS)))], name).toEqual(ids);
          expect([...(await own.encodeAsync(text, OPTIONS))], name).toEqual(ids);
          const parts = own.split(text, { ...OPTIONS, maxTokens: 12 });
          expect(parts.join(''), name).toBe(text);
          for (const alone of await idsOf(reference, parts)) expect(alone.length, name).toBeLessThanOrEqual(12);
          for (const side of ['left', 'right'] as const) {
            const kept = own.truncate(text, 12, { ...OPTIONS, side });
            expect(side === 'left' ? text.endsWith(kept) : text.startsWith(kept), name).toBe(true);
            expect((await idsOf(reference, [kept]))[0]!.length, name).toBeLessThanOrEqual(12);
          }
          if (index > 0) continue;
          for (let at = 0; at <= text.length; at++) {
            const chunks = [text.slice(0, at), text.slice(at)];
            expect([...joined(await through(chunks, own.encodeStream(OPTIONS)))], name).toEqual(ids);
          }
        }
        own.close();
      }
      expect(refused).toBeLessThan(FILES / 2);
    });
  }

  it('each code point is one of a word, or not', async () => {
    const file = fileOf([token('<m>', {}), token('|end|', { single_word: false })], null);
    const path = join(folder, 'characters.json');
    writeFileSync(path, file);
    const reference = HuggingFace.fromString(file);
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
      const reference = HuggingFace.fromString(file);
      for (const text of [textOf(random, tokens, 60_000), 'abc12'.repeat(40_000), `${'ab '.repeat(30_000)}${'ab,'.repeat(30_000)}`]) {
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
    }
  });

  it('are in the cartridge, full and slim', async () => {
    const path = join(folder, 'cartridge.json');
    writeFileSync(path, fileOf([token('<m>', { special: true }), token('ab', { normalized: true })], null));
    for (const slim of [false, true]) {
      const cartridge = await compileCartridge(path, { slim });
      const { views, words } = openCartridge(cartridge);
      expect(views[0].addedTokens).toMatchObject([{ singleWord: true, normalized: true }, { singleWord: true, normalized: false }]);
      expect(words).toHaveLength(796);
      expect(words.reduce((sum: number, [first, last]: [number, number]) => sum + last - first + 1, 0)).toBe(144_667);
      using own = await Tokenizer.load(await compileCartridge(cartridge, { slim: !slim }));
      const id = views[0].addedTokens[1].id;
      expect([...own.encode('<m> a<m>', OPTIONS)].filter((each) => each === id)).toHaveLength(1);
    }
  });

  it('keep a vocabulary from being adapted', async () => {
    const path = join(folder, 'adapted.json');
    writeFileSync(path, fileOf([token('<m>', {})], null));
    using own = await Tokenizer.load(path);
    await expect(own.adapt({ threshold: 0, add: 1 })).rejects.toThrow(/is found only as a whole word/);
  });

  it('with both kinds of tokens, and strips, are refused', async () => {
    const path = join(folder, 'refused.json');
    const refused = async (...tokens: Token[]) => {
      writeFileSync(path, fileOf(tokens, null));
      await expect(Tokenizer.load(path)).rejects.toThrow(expected);
    };
    let expected = /"<x>" is normalized and has rstrip, next to normalized tokens with single_word and others that are not/;
    await refused(token('<m>', {}), token('ab', { normalized: true }), token('<x>', { normalized: true, single_word: false, rstrip: true }));
    expected = /"a<m>" is normalized and contains "<m>", which is not/;
    await refused(token('<m>', {}), token('a<m>', { normalized: true }));
  });
});
