// Ranks, as npm tiktoken's files have them, compiled to a tokenizer without special tokens.

import { outOfRange, TokenizerError, unexpected } from '../errors.js';
import { Tokenizer } from '../index.js';
import { native } from '../native-backend.js';
import { FORMS } from '../native-loader.js';
import { readRankLines } from '../rank-lines.js';
import { joinTokens } from '../token-table.js';

/** The patterns of tiktoken's encodings, and the scanner that splits as each says. */
const SCANNERS: Readonly<Record<string, string>> = {
  [String.raw`'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`]: 'gpt2',
  [[
    String.raw`(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*`,
    String.raw`\s*[\r\n]+|\s+(?!\S)|\s+`,
  ].join('|')]: 'cl100k',
  [[
    String.raw`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?`,
    String.raw`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?`,
    String.raw`\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`,
  ].join('|')]: 'o200k',
};

/** Opens a tokenizer of these ranks, which splits as the pattern says. */
export function openRanks(ranks: string, pattern: string): Tokenizer {
  if (typeof ranks !== 'string') throw unexpected('the ranks as a string', 'tiktoken_bfe', ranks);
  if (typeof pattern !== 'string') throw unexpected('a string', 'pat_str', pattern);
  const scanner = Object.hasOwn(SCANNERS, pattern) ? SCANNERS[pattern] : undefined;
  if (scanner === undefined) {
    throw outOfRange('the pattern of gpt2, r50k_base, p50k_base, cl100k_base or o200k_base', 'pat_str', pattern);
  }
  return compile(readRankLines(ranks, 'tiktoken_bfe'), scanner);
}

/** Opens a tokenizer whose token i has the id and rank i; a missing one is an id without a token. */
export function compile(tokens: readonly (Uint8Array | undefined)[], scanner: string): Tokenizer {
  const { addon } = native();
  const views = [{ name: scanner, scanner, tokens: [] }];
  const vocabulary = { ...joinTokens(tokens), model: 'bpe', metadata: '{}', views } as const;
  const cartridge = addon.compile(vocabulary, FORMS.indexOf('full'));
  if (cartridge) return Tokenizer.loadSync(cartridge);
  const failure = addon.failure();
  const { sentence, position } = failure;
  throw new TokenizerError(`cannot make a tokenizer of these ranks: ${sentence} (position ${position})`, failure);
}
