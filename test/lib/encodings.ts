// The encodings that tests go through: all of them, or one of each pattern where a run takes a share of the work.

import { DISTINCT_ENCODINGS, ENCODINGS, TIKTOKEN_ENCODINGS } from '../golden/tiktoken.mjs';
import { SHARE } from '../share.js';

/** All, or one for each pattern; an alias among them. */
export const SAMPLED_ENCODINGS: string[] = SHARE === 1 ? ENCODINGS : ['gpt2', 'cl100k_base', 'o200k_base'];

/** Those of npm `tiktoken`. */
export const SAMPLED_TIKTOKEN_ENCODINGS: string[] = SHARE === 1 ? TIKTOKEN_ENCODINGS : ['p50k_edit', 'cl100k_base', 'o200k_base'];

/** Those whose ids differ. */
export const SAMPLED_DISTINCT_ENCODINGS: string[] = SHARE === 1 ? DISTINCT_ENCODINGS : ['r50k_base', 'o200k_base'];
