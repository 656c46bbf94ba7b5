// Ranks as text, opened without special tokens. A published encoding's ranks are recognized, by comparing every token,
// and opened as the package's cartridge: mapped or expanded, not compiled. All others are compiled.

import type { EncodingName } from '../vocabularies/models.js';
import { outOfRange, TokenizerError, unexpected } from '../base/errors.js';
import { decodeBytes, idOf } from '../api/decode-ids.js';
import type { Vocabulary } from '../vocabularies/vocabulary.js';
import { joinTokens } from '../base/token-table.js';
import { packTokens } from '../vocabularies/compile/packed-tokens.js';
import type { Compiler } from '../engine/compiler.js';
import { pretokenizerOf } from '../vocabularies/compile/scanner.js';
import { readRankLines } from '../vocabularies/compile/ranks.js';

type Tokens = readonly (Uint8Array | undefined)[];

/** What a drop-in loads vocabularies with: `#host`. */
export interface RankHost {
  open(source: string | Uint8Array): Vocabulary;
  compiler(): Compiler;
}

/** The published encodings by pretokenizer, with their numbers of ranks. */
const PUBLISHED: Partial<Record<string, Partial<Record<EncodingName, number>>>> = {
  gpt2: { r50k_base: 50_256, p50k_base: 50_280 },
  cl100k: { cl100k_base: 100_256 },
  o200k: { o200k_base: 199_998 },
};

/**
 * Opens ranks. A published encoding's tokenizer has special tokens that the ranks lack; the caller handles these.
 * `names`: the names of the ranks and of the pattern, for errors.
 */
export function openRanks(ranks: string, pattern: string, names: readonly [ranks: string, pattern: string], host: RankHost): Vocabulary {
  if (typeof ranks !== 'string') throw unexpected('the ranks as a string', names[0], ranks);
  if (typeof pattern !== 'string') throw unexpected('a string', names[1], pattern);
  const pretokenizer = pretokenizerOf(pattern);
  if (pretokenizer === undefined) {
    throw outOfRange('the pattern of gpt2, r50k_base, p50k_base, cl100k_base or o200k_base', names[1], pattern);
  }
  const tokens = readRankLines(ranks, names[0]);
  return published(tokens, pretokenizer, host) ?? compileTokens(tokens, pretokenizer, host);
}

/** Opens a vocabulary whose token i has the id and rank i; a missing one is an id without a token. */
export function compileTokens(tokens: Tokens, pretokenizer: string, host: RankHost): Vocabulary {
  const views = [{ name: pretokenizer, scanner: pretokenizer, tokens: packTokens([]) }];
  const parts = { ...joinTokens(tokens), model: 'bpe', metadata: '{}', views } as const;
  const outcome = host.compiler().compile(parts, 'full');
  if (outcome instanceof Uint8Array) return host.open(outcome);
  const { sentence, position } = outcome;
  throw new TokenizerError(`cannot make a tokenizer of these ranks: ${sentence} (position ${position})`, outcome);
}

/** The published encoding with exactly these tokens; undefined if none is available. */
function published(tokens: Tokens, pretokenizer: string, host: RankHost): Vocabulary | undefined {
  let count = 0;
  for (let id = 0; id < tokens.length; id++) if (tokens[id]) count++;
  for (const [encoding, ranks] of Object.entries(PUBLISHED[pretokenizer] ?? {})) {
    if (ranks !== count) continue;
    const vocabulary = openIfHere(encoding, host);
    if (vocabulary && hasTokens(vocabulary, tokens, count)) return vocabulary;
  }
  return undefined;
}

/** Undefined if the cartridge is not available, as in a page that has not imported it. */
function openIfHere(encoding: string, { open }: RankHost): Vocabulary | undefined {
  try {
    return open(encoding);
  } catch (error) {
    if (error instanceof TokenizerError && error.code === 'FILE_NOT_FOUND') return undefined;
    throw error;
  }
}

/** A byte that never occurs in UTF-8, and therefore in no published token except the one that is this byte. */
const BYTE = 0xff;

/**
 * Whether a published encoding has these ordinary tokens. Querying tokens one by one takes a tenth of a second; instead
 * all are decoded in one call, each followed by that byte, and compared with the expected bytes. No other token
 * contains the byte, so the split is unambiguous.
 */
function hasTokens(vocabulary: Vocabulary, tokens: Tokens, count: number): boolean {
  const special = new Set(vocabulary.specialIds.values());
  const separator = idOf(vocabulary, Uint8Array.of(BYTE));
  if (separator === undefined) return false;
  const ids = new Uint32Array(2 * count);
  let next = 0;
  let size = 0;
  for (let id = 0; id < tokens.length; id++) {
    const token = tokens[id];
    if (!token) continue;
    if (special.has(id) || (id !== separator && token.includes(BYTE))) return false;
    ids[next++] = id;
    ids[next++] = separator;
    size += token.length + 1;
  }
  let decoded: Uint8Array;
  try {
    decoded = decodeBytes(vocabulary, ids);
  } catch (error) {
    // For example, an id that the encoding lacks.
    if (error instanceof TokenizerError && error.code === 'INVALID_ID') return false;
    throw error;
  }
  if (decoded.length !== size) return false;
  let at = 0;
  for (let id = 0; id < tokens.length; id++) {
    const token = tokens[id];
    if (!token) continue;
    for (let index = 0; index < token.length; index++) if (decoded[at++] !== token[index]) return false;
    if (decoded[at++] !== BYTE) return false;
  }
  return true;
}
