// Ranks in the format of npm tiktoken's files, opened as a vocabulary.

import { compileTokens, openRanks as openTokens } from '../compile/open-ranks.js';
import type { Vocabulary } from '../vocabulary/vocabulary.js';
import { compiling } from '#host';

/** Opens a vocabulary with these ranks and this pattern. It does not know the caller's special tokens. */
export function openRanks(ranks: string, pattern: string): Vocabulary {
  return openTokens(ranks, pattern, ['tiktoken_bfe', 'pat_str'], compiling);
}

/** Opens a vocabulary whose token i has the id and rank i; a missing one is an id without a token. */
export function compile(tokens: readonly (Uint8Array | undefined)[], pretokenizer: string): Vocabulary {
  return compileTokens(tokens, pretokenizer, compiling);
}
