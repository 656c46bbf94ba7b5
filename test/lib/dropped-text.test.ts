// Pretokenizers that drop text, with every model: random vocabularies and texts beside npm `tokenizers`, on every way.

import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { compileCartridge, Tokenizer, TokenizerError } from 'crayon-tokenizer';

import { Random } from '../fuzz/random.mjs';
import { sample } from '../share.js';

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
const punctuation = (behavior: string): object => ({ type: 'Punctuation', behavior });

const PRETOKENIZERS: Record<string, object> = {
  'words': WORDS,
  'between spaces': SPACES,
  'as of BERT': BERT,
  'a delimiter': delimiter('-'),
  'a delimiter of four bytes': delimiter('😀'),
  'punctuation': punctuation('Removed'),
  'a text': split({ String: ' ' }),
  'a pattern': split({ Regex: raw`[\s,.]+` }),
  'a pattern, inverted': split({ Regex: raw`\p{L}|\p{N}+` }, 'Removed', true),
  'as of CLIP': split({ Regex: raw`'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+` }, 'Removed', true),
  'words and digits': sequence(WORDS, digits(true)),
  'spaces and punctuation': sequence(SPACES, punctuation('Isolated')),
  'as of BERT, and digits': sequence(BERT, digits(false)),
  'two delimiters': sequence(delimiter('-'), delimiter('a')),
  'punctuation, then words': sequence(punctuation('Contiguous'), WORDS),
  'digits, then what is no letter': sequence(digits(true), split({ Regex: raw`\p{L}+` }, 'Removed', true)),
};

// --- vocabularies -------------------------------------------------------------------------------------------------------

const SCRIPTS = ['abc', 'aéü', '中国一', '😀😁a', 'กขค่', 'абв', '한국어', 'a1-', '.,\'s'];
const OTHERS = [' ', '  ', '\t', '\n', '\u3000', '\u00a0', '\u2028', '\u200d', '-', '--', '.', ',', '…', '。', '\u0301', 'e\u0301', '1', '٣', '½', 'z', 'ß', '文', '🚀', '😀', '\u0000', "'s", "don't"];

type Kind = 'characters' | 'characters, fused' | 'characters and bytes' | 'bytes' | 'wordpiece' | 'wordlevel' | 'unigram';
const KINDS: Kind[] = ['characters', 'characters, fused', 'characters and bytes', 'bytes', 'wordpiece', 'wordlevel', 'unigram'];

const byteToken = (byte: number): string => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`;

/** The characters that ByteLevel writes for bytes. */
const isItself = (byte: number): boolean => (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte !== 0xad);
const OTHER_BYTES = Array.from({ length: 256 }, (_, byte) => byte).filter((byte) => !isItself(byte));
const BYTES = Array.from({ length: 256 }, (_, byte) => String.fromCodePoint(isItself(byte) ? byte : 256 + OTHER_BYTES.indexOf(byte)));
const byteLevel = (text: string): string => Array.from(new TextEncoder().encode(text), (byte) => BYTES[byte]).join('');

function wordOf(random: Random, alphabet: string[]): string {
  return Array.from({ length: random.integer(1, 4) }, () => random.pick(alphabet)).join('');
}

/** Merges of an alphabet: random ones, in the order in which each makes what is not there yet. */
function bpeOf(random: Random, tokens: string[], alphabet: string[]): [string, string][] {
  const merges: [string, string][] = [];
  const pool = [...alphabet];
  for (let left = random.integer(3, 30); left > 0; left--) {
    const pair: [string, string] = [random.pick(pool), random.pick(pool)];
    const made = pair.join('');
    if (made.length > 12 || tokens.includes(made)) continue;
    merges.push(pair);
    tokens.push(made);
    pool.push(made);
  }
  return merges;
}

function modelOf(random: Random, kind: Kind, alphabet: string[]): object {
  const tokens = ['<unk>'];
  const vocab = (): Record<string, number> => Object.fromEntries(tokens.map((token, id) => [token, id]));
  if (kind === 'bytes') {
    tokens.push(...BYTES);
    const merges = bpeOf(random, tokens, [...new Set(alphabet.flatMap((each) => [...byteLevel(each)]))]);
    return { type: 'BPE', vocab: vocab(), merges, unk_token: null };
  }
  if (kind === 'characters and bytes') tokens.push(...Array.from({ length: 256 }, (_, byte) => byteToken(byte)));
  if (kind.startsWith('characters')) {
    tokens.push(...alphabet);
    const merges = bpeOf(random, tokens, alphabet);
    return { type: 'BPE', vocab: vocab(), merges, unk_token: '<unk>', fuse_unk: kind === 'characters, fused', byte_fallback: kind === 'characters and bytes' };
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
  // With rstrip there may be none that begins with whitespace.
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
  const inVocabulary = (content: string) => (Array.isArray(vocab) ? vocab.some(([token]) => token === content) : Object.hasOwn(vocab, content));
  return {
    version: '1.0',
    added_tokens: added_tokens.filter(({ content }) => !inVocabulary(content)),
    normalizer: random.pick([null, null, { type: 'Lowercase' }, { type: 'NFD' }, { type: 'Replace', pattern: { String: 'b' }, content: ' - ' }]),
    pre_tokenizer: kind === 'bytes' ? sequence(pretokenizer, { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: random.integer(0, 2) === 0 }) : pretokenizer,
    post_processor: null,
    decoder: null,
    model,
  };
}

/** The offset in UTF-16 units of each code point, and that of the end. */
function unitsOf(text: string): number[] {
  const offsets = [0];
  for (const character of text) offsets.push(offsets.at(-1)! + character.length);
  return offsets;
}

describe.each(KINDS)('%s', { timeout: 300_000 }, (kind) => {
  const ROUNDS = sample(60, 1);
  it.each(Object.entries(PRETOKENIZERS))(`%s: ${ROUNDS} vocabularies`, async (name, pretokenizer) => {
    for (let round = 0; round < ROUNDS; round++) {
      const random = new Random(1 + round * 31 + name.length + 7 * KINDS.indexOf(kind));
      const alphabet = [...new Set([...random.pick(SCRIPTS), ...random.pick(SCRIPTS)])];
      const json = JSON.stringify(fileOf(random, kind, pretokenizer, alphabet));
      let full: Uint8Array;
      try {
        full = await compileCartridge(Buffer.from(json));
      } catch (error) {
        // Later patterns that split what one before them has found.
        if (kind !== 'bytes' || !(error as Error).message.includes('a pattern whose matches are split by a later one')) throw error;
        continue;
      }
      const slim = await compileCartridge(full, { slim: true });
      using tokenizer = await Tokenizer.load(full);
      using expanded = await Tokenizer.load(slim);
      using wasm = await Tokenizer.load(full, { backend: 'wasm' });
      const reference = HuggingFace.fromString(json);
      const parts = [...alphabet, ...alphabet, ...OTHERS, ' x', '-x', '[M]', 'B'];
      const texts = Array.from({ length: 12 }, (_, index) => Array.from({ length: random.integer(0, index === 0 ? 300 : 14) }, () => random.pick(parts)).join(''));
      for (const text of texts) {
        const where = `${name}, round ${round}, ${JSON.stringify(text)} ${json}`;
        const expected = await reference.encode(text, null, { addSpecialTokens: false });
        const ids = expected.getIds().join();
        const own = tokenizer.encodeWithOffsets(text);
        expect([...own.ids].join(), where).toBe(ids);
        const units = unitsOf(text);
        expect([...own.offsets].join(), where).toBe(expected.getOffsets().flatMap((span) => span.map((at: number) => units[at])).join());
        for (const other of [expanded, wasm]) expect([...other.encode(text)].join(), where).toBe(ids);
        expect(tokenizer.count(text), where).toBe(own.ids.length);
      }
      const long = texts.join('');
      const ids = [...tokenizer.encode(long)].join();
      for (const size of [1, 2, 7, 64]) {
        const encoder = tokenizer.streamEncoder();
        const read: number[] = [];
        for (let at = 0; at < long.length; at += size) read.push(...encoder.push(long.slice(at, at + size)));
        expect([...read, ...encoder.end()].join(), `${name}, chunks of ${size}, ${json}`).toBe(ids);
      }
      const parted = tokenizer.split(long, { maxTokens: 16 });
      expect(parted.join('')).toBe(long);
      for (const part of parted) expect(tokenizer.count(part)).toBeLessThanOrEqual(16);
      if (round > 0) continue;
      const longer = long.repeat(Math.ceil(200_000 / long.length));
      expect(Buffer.from(await tokenizer.encodeAsync(longer, { threads: 3 })).equals(Buffer.from(tokenizer.encode(longer)))).toBe(true);
    }
  });
});

describe('what is refused', () => {
  it.each<[object, string]>([
    [split({ String: '--' }), 'pre_tokenizer: matches are removed from the text that other characters say the ends of'],
    [split({ Regex: raw`\s+(?!\S)` }), 'pre_tokenizer.pattern.Regex: matches are removed'],
    [split({ Regex: raw`a[b-]*` }), 'pre_tokenizer.pattern.Regex: matches are removed'],
    [split({ Regex: raw`ab|c` }, 'Removed', true), 'pre_tokenizer.pattern.Regex: gaps are removed'],
    [split({ Regex: raw`[a-c] ?` }, 'Removed', true), 'pre_tokenizer.pattern.Regex: gaps are removed'],
    [delimiter('--'), 'pre_tokenizer.delimiter: expected one character'],
  ])('%j', async (pretokenizer, message) => {
    const json = JSON.stringify(fileOf(new Random(1), 'characters', pretokenizer, ['a', 'b']));
    const error = await compileCartridge(Buffer.from(json)).then(() => undefined, (each: unknown) => each);
    expect(error).toBeInstanceOf(TokenizerError);
    expect((error as Error).message).toContain(message);
  });
});
