// The calls of gpt-tokenizer for gpt2, and, as scripts/entries.mjs makes them of it, for other encodings without chat tokens.

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
