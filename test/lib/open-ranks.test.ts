// Ranks passed to drop-ins: a published encoding is recognized by comparing every token, others are compiled, and every
// spelling of a pattern splits like the others.

import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { Tokenizer } from 'crayon-tokenizer';
import * as tiktoken from 'tiktoken';
import { nativeCompiler, openRanks, PATTERNS, vocabularyOf } from '../../dist/node/internals.js';
import { SAMPLED_TIKTOKEN_ENCODINGS } from './encodings.js';
import { Random } from '../fuzz/random.mjs';
import { nastyString } from '../fuzz/strings.mjs';
import { sample } from '../share.js';

const require = createRequire(import.meta.url);
const SEED = 20261122;
const opened = new WeakMap<object, Tokenizer>();
const host = {
  open(source: string | Uint8Array) {
    const tokenizer = Tokenizer.loadSync(source);
    const vocabulary = vocabularyOf(tokenizer as never);
    opened.set(vocabulary, tokenizer);
    return vocabulary;
  },
  compiler: nativeCompiler,
};
const open = (ranks: string, pattern: string) => opened.get(openRanks(ranks, pattern, ['ranks', 'pattern'], host)) as Tokenizer;

/** How the packages themselves represent an encoding's ranks. */
function rankFiles(name: string): { pat_str: string; bpe_ranks: string }[] {
  return [require(`tiktoken/encoders/${name}.json`), require(`js-tiktoken/ranks/${name}`)];
}

/** Tokens by rank, in base64, read without the reader under test. */
function wordsOf(ranks: string): string[] {
  const words: string[] = [];
  for (const line of ranks.split('\n')) {
    const [, first, ...tokens] = line.split(' ');
    tokens.forEach((token, index) => (words[Number(first) + index] = token));
  }
  return words;
}

describe.each(SAMPLED_TIKTOKEN_ENCODINGS)('the ranks of %s', (name) => {
  const VOCABULARY: Record<string, string> = { gpt2: 'r50k_base', p50k_edit: 'p50k_base' };

  it('are recognized, in the spelling of every package', () => {
    for (const { bpe_ranks, pat_str } of rankFiles(name)) {
      using tokenizer = open(bpe_ranks, pat_str);
      expect(tokenizer.name).toBe(VOCABULARY[name] ?? name);
    }
  });

  it('are recognized as lines of base64 and rank', () => {
    const { bpe_ranks, pat_str } = rankFiles(name)[0]!;
    const lines = wordsOf(bpe_ranks).flatMap((word, rank) => `${word} ${rank}`);
    using tokenizer = open(lines.join('\r\n'), pat_str);
    expect(tokenizer.name).toBe(VOCABULARY[name] ?? name);
  });
});

describe('other ranks', () => {
  const { bpe_ranks, pat_str } = rankFiles('r50k_base')[0]!;
  const words = wordsOf(bpe_ranks);
  const base64 = (...bytes: number[]) => Buffer.from(bytes).toString('base64');
  const rankOf = (text: string) => words.indexOf(Buffer.from(text).toString('base64'));
  const changed = (change: (words: string[]) => void) => {
    const copy = [...words];
    change(copy);
    return copy.flatMap((word, rank) => (word === undefined ? [] : `${word} ${rank}`)).join('\n');
  };
  const swapped = (a: number, b: number) => changed((copy) => ([copy[a], copy[b]] = [copy[b]!, copy[a]!]));

  it.each<[string, () => string]>([
    ['two tokens exchanged', () => swapped(50_254, 50_255)],
    ['the first and the last byte exchanged', () => swapped(rankOf('!'), words.indexOf(base64(0xff)))],
    ['a token less', () => changed((copy) => copy.pop())],
    ['a token in place of another', () => changed((copy) => (copy[50_255] = Buffer.from('zzqzzq').toString('base64')))],
    [
      'a token on the id of a special one, and one less',
      () =>
        changed((copy) => {
          copy[50_256] = Buffer.from('<|endoftext|>').toString('base64');
          delete copy[50_255];
        }),
    ],
    ['a token behind a hole', () => changed((copy) => ([copy[50_255], copy[60_000]] = [undefined!, copy[50_255]!]))],
    ['the byte that tells tokens apart inside of a token', () => changed((copy) => (copy[50_255] = base64(0xff, 0x20)))],
  ])('%s: compiled', (_, make) => {
    using tokenizer = open(make(), pat_str);
    expect(tokenizer.name).toBe('gpt2');
    expect([...tokenizer.specialTokens]).toEqual([]);
  });

  it('with custom ids give those ids', () => {
    using tokenizer = open(swapped(50_254, 50_255), pat_str);
    for (const rank of [50_253, 50_254, 50_255]) {
      const given = { 50_254: 50_255, 50_255: 50_254 }[rank] ?? rank;
      expect([...tokenizer.encode(Buffer.from(words[rank]!, 'base64'))]).toEqual([given]);
    }
  });

  it('with the pattern of another encoding are compiled', () => {
    using tokenizer = open(bpe_ranks, PATTERNS.cl100k[0]);
    expect(tokenizer.name).toBe('cl100k');
    const reference = new tiktoken.Tiktoken(bpe_ranks, {}, require('tiktoken/encoders/cl100k_base.json').pat_str);
    const text = "it's 12345 o'clock,\n\n  12 ÀÉ";
    expect(tokenizer.encode(text)).toEqual(reference.encode(text));
    reference.free();
  });
});

it.each(['r50k_base', 'p50k_base', 'cl100k_base', 'o200k_base'])('only one token of %s has the byte that separates them', (name) => {
  const having = wordsOf(rankFiles(name)[0]!.bpe_ranks).filter((word) => Buffer.from(word, 'base64').includes(0xff));
  expect(having).toEqual([Buffer.of(0xff).toString('base64')]);
});

describe('the pattern', () => {
  /** As in tiktoken's openai_public.py, versions 0.5 and 0.12. */
  const PYTHON: Record<string, string[]> = {
    gpt2: [
      String.raw`'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s`,
      String.raw`'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`,
    ],
    cl100k: [String.raw`'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+`],
    o200k: [],
  };
  const PUBLISHED: Record<string, string> = { gpt2: 'gpt2', cl100k: 'cl100k_base', o200k: 'o200k_base' };

  /** For JavaScript, which lacks possessive quantifiers and, on older engines, (?i:…). */
  function forJavaScript(pattern: string): RegExp {
    let groups = 0;
    const greedy = pattern
      .replace(/\((?![?])/g, '(?:')
      .replace(
        /\(\?i:([^)]*)\)/g,
        (_, inside: string) =>
          `(?:${inside.replace(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`).replace(/\[(\[[^[]*\])+\]/g, (set) => `[${set.replace(/[[\]]/g, '')}]`)})`,
      )
      .replace(
        /(\[(?:\\.|[^\]])*\]|\\p\{\w+\}|\\\w)(\?|\*|\+|\{1,3\})\+/g,
        (_, atom, quantifier) => `(?=(${atom}${quantifier}))\\${++groups}`,
      );
    return new RegExp(greedy, 'gu');
  }

  it.each(Object.entries(PATTERNS))("of %s is recognized in every package's spelling", (pretokenizer, spellings) => {
    const packages = rankFiles(PUBLISHED[pretokenizer]!).map(({ pat_str }) => pat_str);
    for (const pattern of [...packages, ...PYTHON[pretokenizer]!]) expect(spellings).toContain(pattern);
    expect(spellings[0]).toBe(packages[1]);
  });

  it("of cl100k as PyPI's tiktoken 0.14 spells it is a different one, and refused", () => {
    const latest = String.raw`'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s`;
    expect('x\n '.match(forJavaScript(latest))).toEqual(['x', '\n ']);
    expect('x\n '.match(forJavaScript(PATTERNS.cl100k[0]))).toEqual(['x', '\n', ' ']);
    expect(() => open('', latest)).toThrow(RangeError);
  });

  it.each(Object.entries(PATTERNS))('of %s splits the same in every spelling', (_, spellings) => {
    const [first, ...others] = [...spellings].map(forJavaScript);
    expect(others.length).toBeGreaterThan(0);
    for (let index = 0; index < sample(2000); index++) {
      const random = new Random(SEED, index);
      const text = nastyString(SEED, index).slice(0, 200) + random.pick(['', ' ', "'LL", "it'S ", ' \n ', '\r\n\n', '1234']);
      const pieces = text.match(first!);
      for (const other of others) expect(text.match(other), `${other}, index ${index}`).toEqual(pieces);
    }
  });
});
