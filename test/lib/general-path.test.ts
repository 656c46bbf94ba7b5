// The general path: random legal files, which Hugging Face tokenizers 0.23.3 has written and encoded (test/general/random-files.py),
// and its quirks one by one, beside npm `tokenizers`. Ids, offsets, types, masks, words and decoded texts are equal.

import './forced-general-path.js';

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { compileCartridge, Tokenizer as Package, TokenizerError } from 'crayon-tokenizer';
import { Tokenizer } from 'crayon-tokenizer/huggingface';

import { sample } from '../share.js';
import { through } from './chunks.js';
import { unitsOf } from './units.js';

interface Encoding {
  getIds(): number[];
  getOffsets(): [number, number][];
}
interface Reference {
  encode(text: string, pair: string | null, options: { addSpecialTokens: boolean }): Promise<Encoding>;
  decode(ids: number[], skipSpecialTokens: boolean): Promise<string>;
}
const { Tokenizer: HuggingFace } = createRequire(import.meta.url)('tokenizers') as { Tokenizer: { fromString(json: string): Reference } };

interface Case {
  seed: number;
  file: string;
  /** A file that has been changed, which the reference does not open. */
  refused?: string;
  cases: {
    text: string | string[];
    pair: string | string[] | null;
    split: boolean;
    special: boolean;
    error?: string;
    ids: number[];
    offsets: [number, number][];
    type_ids: number[];
    special_tokens_mask: number[];
    attention_mask: number[];
    word_ids?: (number | null)[];
  }[];
  decoded: { ids: number[]; skip: boolean; text?: string }[];
}

const GOLDEN = fileURLToPath(new URL('../golden/general-path.jsonl.gz', import.meta.url));
const GENERATOR = fileURLToPath(new URL('../general/random-files.py', import.meta.url));
const bytesOf = (text: string) => new TextEncoder().encode(text);
const linesOf = (text: string) =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Case);
/** What no cartridge holds, though the reference opens it: the guide lists it. */
const LIMITS = /an id other than that of|expected an id \(an integer of 0 or more, below|merging at random/;
async function compare({ seed, file, refused, cases, decoded }: Case): Promise<void> {
  if (refused !== undefined) {
    await expect(compileCartridge(bytesOf(file)), `seed ${seed}: ${refused}`).rejects.toThrow(TokenizerError);
    return;
  }
  try {
    await compileCartridge(bytesOf(file));
  } catch (error) {
    if (LIMITS.test((error as Error).message)) return;
    throw error;
  }
  const tokenizer = Tokenizer.fromString(file);
  for (const { text, pair, split, special, error, ...wanted } of cases) {
    const name = `seed ${seed}: ${JSON.stringify([text, pair])}`;
    const options = { addSpecialTokens: special, isPretokenized: split };
    if (error !== undefined) {
      await expect(tokenizer.encode(text, pair, options), name).rejects.toThrow();
      continue;
    }
    const encoding = await tokenizer.encode(text, pair, options);
    expect(encoding.getIds(), name).toEqual(wanted.ids);
    expect(encoding.getOffsets(), name).toEqual(wanted.offsets);
    expect(encoding.getTypeIds(), name).toEqual(wanted.type_ids);
    expect(encoding.getSpecialTokensMask(), name).toEqual(wanted.special_tokens_mask);
    expect(encoding.getAttentionMask(), name).toEqual(wanted.attention_mask);
    if (wanted.word_ids) expect(encoding.getWordIds(), name).toEqual(wanted.word_ids);
  }
  for (const { ids, skip, text } of decoded) {
    if (text !== undefined) expect(await tokenizer.decode(ids, skip), `seed ${seed}: ${ids.join()}`).toBe(text);
  }
}

describe('random files', { timeout: 600_000 }, () => {
  const all = linesOf(gunzipSync(readFileSync(GOLDEN)).toString());
  // Legal files, then changed ones that open, then those that do not.
  it(`${all.length} are encoded and decoded as by the reference, or refused`, async () => {
    for (const each of all) await compare(each);
  });

  const golden = all.filter(({ file, cases }) => cases && JSON.parse(file).truncation === null);
  const few = sample(golden.length, 8);
  it(`${few} have the same ids from WebAssembly, slim cartridges, streams, batches, bytes and counts`, async () => {
    for (const { seed, file, cases } of golden.slice(0, few)) {
      const full = await compileCartridge(bytesOf(file));
      const slim = await compileCartridge(full, { slim: true });
      using native = await Package.load(full);
      using wasm = await Package.load(slim, { backend: 'wasm' });
      const texts = cases.flatMap(({ error, text }) => (error === undefined && typeof text === 'string' ? [text] : []));
      const options = { special: 'allow' } as const;
      const batch = native.encodeBatch(texts, options);
      for (const [index, text] of texts.entries()) {
        const name = `seed ${seed}: ${JSON.stringify(text)}`;
        const ids = [...native.encode(text, options)];
        expect([...wasm.encode(text, options)], name).toEqual(ids);
        expect([...native.encode(Buffer.from(text), options)], name).toEqual(ids);
        expect(native.count(text, options), name).toBe(ids.length);
        expect([...batch.row(index)], name).toEqual(ids);
        const streamed: number[] = [];
        for (const part of await through([...text], native.encodeStream(options))) streamed.push(...part);
        expect(streamed, name).toEqual(ids);
        expect(native.split(text, { maxTokens: 40 }).join(''), name).toBe(text);
        const half = text.slice(0, text.length >> 1);
        using document = native.document(half);
        document.replace(half.length, half.length, text.slice(half.length));
        expect([...document.slice()], name).toEqual([...native.encode(text)]);
        for (const skipSpecialTokens of [false, true]) {
          const decoder = native.decodeStream({ skipSpecialTokens });
          const decoded = (await through(ids, decoder)).join('');
          expect(decoded, name).toBe(native.decode(ids, { skipSpecialTokens }));
        }
      }
    }
  });

  const python = process.env.CRAYON_TOKENIZERS_PYTHON;
  const fresh = sample(2000, 50);
  it
    .skipIf(python === undefined || !existsSync(python))
    .each([[`${fresh} new ones`], [`${fresh} new ones that have been changed`, 'mutated']])('%s', async (_, ...how) => {
    const seed = Math.floor(Math.random() * 2 ** 30);
    console.log(`seeds from ${seed} on`);
    const options = { maxBuffer: 2 ** 30, stdio: ['ignore', 'pipe', 'ignore'] as ['ignore', 'pipe', 'ignore'] };
    const text = execFileSync(python!, [GENERATOR, String(seed), String(fresh), ...how], options);
    for (const each of linesOf(text.toString())) if (each.file !== null) await compare(each);
  });
});

const NORMALIZERS = {
  lowercase: { type: 'Lowercase' },
  strip: { type: 'Strip', strip_left: true, strip_right: true },
  nothing: { type: 'Prepend', prepend: '' },
  bert: { type: 'BertNormalizer', clean_text: true, handle_chinese_chars: true, strip_accents: null, lowercase: true },
};
const added = (content: string, flags: object = {}) => ({
  content,
  single_word: false,
  lstrip: false,
  rstrip: false,
  normalized: true,
  special: false,
  ...flags,
});
const sequence = (...normalizers: object[]) => ({ type: 'Sequence', normalizers });
const replace = (pattern: object, content: string) => ({ type: 'Replace', pattern, content });
const metaspace = (prepend_scheme: string, split: boolean) => ({ type: 'Metaspace', replacement: '▁', prepend_scheme, split });
const WORD_LEVEL = { type: 'WordLevel', vocab: { a: 0, b: 1, ab: 2, '[UNK]': 3 }, unk_token: '[UNK]' };
const bpe = (vocab: string[], merges: string[][], rest: object = {}) => ({
  type: 'BPE',
  vocab: Object.fromEntries(vocab.map((text, id) => [text, id])),
  merges,
  ...{
    dropout: null,
    unk_token: null,
    continuing_subword_prefix: null,
    end_of_word_suffix: null,
    fuse_unk: false,
    byte_fallback: false,
    ...rest,
  },
});

const UNIGRAM = {
  type: 'Unigram',
  vocab: [
    ['<unk>', 0],
    ['a', -1],
  ],
  unk_id: 0,
  byte_fallback: false,
};
const TRIMS = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true };

/** What the reference does, one quirk each: the parts of a file, and texts. */
const QUIRKS: [name: string, parts: Record<string, unknown>, ...texts: string[]][] = [
  [
    'whitespace behind a token with rstrip is searched again',
    { added_tokens: [added('x', { rstrip: true }), added(' y')] },
    'x yz',
    'x  y',
    'a x y',
  ],
  [
    'a token that is part of a word hides those inside of it',
    { added_tokens: [added('abc', { single_word: true }), added('b')] },
    'abc',
    'xabc b',
    'abc_b',
  ],
  ['a token of which nothing is left cuts everywhere', { normalizer: NORMALIZERS.strip, added_tokens: [added('  ')] }, 'ab', 'a b', ''],
  [
    'such a token with lstrip takes spaces one by one',
    { normalizer: replace({ String: 'x' }, ''), added_tokens: [added('x', { lstrip: true })] },
    'a  ',
    ' a b',
  ],
  [
    'tokens that strip take spaces from each other',
    { added_tokens: [added(' ', { lstrip: true, rstrip: true }), added('x', { rstrip: true })] },
    'a   b',
    '   ',
    ' a ',
    'x   x',
    '\u3000 \u3000',
  ],
  [
    'tokens are found inside of what another has stripped',
    {
      normalizer: NORMALIZERS.lowercase,
      pre_tokenizer: metaspace('always', true),
      added_tokens: [added(' ', { rstrip: true }), added('\t')],
      post_processor: TRIMS,
    },
    '  \t  \t ',
    'a \t b',
    ' '.repeat(9),
  ],
  [
    'the longest token hides no equal ones',
    { normalizer: replace({ Regex: '.' }, 'b'), added_tokens: [added('xyz'), added('abc'), added('abcde')] },
    'aaaaa',
    'a'.repeat(10),
  ],
  [
    'tokens are found in what the normalizer makes, by what it makes of them',
    { normalizer: NORMALIZERS.lowercase, added_tokens: [added('AB', { special: true })] },
    'xABx',
    'ab',
  ],
  ['what is put in front of everything comes from nowhere', { normalizer: NORMALIZERS.nothing }, 'ab', 'é'],
  ['an empty match at the beginning is replaced in front', { normalizer: replace({ Regex: '^' }, '▁') }, 'ab', ''],
  [
    'what replaces an empty text comes from the character before',
    { normalizer: replace({ String: '' }, '-'), pre_tokenizer: { type: 'CharDelimiterSplit', delimiter: '-' } },
    'ab',
    'é a',
  ],
  [
    'ByteLevel repeats a split that comes from nowhere',
    {
      normalizer: replace({ Regex: '^' }, '▁'),
      pre_tokenizer: {
        type: 'Sequence',
        pretokenizers: [
          { type: 'FixedLength', length: 1 },
          { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: false },
        ],
      },
    },
    'ab',
  ],
  [
    'the rest of a grapheme is lost, and spaces are',
    { normalizer: sequence(NORMALIZERS.bert, NORMALIZERS.strip) },
    ' É日本 ﬁ\u0301 ',
    '\u0000\ufffda\u0301',
  ],
  [
    'Metaspace marks only what begins the text',
    { pre_tokenizer: metaspace('first', true), added_tokens: [added('x')] },
    'a b',
    'xa b',
    ' a',
    '▁a',
  ],
  [
    'with Strip before it, the beginning has been forgotten',
    { normalizer: NORMALIZERS.strip, pre_tokenizer: metaspace('first', false) },
    ' ab',
    'ab',
  ],
  ['UnicodeScripts loses what is in front of the first script', { pre_tokenizer: { type: 'UnicodeScripts' } }, ' ab', '  ', 'a 日本 b'],
  [
    'behaviors and empty matches',
    { pre_tokenizer: { type: 'Split', pattern: { Regex: 'b*' }, behavior: 'MergedWithNext', invert: false } },
    'abba',
    'bb',
    'a',
  ],
  [
    'Contiguous begins as after a gap',
    { pre_tokenizer: { type: 'Split', pattern: { Regex: 'a' }, behavior: 'Contiguous', invert: true } },
    'aab',
    'baa',
  ],
  [
    'an unknown character waits behind the bytes of the next',
    { model: bpe(['<unk>', '<0x62>', 'a'], [], { unk_token: '<unk>', byte_fallback: true }) },
    'xba',
    'xb',
    'bxa',
    'xxb',
  ],
  [
    'fallback bytes of prefixes count',
    { model: bpe(['<unk>', '<0x23>', '<0x62>', 'a'], [], { unk_token: '<unk>', byte_fallback: true, continuing_subword_prefix: '#' }) },
    'ab',
    'abab',
  ],
  ['without an unknown token characters vanish, and others merge across', { model: bpe(['a', 'b', 'ab'], [['a', 'b']]) }, 'axb', 'xa', 'x'],
  [
    'of a pair that is listed twice, the last one counts',
    {
      model: bpe(
        ['a', 'b', 'ab', 'ba'],
        [
          ['a', 'b'],
          ['b', 'a'],
          ['a', 'b'],
        ],
      ),
    },
    'aba',
    'bab',
  ],
  ['a token of a whole split is not merged', { model: bpe(['a', 'b', 'ab'], [], { ignore_merges: true }) }, 'ab', 'abab'],
  ['all merges are dropped', { model: bpe(['a', 'b', 'ab'], [['a', 'b']], { dropout: 1, ignore_merges: true }) }, 'ab', 'abab'],
  [
    'offsets lose the spaces that the normalizer has made of unknown text',
    { normalizer: { type: 'Nmt' }, model: UNIGRAM, post_processor: TRIMS },
    'a\u200bx',
    '\u200ba',
    'x\u200b',
  ],
  [
    'and those of tokens',
    { normalizer: { type: 'Nmt' }, added_tokens: [added('b', { lstrip: true })], post_processor: TRIMS },
    'a\u200bb',
    '\u200b b',
  ],
  [
    'unknown pieces that are a token together are that token',
    {
      model: {
        type: 'Unigram',
        vocab: [
          ['<unk>', 0],
          ['xy', -100],
          ['a', -1],
        ],
        unk_id: 0,
        byte_fallback: false,
      },
    },
    'xy',
    'axya',
    'xyz',
  ],
  [
    'a token without characters merges where it stands for unknown ones',
    { model: bpe(['', 'a', 'b'], [['', 'a']], { unk_token: '' }) },
    'xa',
    'ab',
    'xxab',
  ],
  [
    'ids around a text need not be tokens',
    { post_processor: { type: 'BertProcessing', sep: ['[SEP]', 102], cls: ['[CLS]', 101] } },
    'ab',
    '',
  ],
  [
    'fallback bytes of a run have the offsets of the run',
    {
      model: {
        type: 'Unigram',
        vocab: [
          ['<unk>', 0],
          ['<0xC3>', -9],
          ['<0xA9>', -9],
          ['a', -1],
        ],
        unk_id: 0,
        byte_fallback: true,
      },
    },
    'éa',
    'éé',
    'éx',
  ],
];

describe('quirks of the reference', () => {
  it.each(QUIRKS)('%s', async (_, parts, ...texts) => {
    const added_tokens = ((parts.added_tokens ?? []) as object[]).map((token, index) => ({ id: 4 + index, ...token }));
    const file = {
      version: '1.0',
      truncation: null,
      padding: null,
      normalizer: null,
      pre_tokenizer: null,
      post_processor: null,
      decoder: null,
      model: WORD_LEVEL,
      ...parts,
      added_tokens,
    };
    const json = JSON.stringify(file);
    const reference = HuggingFace.fromString(json);
    using tokenizer = await Package.load(new TextEncoder().encode(json));
    for (const text of texts) {
      const wanted = await reference.encode(text, null, { addSpecialTokens: false });
      const own = tokenizer.encodeWithOffsets(text, { special: 'allow' });
      const units = unitsOf(text);
      expect([...own.ids], text).toEqual(wanted.getIds());
      expect([...own.offsets], text).toEqual(wanted.getOffsets().flatMap((span) => span.map((at) => units[at] ?? at)));
      expect(tokenizer.decode(own.ids), text).toBe(await reference.decode(wanted.getIds(), false));
    }
  });

  // With texts of their own they would be too long, and trimming would read them for minutes.
  it('tokens inside of what another has stripped share its text', async () => {
    const post_processor = { type: 'RobertaProcessing', sep: ['a', 0], cls: ['a', 0], trim_offsets: true, add_prefix_space: false };
    const added_tokens = [
      { id: 4, ...added(' ', { rstrip: true }) },
      { id: 5, ...added('\t') },
    ];
    const file = {
      version: '1.0',
      normalizer: NORMALIZERS.lowercase,
      pre_tokenizer: metaspace('always', true),
      model: WORD_LEVEL,
      post_processor,
      added_tokens,
    };
    using tokenizer = await Package.load(new TextEncoder().encode(JSON.stringify(file)));
    for (const unit of [' ', ' \t']) {
      const { ids, offsets } = tokenizer.encodeWithOffsets(unit.repeat(2 ** 18 / unit.length), { special: 'allow' });
      expect(ids.length).toBe(2 ** 18);
      expect([...offsets.slice(-2)]).toEqual([2 ** 18, 2 ** 18]);
    }
  });

  it('a text for which the reference stops is an error with a position', async () => {
    const model = { ...WORD_LEVEL, vocab: { a: 0 } };
    const file = (parts: object) => new TextEncoder().encode(JSON.stringify({ version: '1.0', model, added_tokens: [], ...parts }));
    using unknown = await Package.load(file({}));
    expect(() => unknown.encode('b')).toThrow(expect.objectContaining({ code: 'UNKNOWN_CHARACTER', position: 0 }));
    using widthless = await Package.load(file({ normalizer: sequence(NORMALIZERS.nothing, NORMALIZERS.lowercase) }));
    expect(() => widthless.encode('AB')).toThrow(expect.objectContaining({ code: 'TEXT_REFUSED' }));
  });
});
