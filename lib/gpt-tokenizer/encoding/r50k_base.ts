// The calls of gpt-tokenizer for r50k_base. It has no chat tokens.

import '#host/r50k_base';

import { GptEncoding } from '../gpt-encoding.js';

export * from '../constants.js';
export type { GptEncoding } from '../gpt-encoding.js';
export type * from '../public-types.js';

const api = GptEncoding.getEncodingApi('r50k_base');

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
