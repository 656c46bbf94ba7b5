// The calls of gpt-tokenizer for o200k_base, which are those of `crayon-tokenizer/gpt-tokenizer` too: hence the comments.

import '#host/o200k_base';

import { GptEncoding } from '../gpt-encoding.js';

export * from '../constants.js';
export type { GptEncoding } from '../gpt-encoding.js';
export type * from '../public-types.js';

/** All calls as one object. */
const api = GptEncoding.getEncodingApi('o200k_base');

export default api;
export const {
  /** Does nothing: there is no cache to be cleared. */
  clearMergeCache,
  /** How many tokens a text or chat has: {@link GptEncoding.countTokens}. */
  countTokens,
  /** The text of some ids: {@link GptEncoding.decode}. */
  decode,
  /** The texts of tokens that arrive over time: {@link GptEncoding.decodeAsyncGenerator}. */
  decodeAsyncGenerator,
  /** The text of some ids, token by token: {@link GptEncoding.decodeGenerator}. */
  decodeGenerator,
  /** The token ids of a text: {@link GptEncoding.encode}. */
  encode,
  /** The token ids of a chat: {@link GptEncoding.encodeChat}. */
  encodeChat,
  /** The token ids of a chat in chunks: {@link GptEncoding.encodeChatGenerator}. */
  encodeChatGenerator,
  /** The token ids of a text in chunks: {@link GptEncoding.encodeGenerator}. */
  encodeGenerator,
  /** What some tokens cost: {@link GptEncoding.estimateCost}. */
  estimateCost,
  /** How many tokens a text or chat has, or false if these are more than a limit: {@link GptEncoding.isWithinTokenLimit}. */
  isWithinTokenLimit,
  /** Does nothing: there is no cache to be set. */
  setMergeCacheSize,
  /** How many tokens there are, special ones included. */
  vocabularySize,
} = api;
