// NFC, NFD, NFKC and NFKD, alone and among other normalizers: all pairs of code points in which the second, or what it decomposes
// to, composes with what the first decomposes to, and triples of marks, beside npm `tokenizers`: ids (the bytes of the normalized
// text), offsets, streams that are cut everywhere, natively and in WebAssembly.

import { createRequire } from 'node:module';
import { beforeAll, describe, expect, it } from 'vitest';
import { Tokenizer } from 'crayon-tokenizer';
import { Tokenizer as WasmTokenizer } from 'crayon-tokenizer/wasm';

import { Random } from '../fuzz/random.mjs';
import { sample } from '../share.js';
import { bytesOf, fileOf } from './small-file.js';
import { unitsOf } from './units.js';

interface Encoding {
  getIds(): number[];
  getOffsets(): [number, number][];
}
const { Tokenizer: HuggingFace } = createRequire(import.meta.url)('tokenizers') as {
  Tokenizer: { fromString(json: string): { encodeBatch(texts: string[], options: { addSpecialTokens: boolean }): Promise<Encoding[]> } };
};

const SEED = Number(process.env.CRAYON_FUZZ_SEED ?? 1);
const LETTERS = ['L', 'S', 'N', 'P'].map((category) => `\\p{${category}}`).join('');
const NORMALIZERS: Record<string, object> = Object.fromEntries(
  [
    ['NFC'],
    ['NFD'],
    ['NFKC'],
    ['NFKD'],
    ['NFKC', 'NFD'],
    ['NFD', 'NFKC'],
    ['NFKD', 'NFC'],
    ['NFKC', 'Lowercase', 'NFKC'],
    ['Lowercase', 'NFKC'],
    ['NFD', 'StripAccents', 'NFC'],
    ['Nmt', 'NFKC'],
  ].map((types) => [
    types.join(', '),
    types.length === 1 ? { type: types[0] } : { type: 'Sequence', normalizers: types.map((type) => ({ type })) },
  ]),
);

/** Texts of two and three characters; which of them compose, the host's Unicode need not know: the reference does. */
let pairs: string[] = [];
let triples: string[] = [];
beforeAll(() => {
  const all = Array.from({ length: 0x2fa20 }, (_, code) => String.fromCodePoint(code)).filter(
    (text) => !/\p{Cs}|\p{Cn}|\p{Co}/u.test(text),
  );
  const [firsts, seconds] = [new Map<string, string[]>(), new Map<string, string[]>()];
  const add = (map: Map<string, string[]>, key: string, text: string) => map.set(key, [...(map.get(key) ?? []), text]);
  for (const text of all) {
    const parts = [...text.normalize('NFKD')];
    add(seconds, parts[0] as string, text);
    add(firsts, parts[parts.length - 1] as string, text);
    if (parts.length > 1 && new RegExp(`^[${LETTERS}]`, 'u').test(parts[0] as string)) add(firsts, parts[0] as string, text);
  }
  const found = new Set<string>();
  for (const text of all) {
    const parts = [...text.normalize('NFD')];
    if (parts.length < 2) continue;
    const last = parts.pop() as string;
    const before = parts.join('').normalize('NFC');
    const bases = [...new Set([before, ...(firsts.get(parts[parts.length - 1] as string) ?? [])])].slice(0, 12);
    for (const base of bases) for (const second of (seconds.get(last) ?? []).slice(0, 12)) found.add(base + second);
  }
  // Hangul: a few of each kind of letter with all of the next.
  const jamo = all.filter((text) => /[\u1100-\u11ff]/.test(text.normalize('NFKD')));
  for (const one of ['ᄀ', 'ㄱ', 'ﾡ', '가', 'ㅏ']) for (const other of jamo) found.add(one + other);
  pairs = [...found];
  const marks = all.filter((text) => /^\p{M}/u.test(text.normalize('NFKD')));
  const random = new Random(SEED, 0);
  triples = Array.from(
    { length: sample(200_000, 1000) },
    () =>
      random.pick([...'aeoAΑαกが가', 'ﾊ', random.pick(pairs)]) +
      random.pick(marks) +
      random.pick(marks) +
      (random.chance(0.3) ? random.pick(marks) : ''),
  );
});

describe('the reference agrees', () => {
  it.each(Object.entries(NORMALIZERS))('%s', { timeout: 1_200_000 }, async (_, normalizer) => {
    const bytes = bytesOf(
      fileOf([], (file) =>
        Object.assign(file, {
          normalizer,
          pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: false },
        }),
      ),
    );
    const reference = HuggingFace.fromString(bytes.toString());
    const tokenizers = [await Tokenizer.load(bytes), await WasmTokenizer.load(bytes)];
    const step = Math.max(1, Math.round(pairs.length / sample(pairs.length, 1500)));
    const texts = [...pairs.filter((_, index) => index % step === 0), ...triples];
    const expected = await reference.encodeBatch(texts, { addSpecialTokens: false });
    for (const [index, text] of texts.entries()) {
      const where = [...text].map((character) => `U+${character.codePointAt(0)?.toString(16)}`).join(' ');
      const encoding = expected[index] as Encoding;
      const ids = encoding.getIds();
      for (const tokenizer of tokenizers) {
        expect([...tokenizer.encode(text)], where).toEqual(ids);
        if (index % 16 > 0) continue;
        const units = unitsOf(text);
        const offsets = encoding.getOffsets().flatMap((span) => span.map((at) => units[at]));
        expect([...tokenizer.encodeWithOffsets(text).offsets], `offsets, ${where}`).toEqual(offsets);
        for (let cut = 1; cut < text.length; cut++) {
          const encoder = tokenizer.streamEncoder();
          const made = [...encoder.push(text.slice(0, cut)), ...encoder.push(text.slice(cut)), ...encoder.end()];
          expect(made, `cut at ${cut}, ${where}`).toEqual(ids);
        }
      }
    }
    console.log(`${texts.length} texts, ${pairs.length} pairs`);
    for (const tokenizer of tokenizers) tokenizer.close();
  });
});
