// A drop-in replacement: this folder names no backend, and loads vocabularies only through #host.

/**
 * The calls of npm `tokenizers` for a `tokenizer.json`, on this package's engine: change only the import.
 *
 * Ids, tokens, offsets, masks, words, truncation, padding and decoded texts are as in tokenizers 0.23.2. These differences are
 * intended:
 *
 * - A stride that is too large is an error here; tokenizers ends the process. Lists of words are encoded here; tokenizers refuses some
 *   as a wrong type.
 * - A tokenizer comes from a file. The classes and functions to build one of parts, and to train it, do not exist.
 *
 * @example
 * ```ts
 * import { Tokenizer } from 'crayon-tokenizer/huggingface';
 *
 * const tokenizer = Tokenizer.fromFile('tokenizer.json');
 * const encoding = await tokenizer.encode('hello world');
 * encoding.getTokens(); // ['hello', 'world']
 * await tokenizer.decode(encoding.getIds(), true); // 'hello world'
 * ```
 *
 * @module crayon-tokenizer/huggingface
 */

import { AddedToken } from './tokenizers-options.js';
import { Encoding } from './encoding.js';
import { Tokenizer } from './file-tokenizer.js';

export type {
  AddedTokenOptions,
  EncodeInput,
  EncodeOptions,
  InputSequence,
  PaddingOptions,
  TruncationOptions,
} from './tokenizers-options.js';
export { AddedToken, Encoding, Tokenizer };

/** All names as one object: tokenizers is a CommonJS module, so its exports can also be imported this way. @hidden */
export default { AddedToken, Encoding, Tokenizer };
