// The calls of gpt-tokenizer for cl100k_base.

import '#host/cl100k_base';

import { GptEncoding } from '../gpt-encoding.js';

export * from '../constants.js';
export type { GptEncoding } from '../gpt-encoding.js';
export type * from '../public-types.js';

const api = GptEncoding.getEncodingApi('cl100k_base');

export default api;
export const {
  clearMergeCache,
  countTokens,
  decode,
  decodeAsyncGenerator,
  decodeGenerator,
  encode,
  encodeChat,
  encodeChatGenerator,
  encodeGenerator,
  estimateCost,
  isWithinTokenLimit,
  setMergeCacheSize,
  vocabularySize,
} = api;
