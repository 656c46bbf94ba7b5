// Ranks in the format of npm tiktoken's files, opened as a tokenizer.

import { compileTokens, openRanks as openTokens } from '../compile/open-ranks.js';
import * as host from '#compiling-host';

/** Opens a tokenizer with these ranks and this pattern. It does not know the caller's special tokens. */
export function openRanks(ranks: string, pattern: string): host.Tokenizer {
  return openTokens(ranks, pattern, ['tiktoken_bfe', 'pat_str'], host);
}

/** Opens a tokenizer whose token i has the id and rank i; a missing one is an id without a token. */
export function compile(tokens: readonly (Uint8Array | undefined)[], pretokenizer: string): host.Tokenizer {
  return compileTokens(tokens, pretokenizer, host);
}
