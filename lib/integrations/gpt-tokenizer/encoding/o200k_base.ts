// The calls of gpt-tokenizer for o200k_base, which `crayon-tokenizer/gpt-tokenizer` also exports: hence the comments.
// scripts/entries.mjs makes the modules of cl100k_base, p50k_edit and o200k_harmony from this one.

import '#host/o200k_base';

import { GptEncoding } from '../gpt-encoding.js';

export * from '../constants.js';
export type * from '../gpt-encoding.js';

/** All calls as one object. */
const api = GptEncoding.getEncodingApi('o200k_base');

export default api;
export const {
  /** Does nothing: there is no cache to clear. */
  clearMergeCache,
  /** The number of tokens of a text or chat: {@link GptEncoding.countTokens}. */
  countTokens,
  /** The text of the given ids: {@link GptEncoding.decode}. */
  decode,
  /** The texts of tokens that arrive over time: {@link GptEncoding.decodeAsyncGenerator}. */
  decodeAsyncGenerator,
  /** The text of the given ids, token by token: {@link GptEncoding.decodeGenerator}. */
  decodeGenerator,
  /** The token ids of a text: {@link GptEncoding.encode}. */
  encode,
  /** The token ids of a chat: {@link GptEncoding.encodeChat}. */
  encodeChat,
  /** The token ids of a chat in chunks: {@link GptEncoding.encodeChatGenerator}. */
  encodeChatGenerator,
  /** The token ids of a text in chunks: {@link GptEncoding.encodeGenerator}. */
  encodeGenerator,
  /** The cost of a number of tokens: {@link GptEncoding.estimateCost}. */
  estimateCost,
  /** The number of tokens of a text or chat, or false if it exceeds a limit: {@link GptEncoding.isWithinTokenLimit}. */
  isWithinTokenLimit,
  /** Does nothing: there is no cache to configure. */
  setMergeCacheSize,
  /** The number of tokens in the vocabulary, special tokens included. */
  vocabularySize,
} = api;
