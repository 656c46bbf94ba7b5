// The calls of gpt-tokenizer for gpt2. scripts/entries.mjs makes the modules of other encodings without chat tokens from this one.

import '#host/r50k_base';

import { GptEncoding } from '../gpt-encoding.js';

export * from '../constants.js';
export type * from '../gpt-encoding.js';

const api = GptEncoding.getEncodingApi('gpt2');

export default api;
export const {
  clearMergeCache,
  countTokens,
  decode,
  decodeAsyncGenerator,
  decodeGenerator,
  encode,
  encodeGenerator,
  estimateCost,
  isWithinTokenLimit,
  setMergeCacheSize,
  vocabularySize,
} = api;
