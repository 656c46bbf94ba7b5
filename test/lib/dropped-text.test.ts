// Pretokenizers that drop text, with every model, and tokens that end words (`</w>`): random vocabularies and texts,
// compared with npm `tokenizers` through every call.

import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { compileCartridge, Tokenizer, TokenizerError } from 'crayon-tokenizer';

import { Random } from '../fuzz/random.mjs';
import { sample } from '../share.js';
import { checkInParts, checkInThreads } from './in-parts.js';
import { unitsOf } from './units.js';

const { Tokenizer: HuggingFace } = createRequire(import.meta.url)('tokenizers') as typeof import('tokenizers');
const raw = String.raw;

// --- pretokenizers ------------------------------------------------------------------------------------------------------

const split = (pattern: object, behavior = 'Removed', invert = false): object => ({ type: 'Split', pattern, behavior, invert });
const sequence = (...pretokenizers: object[]): object => ({ type: 'Sequence', pretokenizers });
const delimiter = (character: string): object => ({ type: 'CharDelimiterSplit', delimiter: character });
const WORDS = { type: 'Whitespace' };
const SPACES = { type: 'WhitespaceSplit' };
const BERT = { type: 'BertPreTokenizer' };
const digits = (individual: boolean): object => ({ type: 'Digits', individual_digits: individual });
const fixedLength = (length: number | undefined): object => ({ type: 'FixedLength', length });
const punctuation = (behavior: string): object => ({ type: 'Punctuation', behavior });

const PRETOKENIZERS: Record<string, object> = {
  words: WORDS,
  'between spaces': SPACES,
  'as of BERT': BERT,
  'a delimiter': delimiter('-'),
  'a delimiter of four bytes': delimiter('😀'),
  punctuation: punctuation('Removed'),
  'a text': split({ String: ' ' }),
  'a pattern': split({ Regex: raw`[\s,.]+` }),
  'a pattern, inverted': split({ Regex: raw`\p{L}|\p{N}+` }, 'Removed', true),
  'as of CLIP': split({ Regex: raw`'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+` }, 'Removed', true),
  'words and digits': sequence(WORDS, digits(true)),
  'spaces and punctuation': sequence(SPACES, punctuation('Isolated')),
  'as of BERT, and digits': sequence(BERT, digits(false)),
  'two delimiters': sequence(delimiter('-'), delimiter('a')),
  // Later steps split the matches of the first.
  'what a later one splits': sequence(
    split({ Regex: raw`\s?\w{1,2}` }, 'Isolated'),
    split({ Regex: raw`[ab\s]` }),
    split({ Regex: raw`\p{L}|\p{N}` }, 'MergedWithNext'),
  ),
  'of a fixed length': fixedLength(3),
  'words, of a fixed length': sequence(WORDS, fixedLength(2)),
  'punctuation, then words': sequence(punctuation('Contiguous'), WORDS),
  'digits, then what is no letter': sequence(digits(true), split({ Regex: raw`\p{L}+` }, 'Removed', true)),
};

// --- vocabularies -------------------------------------------------------------------------------------------------------

const SCRIPTS = ['abc', 'aéü', '中国一', '😀😁a', 'กขค่', 'абв', '한국어', 'a1-', ".,'s"];
const OTHERS = [
  ' ',
  '  ',
  '\t',
  '\n',
  '\u3000',
  '\u00a0',
  '\u2028',
  '\u200d',
  '-',
  '--',
  '.',
  ',',
  '…',
  '。',
  '\u0301',
  'e\u0301',
  '1',
  '٣',
  '½',
  'z',
  'ß',
  '文',
  '🚀',
  '😀',
  '\u0000',
  "'s",
  "don't",
];

type Kind =
  | 'characters'
  | 'characters, fused'
  | 'characters and bytes'
  | 'bytes'
  | 'bytes, with ends of words'
  | 'wordpiece'
  | 'wordlevel'
  | 'unigram';
const KINDS: Kind[] = [
  'characters',
  'characters, fused',
  'characters and bytes',
  'bytes',
  'bytes, with ends of words',
  'wordpiece',
  'wordlevel',
  'unigram',
];

const WORD_END = '</w>';
const byteToken = (byte: number): string => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`;

/** The characters that ByteLevel writes for bytes. */
const isItself = (byte: number): boolean => (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte !== 0xad);
const OTHER_BYTES = Array.from({ length: 256 }, (_, byte) => byte).filter((byte) => !isItself(byte));
const BYTES = Array.from({ length: 256 }, (_, byte) => String.fromCodePoint(isItself(byte) ? byte : 256 + OTHER_BYTES.indexOf(byte)));
const byteLevel = (text: string): string => Array.from(new TextEncoder().encode(text), (byte) => BYTES[byte]).join('');

function wordOf(random: Random, alphabet: string[]): string {
  return Array.from({ length: random.integer(1, 4) }, () => random.pick(alphabet)).join('');
}

/** Merges over an alphabet: random ones, ordered so that each makes a new token. */
function bpeOf(random: Random, tokens: string[], alphabet: string[], ends: string[] = []): [string, string][] {
  const merges: [string, string][] = [];
  const pools = { inside: [...alphabet], atEnd: [...ends] };
  for (let left = random.integer(3, ends.length > 0 ? 60 : 30); left > 0; left--) {
    const pool = ends.length > 0 && random.chance(0.5) ? pools.atEnd : pools.inside;
    const pair: [string, string] = [random.pick(pools.inside), random.pick(pool)];
    const made = pair.join('');
    if (made.length > 16 || tokens.includes(made)) continue;
    merges.push(pair);
    tokens.push(made);
    pool.push(made);
  }
  return merges;
}

function modelOf(random: Random, kind: Kind, alphabet: string[]): object {
  const tokens = ['<unk>'];
  const vocab = (): Record<string, number> => Object.fromEntries(tokens.map((token, id) => [token, id]));
  if (kind.startsWith('bytes')) {
    tokens.push(...BYTES);
    const bytes = [...new Set(alphabet.flatMap((each) => [...byteLevel(each)]))];
    if (kind === 'bytes') return { type: 'BPE', merges: bpeOf(random, tokens, bytes), vocab: vocab(), unk_token: null };
    tokens.push(...BYTES.map((each) => `${each}${WORD_END}`));
    const merges = bpeOf(
      random,
      tokens,
      bytes,
      bytes.map((each) => `${each}${WORD_END}`),
    );
    return { type: 'BPE', vocab: vocab(), merges, unk_token: '<unk>', end_of_word_suffix: WORD_END };
  }
  if (kind === 'characters and bytes') tokens.push(...Array.from({ length: 256 }, (_, byte) => byteToken(byte)));
  if (kind.startsWith('characters')) {
    tokens.push(...alphabet);
    const merges = bpeOf(random, tokens, alphabet);
    return {
      type: 'BPE',
      vocab: vocab(),
      merges,
      unk_token: '<unk>',
      fuse_unk: kind === 'characters, fused',
      byte_fallback: kind === 'characters and bytes',
    };
  }
  const words = Array.from({ length: random.integer(5, 30) }, () => wordOf(random, alphabet));
  if (kind === 'unigram') {
    const scored = [...new Set(['<unk>', ...alphabet.slice(1), ...words])].map((word) => [word, -random.integer(1, 60) / 4]);
    return { type: 'Unigram', vocab: scored, unk_id: 0, byte_fallback: false };
  }
  tokens.push(...new Set([...alphabet.slice(1), ...words]));
  if (kind === 'wordlevel') return { type: 'WordLevel', vocab: vocab(), unk_token: '<unk>' };
  tokens.push(...new Set([...alphabet.slice(2), ...words.slice(3)].map((word) => `##${word}`)));
  return { type: 'WordPiece', vocab: vocab(), unk_token: '<unk>', continuing_subword_prefix: '##', max_input_chars_per_word: 100 };
}

function fileOf(random: Random, kind: Kind, pretokenizer: object, alphabet: string[]): object {
  const model = modelOf(random, kind, alphabet);
  const { vocab } = model as { vocab: object };
  const size = Array.isArray(vocab) ? vocab.length : Object.keys(vocab).length;
  // With rstrip, none may remain that begins with whitespace.
  const strips = random.chance(0.5);
  const texts = random.chance(0.3) ? [] : [strips ? '-x' : ' x', '[M]', 'ab'];
  const added_tokens = texts.map((content, index) => ({
    id: size + index,
    content,
    single_word: false,
    special: false,
    lstrip: strips && index < 2,
    rstrip: strips && index < 2,
    normalized: index === 2,
  }));
  const inVocabulary = (content: string) =>
    Array.isArray(vocab) ? vocab.some(([token]) => token === content) : Object.hasOwn(vocab, content);
  return {
    version: '1.0',
    added_tokens: added_tokens.filter(({ content }) => !inVocabulary(content)),
    normalizer: random.pick([
      null,
      null,
      { type: 'Lowercase' },
      { type: 'NFD' },
      { type: 'Replace', pattern: { String: 'b' }, content: ' - ' },
    ]),
    pre_tokenizer: kind.startsWith('bytes')
      ? sequence(pretokenizer, { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: random.integer(0, 2) === 0 })
      : pretokenizer,
    post_processor: null,
    decoder: kind.startsWith('bytes') ? { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: false } : null,
    model,
  };
}

describe.each(KINDS)('%s', { timeout: 300_000 }, (kind) => {
  const ROUNDS = sample(60, 1);
  it.each(Object.entries(PRETOKENIZERS))(`%s: ${ROUNDS} vocabularies`, async (name, pretokenizer) => {
    if (name === 'what a later one splits' && !/^(?:characters|bytes)/.test(kind)) {
      const json = JSON.stringify(fileOf(new Random(1), kind, pretokenizer, ['a', 'b']));
      await expect(compileCartridge(Buffer.from(json))).rejects.toThrow('pre_tokenizer: a pattern whose matches are split by a later one');
      return;
    }
    for (let round = 0; round < ROUNDS; round++) {
      const random = new Random(1 + round * 31 + name.length + 7 * KINDS.indexOf(kind));
      const alphabet = [...new Set([...random.pick(SCRIPTS), ...random.pick(SCRIPTS)])];
      const json = JSON.stringify(fileOf(random, kind, pretokenizer, alphabet));
      const full = await compileCartridge(Buffer.from(json));
      const slim = await compileCartridge(full, { slim: true });
      using tokenizer = await Tokenizer.load(full);
      using expanded = await Tokenizer.load(slim);
      using wasm = await Tokenizer.load(full, { backend: 'wasm' });
      const reference = HuggingFace.fromString(json);
      const parts = [...alphabet, ...alphabet, ...OTHERS, ' x', '-x', '[M]', 'B'];
      const texts = Array.from({ length: 12 }, (_, index) =>
        Array.from({ length: random.integer(0, index === 0 ? 300 : 14) }, () => random.pick(parts)).join(''),
      );
      for (const text of texts) {
        const where = `${name}, round ${round}, ${JSON.stringify(text)} ${json}`;
        const expected = await reference.encode(text, null, { addSpecialTokens: false });
        const ids = expected.getIds().join();
        const own = tokenizer.encodeWithOffsets(text);
        expect([...own.ids].join(), where).toBe(ids);
        const units = unitsOf(text);
        expect([...own.offsets].join(), where).toBe(
          expected
            .getOffsets()
            .flatMap((span) => span.map((at: number) => units[at]))
            .join(),
        );
        for (const other of [expanded, wasm]) expect([...other.encode(text)].join(), where).toBe(ids);
        expect(tokenizer.count(text), where).toBe(own.ids.length);
        expect(tokenizer.decode(own.ids), where).toBe(await reference.decode(expected.getIds(), false));
      }
      const long = texts.join('');
      checkInParts(tokenizer, long, `${name}, ${json}`);
      if (round === 0) await checkInThreads(tokenizer, long);
    }
  });
});

it('the bytes of a character are kept, even if they would be dropped as characters of their own', async () => {
  const vocab = Object.fromEntries(BYTES.map((character, byte) => [character, byte]));
  const json = {
    ...fileOf(new Random(1), 'bytes', WORDS, ['a']),
    added_tokens: [],
    normalizer: null,
    model: { type: 'BPE', vocab, merges: [], unk_token: null },
  };
  using tokenizer = await Tokenizer.load(await compileCartridge(Buffer.from(JSON.stringify(json))));
  expect([...tokenizer.encodeWithOffsets('é  éa', { unit: 'bytes' }).offsets]).toEqual([0, 1, 1, 2, 4, 5, 5, 6, 6, 7]);
  expect([...tokenizer.encodeWithOffsets('é  éa').offsets]).toEqual([0, 1, 0, 1, 3, 4, 3, 4, 4, 5]);
});

describe('ends of words', () => {
  const model = (change: object): object => ({ ...modelOf(new Random(3), 'bytes, with ends of words', ['a', 'b']), ...change });
  const file = (change: object): string =>
    JSON.stringify({ ...fileOf(new Random(3), 'bytes', WORDS, ['a', 'b']), added_tokens: [], normalizer: null, model: model(change) });
  const { vocab } = model({}) as { vocab: Record<string, number> };
  const next = Object.keys(vocab).length;

  it.each<[string, object, string]>([
    [
      'that are also texts',
      {
        vocab: { ...vocab, '</': next, '</w': next + 1, '</w>': next + 2 },
        merges: [
          ['<', '/'],
          ['</', 'w'],
          ['</w', '>'],
          ['a', '</w>'],
        ],
      },
      'model.merges[3]: "a</w>" in more than one place of a word is not supported',
    ],
    [
      'not for each byte, without an unknown token',
      { vocab: Object.fromEntries(Object.entries(vocab).filter(([token]) => token !== 'x</w>')), merges: [], unk_token: null },
      'model.unk_token: without it, a byte without a token somewhere in a word is not supported',
    ],
    ['with ignore_merges', { ignore_merges: true }, 'model.ignore_merges: it is not supported with "</w>" at the ends of words'],
    [
      'with a byte that is in no text',
      { vocab: { ...vocab, aÿ: next }, merges: [['a', 'ÿ']] },
      'model.vocab["aÿ"]: a token of several bytes with 254 or 255',
    ],
  ])('%s are refused', async (_, change, message) => {
    await expect(compileCartridge(Buffer.from(file(change)))).rejects.toThrow(message);
  });

  it('decode to the text of their tokens, even of tokens that are not bytes', async () => {
    const json = file({ vocab: { ...vocab, '中</w>': next, '</w>': next + 1 }, merges: [] });
    using tokenizer = await Tokenizer.load(await compileCartridge(Buffer.from(json)));
    const reference = HuggingFace.fromString(json);
    const ids = [vocab['a</w>']!, next, next + 1, vocab['ÿ']!, vocab['ÿ</w>']!, vocab['b']!];
    expect(tokenizer.decode(ids)).toBe(await reference.decode(ids, false));
  });
});

describe('an unsupported pretokenizer', () => {
  it.each<[object, string]>([
    [split({ String: '--' }), 'pre_tokenizer: matches are removed from the text that other characters say the ends of'],
    [split({ Regex: raw`\s+(?!\S)` }), 'pre_tokenizer.pattern.Regex: matches are removed'],
    [split({ Regex: raw`a[b-]*` }), 'pre_tokenizer.pattern.Regex: matches are removed'],
    [split({ Regex: raw`ab|c` }, 'Removed', true), 'pre_tokenizer.pattern.Regex: gaps are removed'],
    [split({ Regex: raw`[a-c] ?` }, 'Removed', true), 'pre_tokenizer.pattern.Regex: gaps are removed'],
    [delimiter('--'), 'pre_tokenizer.delimiter: expected one character'],
    [fixedLength(0), 'pre_tokenizer.length: expected at least one character'],
    [fixedLength(500), 'pre_tokenizer: a pattern with too many states'],
  ])('is refused: %j', async (pretokenizer, message) => {
    const json = JSON.stringify(fileOf(new Random(1), 'characters', pretokenizer, ['a', 'b']));
    const error = await compileCartridge(Buffer.from(json)).then(
      () => undefined,
      (each: unknown) => each,
    );
    expect(error).toBeInstanceOf(TokenizerError);
    expect((error as Error).message).toContain(message);
  });
});
