// The encodings that tests cover: all of them, or one per pattern when a run takes a share of the work.

import { DISTINCT_ENCODINGS, ENCODINGS, TIKTOKEN_ENCODINGS } from '../golden/tiktoken.mjs';
import { SHARE } from '../share.js';

/** All, or one per pattern; includes an alias. */
export const SAMPLED_ENCODINGS: string[] = SHARE === 1 ? ENCODINGS : ['gpt2', 'cl100k_base', 'o200k_base'];

/** The encodings of npm `tiktoken`. */
export const SAMPLED_TIKTOKEN_ENCODINGS: string[] = SHARE === 1 ? TIKTOKEN_ENCODINGS : ['p50k_edit', 'cl100k_base', 'o200k_base'];

/** The encodings with distinct ids. */
export const SAMPLED_DISTINCT_ENCODINGS: string[] = SHARE === 1 ? DISTINCT_ENCODINGS : ['r50k_base', 'o200k_base'];
