// WordPiece, WordLevel, Unigram and BPE over characters, with their normalizers and pretokenizers: ids, offsets, types and
// decoded texts equal the results of npm `tokenizers` with the same file. models/make.py makes the small files; those of
// published models are read if ../shared exists.

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileCartridge, Tokenizer } from 'crayon-tokenizer';

import { byteLevel } from '../../lib/vocabularies/decode/bytes.js';
import { corpusLines } from '../corpora.mjs';
import { Random } from '../fuzz/random.mjs';
import { nastyString } from '../fuzz/strings.mjs';
import { sample, SHARE, some } from '../share.js';
import { unitsOf } from './units.js';

interface Encoding {
  getIds(): number[];
  getOffsets(): [number, number][];
  getTypeIds(): number[];
}
interface Reference {
  encode(text: string, pair: string | null, options: { addSpecialTokens: boolean }): Promise<Encoding>;
  encodeBatch(texts: string[], options: { addSpecialTokens: boolean }): Promise<Encoding[]>;
  decodeBatch(ids: number[][], skipSpecialTokens: boolean): Promise<string[]>;
}
const { Tokenizer: HuggingFace } = createRequire(import.meta.url)('tokenizers') as { Tokenizer: { fromString(json: string): Reference } };

const FIXTURES = fileURLToPath(new URL('../models', import.meta.url));
const SHARED = fileURLToPath(new URL('../../../shared/vocabularies', import.meta.url));
const PUBLISHED = [
  'bert-base-uncased',
  't5-small',
  'phi-3-mini',
  'version-2/bert-base-uncased',
  'version-2/t5-small',
  'version-2/phi-3-mini',
  'dnabert2',
  'version-2/dnabert2',
  'clip',
  'version-2/clip',
];

interface Source {
  name: string;
  /** Undefined if the file is missing. */
  json: string | undefined;
  /** The file for the reference, if it is another one: it does not read version 2.0. */
  first: string | undefined;
}

function published(name: string): Source {
  return { name, json: fileOf(name), first: name.startsWith('version-2/') ? fileOf(name.slice('version-2/'.length)) : undefined };
}

function fileOf(name: string): string | undefined {
  const path = join(SHARED, `${name}.tokenizer.json`);
  const json = existsSync(path)
    ? readFileSync(path, 'utf8')
    : existsSync(`${path}.gz`)
      ? gunzipSync(readFileSync(`${path}.gz`)).toString()
      : undefined;
  return json && withoutLimits(json);
}

/** Without the limits of `encode`: texts are taken whole. */
function withoutLimits(json: string): string {
  if (/"truncation":\s*null,\s*"padding":\s*null,/.test(json.slice(0, 200))) return json;
  return JSON.stringify({ ...JSON.parse(json), truncation: null, padding: null });
}

const SOURCES: Source[] = [
  ...readdirSync(FIXTURES)
    .filter((name) => name.endsWith('.tokenizer.json'))
    .map((name) => ({
      name: `our ${name.replace('.tokenizer.json', '')}`,
      json: readFileSync(join(FIXTURES, name), 'utf8'),
      first: undefined,
    })),
  // How a file is written does not matter to the path that its texts take.
  ...some(PUBLISHED, (name) => process.env.CRAYON_FORCE_PATH !== 'general' || !name.startsWith('version-2/')).map(published),
];

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'crayon-models-'));
  process.env.CRAYON_CACHE_DIR = '';
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Whether a text contains a byte or character that the vocabulary has no token for and leaves out. */
function leavesOut(json: string): (text: string) => boolean {
  const { model, decoder } = JSON.parse(json);
  if (model.type !== 'BPE' || model.unk_token !== null || model.byte_fallback) return () => false;
  const isKnown = (token: string) => Object.hasOwn(model.vocab, token);
  if (decoder?.type !== 'ByteLevel') return (text) => [...text].some((character) => !/\s/u.test(character) && !isKnown(character));
  return (text) => Buffer.from(text).some((byte) => !isKnown(byteLevel(Uint8Array.of(byte))));
}

const PARTS = [
  ' ',
  '  ',
  '   ',
  '\n',
  '\t',
  '\u00a0',
  '\u2003',
  '\u3000',
  '▁',
  '▁▁',
  ' ▁',
  '##',
  'the ',
  ' the',
  'The',
  "don't",
  'é',
  'e\u0301',
  'É',
  'ß',
  'Σ',
  'İ',
  'ﬁ',
  '①',
  'Ａ',
  '…',
  '“',
  '的',
  '日本',
  '한국',
  '각',
  'ก็',
  '\u{1f600}',
  '👩\u200d👩',
  '\u0301',
  '\u200b',
  '\u00ad',
  '\ufeff',
  '\0',
  '\ufffd',
  '<unk>',
  '<s>',
  '</s>',
  '<0x41>',
  '[UNK]',
  '[MASK]',
  'x'.repeat(101),
];

/** Texts in which everything that normalizers, pretokenizers and models treat specially occurs side by side. */
function textsOf(count: number): string[] {
  const short = ['', ...PARTS, ...PARTS.map((part) => `${part}a`), ...PARTS.map((part) => `a${part}`), ...PARTS.map((part) => ` ${part} `)];
  return [...short, ...Array.from({ length: count }, (_, index) => nastyString(43, index, PARTS))].map((text) => text.toWellFormed());
}

const all = { special: 'allow', addSpecialTokens: true } as const;

describe.each(SOURCES)('$name', { timeout: 600_000 }, ({ json, first }) => {
  let tokenizers: Tokenizer[] = [];
  let tokenizer: Tokenizer;
  let reference: Reference;
  const isLeftOut = leavesOut(json ?? '{"model":{}}');
  const hasCharsmap = json?.includes('"Precompiled"') ?? false;
  beforeAll(async () => {
    if (json === undefined) return;
    const bytes = Buffer.from(json);
    const full = await compileCartridge(bytes);
    const slim = await compileCartridge(full, { slim: true });
    tokenizers = [await Tokenizer.load(full), await Tokenizer.load(slim), await Tokenizer.load(slim, { backend: 'wasm' })];
    tokenizer = tokenizers[0]!;
    reference = HuggingFace.fromString(first ?? json);
  });
  afterAll(() => tokenizers.forEach((each) => each.close()));

  async function compare(texts: string[]): Promise<void> {
    const encodings = await reference.encodeBatch(texts, { addSpecialTokens: true });
    const decoded = await reference.decodeBatch(
      encodings.map((encoding) => encoding.getIds()),
      false,
    );
    texts.forEach((text, index) => {
      const name = JSON.stringify(text);
      const units = unitsOf(text);
      const ids = encodings[index]!.getIds();
      const own = tokenizer.encodeWithOffsets(text, all);
      expect([...own.ids].join(), name).toBe(ids.join());
      // Where a charsmap removes the first character of a text, the reference miscounts all that follow, and after text
      // that it leaves out, the rest of the word.
      if (!isLeftOut(text) && !(hasCharsmap && /[\p{Cc}\p{Cf}\u200b]/u.test(text)))
        expect([...own.offsets].join(), name).toBe(
          encodings[index]!.getOffsets()
            .flatMap((span) => span.map((at) => units[at]))
            .join(),
        );
      for (const other of tokenizers.slice(1)) expect(other.encode(text, all).join(), name).toBe(ids.join());
      expect(tokenizer.count(Buffer.from(text), all), name).toBe(ids.length);
      expect(tokenizer.decode(own.ids), name).toBe(decoded[index]);
    });
  }

  const STRINGS = SHARE === 1 ? 50_000 : sample(20_000, 150);
  it.skipIf(json === undefined)(`${STRINGS} texts`, () => compare(textsOf(STRINGS)));

  const LINES = SHARE === 1 ? 20_000 : sample(8000, 50);
  const lines = corpusLines(LINES);
  it.skipIf(json === undefined || lines === null)(`${LINES} lines of the corpora`, () => compare(lines!));

  it.skipIf(json === undefined)('pairs of texts, with their types', async () => {
    const texts = textsOf(sample(2000, 40));
    const pairs = texts.map((text, index): [string, string] => [text, texts[(index * 7 + 3) % texts.length]!]);
    for (const [first, second] of pairs) {
      const encoding = await reference.encode(first, second, { addSpecialTokens: true });
      const own = tokenizer.encodePair(first, second, { special: 'allow' });
      expect([...own.ids].join(), JSON.stringify([first, second])).toBe(encoding.getIds().join());
      expect([...own.typeIds].join()).toBe(encoding.getTypeIds().join());
    }
  });

  it.skipIf(json === undefined)('a long text in parts, on threads, from a file and in a batch', async () => {
    const texts = textsOf(sample(2000, 100));
    const text = texts.join('');
    const [encoding] = await reference.encodeBatch([text], { addSpecialTokens: false });
    const ids = encoding!.getIds();
    expect(tokenizer.encode(text, { special: 'allow' }).join()).toBe(ids.join());
    const long = text.repeat(Math.ceil(400_000 / text.length));
    expect((await tokenizer.encodeAsync(long, { special: 'allow', threads: 3 })).join()).toBe(
      tokenizer.encode(long, { special: 'allow' }).join(),
    );
    expect(await tokenizer.countAsync(text, { special: 'allow' })).toBe(ids.length);
    const batch = tokenizer.encodeBatch(texts, { special: 'allow' });
    texts.forEach((each, row) => expect(batch.row(row).join()).toBe(tokenizer.encode(each, { special: 'allow' }).join()));
    const path = join(folder, 'text.txt');
    writeFileSync(path, text);
    const parts: number[] = [];
    for await (const part of tokenizer.encodeFile(path, { special: 'allow' })) parts.push(...part.ids);
    expect(parts.join()).toBe(ids.join());
    for (const each of tokenizers) {
      for (const longest of [1, 7, 500]) {
        const random = new Random(longest);
        const some = text.slice(0, 5_000).toWellFormed();
        const stream = each.streamEncoder({ special: 'allow' });
        const streamed: number[] = [];
        for (let at = 0, end; at < some.length; at = end)
          streamed.push(...stream.push(some.slice(at, (end = at + random.integer(1, longest)))));
        streamed.push(...stream.end());
        expect(streamed.join(), `chunks of up to ${longest}`).toBe(each.encode(some, { special: 'allow' }).join());
      }
    }
  });

  it.skipIf(json === undefined)('each part stays within its limit', () => {
    for (const text of textsOf(sample(400, 20))) {
      for (const maxTokens of [2, 5, 16]) {
        const single = Math.max(0, ...Array.from(text, (character) => tokenizer.count(character, { special: 'allow' })));
        if (single > maxTokens) continue;
        const parts = tokenizer.split(text, { maxTokens, special: 'allow' });
        expect(parts.join('')).toBe(text);
        for (const part of parts) expect(tokenizer.count(part, { special: 'allow' }), JSON.stringify(text)).toBeLessThanOrEqual(maxTokens);
      }
    }
  });
});

describe('vocab.txt', () => {
  it('is opened by its name, with the settings of the file beside it', async () => {
    const at = join(folder, 'vocab.txt');
    writeFileSync(at, readFileSync(join(FIXTURES, 'bert.vocab.txt')));
    writeFileSync(join(folder, 'tokenizer_config.json'), JSON.stringify({ do_lower_case: false, name_or_path: 'small-bert' }));
    using cased = await Tokenizer.load(at);
    expect(cased.name).toBe('small-bert');
    expect(cased.encode('The').join()).toBe(String(cased.unkTokenId));
    rmSync(join(folder, 'tokenizer_config.json'));
    using lower = await Tokenizer.load(at);
    expect(lower.encode('The').join()).toBe(String(lower.idOf('the')));
    writeFileSync(at, 'a\nb\n');
    await expect(Tokenizer.load(at)).rejects.toThrow('it is not a vocab.txt of BERT');
  });

  it('equals the tokenizer.json of the same vocabulary', async () => {
    const options = { tokenizerConfig: { do_lower_case: true } };
    const fromText = await Tokenizer.load(await compileCartridge(join(FIXTURES, 'bert.vocab.txt'), options));
    const fromJson = await Tokenizer.load(join(FIXTURES, 'bert.tokenizer.json'));
    for (const text of textsOf(sample(4000, 200))) expect(fromText.encode(text, all).join(), text).toBe(fromJson.encode(text, all).join());
    const reference = HuggingFace.fromString(readFileSync(join(FIXTURES, 'bert.tokenizer.json'), 'utf8'));
    const texts = textsOf(50);
    const encodings = await reference.encodeBatch(texts, { addSpecialTokens: true });
    texts.forEach((text, index) => expect(fromText.encode(text, all).join(), text).toBe(encodings[index]!.getIds().join()));
    [fromText, fromJson].forEach((each) => each.close());
  });
});
