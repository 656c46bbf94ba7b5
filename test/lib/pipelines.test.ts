// Pretokenizers of a tokenizer.json outside the families: patterns, digits, punctuation, several in sequence. Ids, offsets
// and decoded texts equal those of npm `tokenizers` with the same file; a trained vocabulary keeps its patterns through
// every call.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { compileCartridge, type Pretokenizer, Tokenizer, TokenizerError, trainBpe } from 'crayon-tokenizer';

import { JsonNode } from '../../lib/vocabularies/import/json-node.js';
import { needsPatterns, readTokenizerJson } from '../../lib/vocabularies/import/tokenizer-json.js';
import { Random } from '../fuzz/random.mjs';
import { sample } from '../share.js';
import { compareGeneral } from './added-token-files.js';
import { openCartridge } from './cartridge-reader.mjs';
import { streamOf } from './chunks.js';
import { REAL_PATTERNS } from './real-patterns.js';

/** Whether the pattern compiler of lib/ itself has been loaded. */
const loaded = vi.hoisted(() => ({ tables: false }));
vi.mock('../../lib/vocabularies/patterns/pattern-section.js', async (original) => {
  loaded.tables = true;
  return original();
});

interface Encoding {
  getIds(): number[];
  getOffsets(): [number, number][];
}
interface Reference {
  encodeBatch(texts: string[], options: { addSpecialTokens: boolean }): Promise<Encoding[]>;
  decodeBatch(ids: number[][], skipSpecialTokens: boolean): Promise<string[]>;
}
const { Tokenizer: HuggingFace } = createRequire(import.meta.url)('tokenizers') as { Tokenizer: { fromString(json: string): Reference } };

const raw = String.raw;

interface Json {
  [key: string]: any;
}

const utf8 = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

const byteLevel = (use_regex: boolean) => ({ type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex });
const split = (pattern: object, behavior = 'Isolated', invert = false) => ({ type: 'Split', pattern, behavior, invert });
const sequence = (...pretokenizers: object[]) => ({ type: 'Sequence', pretokenizers });
const digits = (individual_digits: boolean) => ({ type: 'Digits', individual_digits });
const punctuation = (behavior: string) => ({ type: 'Punctuation', behavior });

const PARTS = [
  ...[
    'the ',
    'The',
    "it's",
    "WE'LL ",
    ' 12345',
    '2026',
    '\n',
    '\n\n  ',
    '   ',
    '\t',
    '...',
    ' (a)',
    '中文',
    'カタ・カナ',
    'ſ',
    "'ſ",
    'é',
    'e\u0301',
  ],
  ...[
    '한국어',
    '😀',
    '½',
    '٣٣',
    ' x=',
    '\u00a0',
    'ABCdef',
    '/',
    '<|x|>',
    'a-b',
    '$5',
    '¿',
    '\u{11de3}',
    '\u2e44',
    '\u{16ff5}',
    '\r\n',
    '،',
    'ß',
  ],
];

function textOf(random: Random, parts: number): string {
  return Array.from({ length: parts }, () => random.pick(PARTS)).join('');
}

/** A vocabulary whose tokens cross words, so that each end of a piece matters, as a file. */
let file: Json;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'crayon-test-'));
  process.env.CRAYON_CACHE_DIR = join(folder, 'cache');
  const trained = await trainBpe([textOf(new Random(1), 4000)], { vocabularySize: 900, pretokenizer: null });
  file = trained.toTokenizerJson();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const withPretokenizer = (pre_tokenizer: object, changes: Json = {}): Json => ({ ...file, pre_tokenizer, ...changes });

/** The offset in UTF-16 units of each code point and of the end. */
function offsetsOf(text: string): number[] {
  const offsets = [0];
  for (const character of text) offsets.push((offsets.at(-1) as number) + character.length);
  return offsets;
}

async function compare(ours: Tokenizer[], json: Json, texts: string[]): Promise<void> {
  const reference = HuggingFace.fromString(JSON.stringify(json));
  const expected = await reference.encodeBatch(texts, { addSpecialTokens: false });
  const decoded = await reference.decodeBatch(
    expected.map((each) => each.getIds()),
    false,
  );
  for (const tokenizer of ours) {
    for (const [index, text] of texts.entries()) {
      const name = `${JSON.stringify(json.pre_tokenizer)} ${JSON.stringify(text.slice(0, 200))}`;
      const own = tokenizer.encodeWithOffsets(text, { special: 'allow' });
      expect([...own.ids], name).toEqual(expected[index]!.getIds());
      expect([...tokenizer.encode(text, { special: 'allow' })], name).toEqual(expected[index]!.getIds());
      const offsets = offsetsOf(text);
      expect([...own.offsets], name).toEqual(expected[index]!.getOffsets().flatMap((span) => span.map((at) => offsets[at])));
      expect(tokenizer.decode(own.ids), name).toBe(decoded[index]);
    }
  }
}

// --- imported -------------------------------------------------------------------------------------------------------------

const GPT2_SPLIT = split({ Regex: REAL_PATTERNS.gpt2 });

/** From published files, and all other kinds. */
const PRETOKENIZERS: Record<string, object> = {
  'StarCoder 2, SmolLM': sequence(digits(true), byteLevel(true)),
  'digits together': sequence(digits(false), byteLevel(true)),
  BLOOM: sequence(split({ Regex: raw` ?[^(\s|[.,!?…。，、।۔،])]+` }), byteLevel(false)),
  // In another order than DeepSeek's, which has its own scanner.
  'the stages of DeepSeek V3': sequence(
    split({ Regex: '[一-龥\u3040-ゟ゠-ヿ]+' }),
    split({ Regex: raw`\p{N}{1,3}` }),
    split({ Regex: REAL_PATTERNS['DeepSeek V3, the rest'] }),
    byteLevel(false),
  ),
  'DeepSeek LLM': sequence(
    split({ Regex: '[\r\n]' }),
    split({ Regex: raw`\s?\p{L}+` }),
    split({ Regex: raw`\s?\p{P}+` }),
    split({ Regex: '[一-龥ࠀ-一가-퟿]+' }),
    byteLevel(false),
  ),
  'punctuation, digits, GPT-2': sequence(punctuation('Isolated'), digits(true), byteLevel(true)),
  'punctuation together': sequence(punctuation('Contiguous'), digits(true), GPT2_SPLIT, byteLevel(false)),
  'punctuation and what is before': sequence(punctuation('MergedWithPrevious'), byteLevel(false)),
  'a text': sequence(split({ String: '(a' }), byteLevel(false)),
  'line feeds, then GPT-2': sequence(split({ String: '\n' }), GPT2_SPLIT, byteLevel(false)),
  'a text with what follows': sequence(split({ String: '.' }, 'MergedWithNext'), byteLevel(false)),
  'white space, inverted': sequence(split({ Regex: raw`\s+` }, 'MergedWithNext', true), byteLevel(false)),
  none: byteLevel(false),
  'a sequence in a sequence': sequence(
    sequence(digits(true)),
    sequence(split({ Regex: raw`\p{L}+| ?[^\p{L}]` }, 'Removed', true), byteLevel(false)),
  ),
};

describe('pretokenizers', { timeout: 300_000 }, () => {
  const STRINGS = sample(400, 12);
  it.each(Object.entries(PRETOKENIZERS))(`%s: ${STRINGS} strings, full and slim`, async (name, pretokenizer) => {
    const json = withPretokenizer(pretokenizer);
    using full = await Tokenizer.load(await compileCartridge(utf8(json)));
    using slim = await Tokenizer.load(await compileCartridge(utf8(json), { slim: true }));
    const random = new Random(name.length);
    await compare(
      [full, slim],
      json,
      Array.from({ length: STRINGS }, () => textOf(random, 1 + random.integer(0, 39))),
    );
  });

  it.each(['the stages of DeepSeek V3', 'a text with what follows', 'StarCoder 2, SmolLM', 'none'])(
    '%s: in threads, streams and from a file',
    async (name) => {
      const json = withPretokenizer(PRETOKENIZERS[name]!);
      const path = join(folder, 'tokenizer.json');
      writeFileSync(path, JSON.stringify(json));
      using tokenizer = await Tokenizer.load(path);
      const random = new Random(5);
      const text = textOf(random, 60_000);
      const ids = tokenizer.encode(text, { special: 'allow' });
      const same = (other: Uint32Array) =>
        expect(
          Buffer.compare(
            Buffer.from(other.buffer, other.byteOffset, other.byteLength),
            Buffer.from(ids.buffer, ids.byteOffset, ids.byteLength),
          ),
        ).toBe(0);
      same(await tokenizer.encodeAsync(text, { special: 'allow' }));
      expect(tokenizer.decode(ids)).toBe(text);
      const parts: number[] = [];
      const chunks: string[] = [];
      for (let at = 0, next: number; at < text.length; at = next) chunks.push(text.slice(at, (next = at + random.integer(1, 3000))));
      for await (const chunk of streamOf(chunks).pipeThrough(tokenizer.encodeStream({ special: 'allow' }))) parts.push(...chunk);
      same(Uint32Array.from(parts));
      await compare([tokenizer], json, [text.slice(0, 30_000)]);
      expect(tokenizer.count(text, { special: 'allow' })).toBe(ids.length);
      const short = text.slice(0, 30_000);
      expect(tokenizer.split(short, { maxTokens: 40 }).join('')).toBe(short);
    },
  );

  // Random ones, from parts that later pretokenizers either support or refuse.
  const PIPELINES = sample(400, 16);
  it(`${PIPELINES} random ones`, async () => {
    const random = new Random(11);
    const classes = [
      raw`\p{L}`,
      raw`\p{N}`,
      raw`\s`,
      raw`\p{Lu}`,
      '[a-z]',
      '[一-龥]',
      raw`[^\s\p{L}]`,
      raw`\w`,
      raw`\p{Han}`,
      raw`[\r\n]`,
      raw`\p{P}`,
      raw`[[:punct:]]`,
    ];
    const pattern = (): string => {
      const one = () =>
        `${random.pick(['', ' ?', raw`\s?`, "'?"])}${random.pick(classes)}${random.pick(['', '+', '{1,3}', '{2}', '+?', '++'])}${random.pick(['', '', raw`(?!\S)`, '(?=[a-z])'])}`;
      return Array.from({ length: random.integer(1, 3) }, one).join('|');
    };
    const behaviors = ['Isolated', 'Isolated', 'MergedWithPrevious', 'MergedWithNext', 'Contiguous', 'Removed'];
    const stage = (): object => {
      switch (random.integer(0, 5)) {
        case 0:
          return digits(random.integer(0, 1) === 0);
        case 1:
          return punctuation(random.pick(behaviors));
        case 2:
          return split({ String: random.pick(['.', ' ', 'the', '\n', '中', '(']) }, random.pick(behaviors), random.integer(0, 3) === 0);
        default:
          return split({ Regex: pattern() }, random.pick(behaviors), random.integer(0, 3) === 0);
      }
    };
    let compared = 0;
    for (let count = 0; count < PIPELINES; count++) {
      const stages = Array.from({ length: random.integer(1, random.pick([1, 2, 3])) }, stage);
      const json = withPretokenizer(sequence(...stages, byteLevel(random.integer(0, 3) === 0)));
      const texts = Array.from({ length: 12 }, () => textOf(random, 1 + random.integer(0, 19)));
      let tokenizer: Tokenizer;
      try {
        tokenizer = await Tokenizer.load(await compileCartridge(utf8(json), { slim: count % 2 === 0 }));
      } catch (error) {
        expect(error, JSON.stringify(stages)).toBeInstanceOf(TokenizerError);
        expect((error as TokenizerError).code).toBe('BUILD_FAILED');
        continue;
      }
      compared++;
      await compare([tokenizer], json, texts);
      tokenizer.close();
    }
    expect(compared).toBeGreaterThan(PIPELINES / 4);
  });
});

/** Every code point, alone between letters: the reference's tables come from several versions of Unicode. */
it.each([
  ['Digits', digits(true)],
  ['Punctuation', punctuation('Isolated')],
])(
  '%s matches the same code points as the reference',
  async (_, pretokenizer) => {
    const json = withPretokenizer(sequence(pretokenizer, byteLevel(false)));
    using tokenizer = await Tokenizer.load(await compileCartridge(utf8(json)));
    const step = sample(64, 1) === 64 ? 1 : 61;
    const isOften = (codePoint: number) => [0x0, 0x1, 0x6, 0x2e, 0x11d, 0x16f].includes(codePoint >> 8);
    const codePoints = Array.from({ length: 0x110000 }, (_, codePoint) => codePoint).filter(
      (codePoint) => (codePoint < 0xd800 || codePoint > 0xdfff) && (codePoint % step === 0 || isOften(codePoint)),
    );
    const texts: string[] = [];
    for (let at = 0; at < codePoints.length; at += 500)
      texts.push(
        codePoints
          .slice(at, at + 500)
          .map((each) => `the ${String.fromCodePoint(each)} the`)
          .join(''),
      );
    await compare([tokenizer], json, texts);
  },
  120_000,
);

it.each<[object, string]>([
  [
    sequence(split({ Regex: raw`(?<=a)b` }), byteLevel(false)),
    'pretokenizers[0].pattern.Regex: a lookbehind, at position 0 of the pattern',
  ],
  [sequence(digits(true), split({ Regex: raw`(a)\1` }), byteLevel(false)), 'pretokenizers[1].pattern.Regex: a backreference'],
  [sequence(split({ Regex: 'xy' }, 'Removed'), byteLevel(false)), 'pretokenizers[0].pattern.Regex: matches are removed from the text'],
  [
    sequence(split({ Regex: raw`ab|c` }, 'Removed', true), byteLevel(false)),
    'pretokenizers[0].pattern.Regex: gaps are removed from the text',
  ],
  [sequence(split({ String: '' }), byteLevel(false)), 'pretokenizers[0].pattern.String: an empty text, which matches everywhere'],
  [
    sequence(punctuation('Contiguous'), byteLevel(true), digits(false), byteLevel(false)),
    'pretokenizers[2]: a pretokenizer behind ByteLevel',
  ],
  [sequence(digits(true), { ...byteLevel(true), add_prefix_space: true }), 'pretokenizers[1].add_prefix_space: a space'],
  [sequence(...Array.from({ length: 5 }, () => digits(true)), byteLevel(false)), 'pre_tokenizer: 5 patterns, one after the other'],
  [sequence(split({ Regex: '(?:a|b){900}' }), byteLevel(false)), 'pretokenizers[0].pattern.Regex: a pattern '],
])('takes the general path: %.200j', async (pretokenizer, why) => {
  const random = new Random(3);
  const texts = ['ab', 'xyabc aab', ...Array.from({ length: 10 }, () => textOf(random, random.integer(1, 12)))];
  await compareGeneral(JSON.stringify(withPretokenizer(pretokenizer)), texts, why);
});

it.each<[object, string]>([
  [sequence({ type: 'Metaspace' }, byteLevel(false)), 'pretokenizers[0].replacement: expected a string but found nothing'],
  [sequence(split({ Regex: 'a' }, 'Sideways'), byteLevel(false)), 'pretokenizers[0].behavior: expected one of Removed'],
  [
    sequence(split({ Regex: `${'('.repeat(100_000)}a` }), byteLevel(false)),
    'pretokenizers[0].pattern.Regex: expected a pattern of Oniguruma (a pattern that is nested too deeply',
  ],
])('is refused, as by the reference: %.200j', async (pretokenizer, message) => {
  const json = withPretokenizer(pretokenizer);
  expect(() => HuggingFace.fromString(JSON.stringify(json))).toThrow();
  await expect(compileCartridge(utf8(json))).rejects.toThrow(`: pre_tokenizer.${message}`);
});

// --- trained and compiled -------------------------------------------------------------------------------------------------

const OPTIONS: [string, Pretokenizer][] = [
  ['a pattern', raw` ?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+|\s+`],
  ['lines', { pattern: '\n', behavior: 'MergedWithPrevious' }],
  ['several', [{ pattern: raw`\p{N}` }, { pattern: raw`[一-龥]+` }, { pattern: raw`\p{L}+`, behavior: 'MergedWithNext', invert: true }]],
];

describe.each(OPTIONS)('a vocabulary of %s', (_, pretokenizer) => {
  it('is trained on pieces, and gives the same ids through every call', async () => {
    const text = textOf(new Random(21), 3000);
    const trained = await trainBpe([text, 'the the\nthe 2026'], { vocabularySize: 420, pretokenizer });
    const json = trained.toTokenizerJson() as Json;
    using direct = await Tokenizer.load(await trained.toCartridge());
    using slim = await Tokenizer.load(await trained.toCartridge({ slim: true }));
    using imported = await Tokenizer.load(await compileCartridge(utf8(json)));
    using compiled = await Tokenizer.load(await compileCartridge(trained.tokens, { model: 'bpe', pretokenizer }));
    const random = new Random(22);
    await compare(
      [direct, slim, imported],
      json,
      Array.from({ length: 20 }, () => textOf(random, 30)),
    );
    expect(compiled.encode(text)).toEqual(direct.encode(text));
    // npm tokenizers splits the text: no token crosses a piece, and training on the parts learns the same.
    const again = await trainBpe(
      (async function* () {
        yield text;
        yield 'the the\nthe 2026';
      })(),
      { vocabularySize: 420, pretokenizer, threads: 1 },
    );
    expect(again.merges).toEqual(trained.merges);
  });
});

describe('longest match', () => {
  it('matches within pieces', async () => {
    const tokens = ['a', 'b', 'ab', 'abab', '<unk>'];
    using whole = await Tokenizer.load(await compileCartridge(tokens));
    using split = await Tokenizer.load(await compileCartridge(tokens, { pretokenizer: 'aba?|b' }));
    expect([...whole.encode('ababab')]).toEqual([3, 2]);
    expect([...split.encode('ababab')]).toEqual([2, 0, 1, 2]);
  });
});

it('a cartridge with patterns converts to slim and back, and cannot be adapted', async () => {
  const bytes = await compileCartridge(utf8(withPretokenizer(PRETOKENIZERS['BLOOM']!)), { name: 'x' });
  const slim = await compileCartridge(bytes, { slim: true });
  expect(slim.length).toBeLessThan(bytes.length);
  expect(Buffer.compare(await compileCartridge(slim), bytes)).toBe(0);
  using tokenizer = await Tokenizer.load(bytes);
  tokenizer.observe('the the the');
  await expect(tokenizer.adapt()).rejects.toThrow('it splits by a pattern and not as a family does, which is not supported');
});

it('only what is no family loads lib/vocabularies/patterns', async () => {
  const read = (pretokenizer: object) => JsonNode.ofFile(JSON.stringify(withPretokenizer(pretokenizer)), 'a file');
  for (const pretokenizer of [byteLevel(true), sequence(split({ Regex: REAL_PATTERNS['cl100k, Llama 3'] }), byteLevel(false))]) {
    const file = read(pretokenizer);
    expect(needsPatterns(file)).toBe(false);
    const tools = { compiled: () => expect.fail(), normalized: () => expect.fail(), normalizedBy: () => expect.fail() };
    expect(readTokenizerJson(file, tools).pretokenizer).toMatch(/^(gpt2|cl100k)$/);
  }
  for (const pretokenizer of [sequence(split({ Regex: 'a+' }), byteLevel(false)), { type: 'of another version' }]) {
    expect(needsPatterns(read(pretokenizer))).toBe(true);
  }
  expect(loaded.tables).toBe(false);
});

describe('the option', () => {
  it('takes a string with a pattern character for a pattern', async () => {
    const tokens = Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte));
    const names = async (pretokenizer: Pretokenizer) =>
      openCartridge(await compileCartridge(tokens, { model: 'bpe', pretokenizer })).views[0]!.scanner;
    expect(await names('gpt2')).toBe('gpt2');
    expect(await names(REAL_PATTERNS.gpt2!)).toBe('gpt2');
    expect(await names([{ pattern: REAL_PATTERNS['cl100k, Llama 3']! }])).toBe('cl100k');
    expect(await names('a+')).toBe('pattern');
    expect(await names({ pattern: 'gpt2' })).toBe('pattern');
  });

  it.each<[unknown, string]>([
    ['gpt3', 'expected one of gpt2, cl100k, o200k, qwen2, tekken, deepseek3, none, or a pattern for pretokenizer but received "gpt3"'],
    ['a(', 'expected a pattern that can be compiled for pretokenizer but received "a("'],
    [{ pattern: raw`\s+`, behavior: 'Removed' }, 'matches are removed from the text'],
    [{ pattern: 'a', behaviour: 'Isolated' }, "unknown option 'behaviour' in pretokenizer; did you mean 'behavior'?"],
    [[], '1 to 4 patterns'],
    [['a+'], 'pretokenizer[0]'],
    [{ pattern: 5 }, 'a string for pretokenizer.pattern'],
    [[{ pattern: 'a' }, { pattern: raw`(?<=a)b` }], 'for pretokenizer[1] but received'],
  ])('%j is refused', async (pretokenizer, message) => {
    const tokens = Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte));
    const given = { model: 'bpe', pretokenizer: pretokenizer as Pretokenizer } as const;
    await expect(compileCartridge(tokens, given)).rejects.toThrow(message);
    await expect(trainBpe('text', { vocabularySize: 260, pretokenizer: pretokenizer as Pretokenizer })).rejects.toThrow(
      message.replace('none', 'null'),
    );
  });
});
