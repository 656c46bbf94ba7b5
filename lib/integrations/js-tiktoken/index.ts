// A drop-in replacement: this folder names no backend and loads vocabularies only through #host.

/**
 * The API of npm `js-tiktoken` on this package's engine: change only the import.
 *
 * Arguments, results and messages are as in js-tiktoken 1.0.21, with these intended differences:
 *
 * - Ids equal tiktoken's for every text, including texts with U+FEFF or U+0085, and do not depend on the host's Unicode
 *   version.
 * - The models `davinci-002` and `babbage-002` use `cl100k_base`, as in tiktoken. Names of newer models are known.
 * - `new Tiktoken` accepts only the encodings' patterns, as js-tiktoken or tiktoken spell them. Its ranks must have all
 *   256 single bytes and no duplicate tokens, and merge upwards, as trained ones do.
 * - `decode` keeps a leading byte order mark.
 * - Arguments of a wrong type, and special tokens with an empty name, throw a `TypeError` or `RangeError` that says so.
 *
 * `crayon-tokenizer/js-tiktoken/lite` has only `Tiktoken`; `crayon-tokenizer/js-tiktoken/ranks/NAME` are ranks for it.
 *
 * Examples without imports continue this one:
 *
 * @example
 * ```ts
 * import { encodingForModel, getEncoding } from 'crayon-tokenizer/js-tiktoken';
 *
 * const encoding = getEncoding('cl100k_base');
 * encoding.encode('hello world'); // [15339, 1917]
 * encoding.decode([15339, 1917]); // 'hello world'
 * encodingForModel('gpt-4o').encode('<|endoftext|>', 'all'); // [199999]
 * ```
 *
 * @module crayon-tokenizer/js-tiktoken
 */

import '#host/r50k_base';
import '#host/p50k_base';
import '#host/cl100k_base';
import '#host/o200k_base';

import { atCaller, unexpected } from '../../base/errors.js';
import { getEncodingNameForModel, Tiktoken, type TiktokenEncoding, type TiktokenModel } from './lite.js';
import { isEncoding, ranksOf } from './rank-values.js';

export type { TiktokenBPE } from './rank-values.js';
export { getEncodingNameForModel, Tiktoken, type TiktokenEncoding, type TiktokenModel };

/**
 * Opens an encoding by name. `extendSpecialTokens`: names and ids of additional special tokens.
 *
 * @example
 * ```ts
 * getEncoding('gpt2').encode('hello world'); // [31373, 995]
 * ```
 */
export function getEncoding(encoding: TiktokenEncoding, extendSpecialTokens?: Record<string, number>): Tiktoken {
  return atCaller(getEncoding, () => {
    if (typeof encoding !== 'string') throw unexpected('the name of an encoding', 'encoding', encoding);
    if (!isEncoding(encoding)) throw new Error('Unknown encoding');
    return new Tiktoken(ranksOf(encoding), extendSpecialTokens);
  });
}

/**
 * Opens the encoding of a model.
 *
 * @example
 * ```ts
 * encodingForModel('gpt-4').encode('hello world'); // [15339, 1917]
 * ```
 */
export function encodingForModel(model: TiktokenModel, extendSpecialTokens?: Record<string, number>): Tiktoken {
  return atCaller(encodingForModel, () => getEncoding(getEncodingNameForModel(model), extendSpecialTokens));
}
