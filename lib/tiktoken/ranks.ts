// Ranks, as npm tiktoken's files have them, compiled to a tokenizer without special tokens. The text is lines of
// `base64 rank`, or lines of `! first base64 base64 …`, whose tokens have the ranks from `first` on.

import { outOfRange, TokenizerError, unexpected } from '../errors.js';
import { Tokenizer } from '../index.js';
import { native } from '../native-backend.js';

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
  return compile(readRanks(ranks), scanner);
}

/** Opens a tokenizer whose token i has the id and rank i; a missing one is an id without a token. */
export function compile(tokens: readonly (Uint8Array | undefined)[], scanner: string): Tokenizer {
  const { addon } = native();
  const offsets = new Uint32Array(tokens.length + 1);
  for (let id = 0; id < tokens.length; id++) offsets[id + 1] = (offsets[id] as number) + (tokens[id]?.length ?? 0);
  const bytes = new Uint8Array(offsets.at(-1) as number);
  tokens.forEach((token, id) => token && bytes.set(token, offsets[id]));
  const views = [{ name: scanner, scanner, tokens: [] }];
  const cartridge = addon.compileBpe({ bytes, offsets, metadata: '{}', views });
  if (cartridge) return Tokenizer.loadSync(cartridge);
  const failure = addon.failure();
  const { sentence, position } = failure;
  throw new TokenizerError(`cannot make a tokenizer of these ranks: ${sentence} (position ${position})`, failure);
}

function readRanks(ranks: string): (Uint8Array | undefined)[] {
  const tokens: (Uint8Array | undefined)[] = [];
  ranks.split(/\r?\n/).forEach((line, index) => {
    if (line === '') return;
    const words = line.split(' ');
    const compressed = words[0] === '!';
    const first = /^\d+$/.test(words[1] ?? '') ? Number(words[1]) : MOST_RANKS;
    if (first >= MOST_RANKS || (!compressed && words.length !== 2)) {
      throw outOfRange("lines of 'base64 rank' or '! rank base64 …'", `line ${index + 1} of tiktoken_bfe`, line);
    }
    const encoded = compressed ? words.slice(2) : words.slice(0, 1);
    encoded.forEach((word, at) => {
      if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(word) || word === '') {
        throw outOfRange('base64', `a token in line ${index + 1} of tiktoken_bfe`, word);
      }
      if (tokens[first + at]) throw outOfRange('each rank once', `line ${index + 1} of tiktoken_bfe`, line);
      tokens[first + at] = Buffer.from(word, 'base64');
    });
  });
  return tokens;
}

/** More than any vocabulary has: a mistaken rank must not make a table of gigabytes. */
const MOST_RANKS = 1 << 24;
