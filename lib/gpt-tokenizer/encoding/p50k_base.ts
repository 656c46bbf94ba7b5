// The calls of gpt-tokenizer for p50k_base. It has no chat tokens.

import '#host/p50k_base';

import { GptEncoding } from '../gpt-encoding.js';

export * from '../constants.js';
export type { GptEncoding } from '../gpt-encoding.js';
export type * from '../public-types.js';

const api = GptEncoding.getEncodingApi('p50k_base');

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
