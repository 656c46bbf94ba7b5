// The calls of gpt-tokenizer for o200k_base.

import { GptEncoding } from '../gpt-encoding.js';

export * from '../constants.js';
export type * from '../public-types.js';

const api = GptEncoding.getEncodingApi('o200k_base');

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
