/**
 * The API of npm `js-tiktoken/lite`: `Tiktoken` for your own ranks, such as those of
 * `crayon-tokenizer/js-tiktoken/ranks/NAME`. It includes no vocabulary, which saves the download in a browser.
 * Differences from js-tiktoken are listed with `crayon-tokenizer/js-tiktoken`.
 *
 * @example
 * ```ts
 * import { Tiktoken } from 'crayon-tokenizer/js-tiktoken/lite';
 * import cl100k_base from 'crayon-tokenizer/js-tiktoken/ranks/cl100k_base';
 *
 * new Tiktoken(cl100k_base).encode('hello world'); // [15339, 1917]
 * ```
 *
 * @module crayon-tokenizer/js-tiktoken/lite
 */

import { atCaller, unexpected } from '../../base/errors.js';
import { encodingForModel } from '../../vocabularies/models.js';
import type { TiktokenEncoding, TiktokenModel } from '../tiktoken/encoding-names.js';
import { isEncoding } from './rank-values.js';

export type { TiktokenEncoding, TiktokenModel };
export type { TiktokenBPE } from './rank-values.js';
export { Tiktoken } from './tiktoken.js';

/**
 * The name of a model's encoding. Throws for an unknown model.
 *
 * @example
 * ```ts
 * import { getEncodingNameForModel, type TiktokenEncoding, type TiktokenModel } from 'crayon-tokenizer/js-tiktoken';
 *
 * const model: TiktokenModel = 'gpt-4o-mini';
 * const encoding: TiktokenEncoding = getEncodingNameForModel(model);
 * encoding; // 'o200k_base'
 * ```
 */
export function getEncodingNameForModel(model: TiktokenModel): TiktokenEncoding {
  return atCaller(getEncodingNameForModel, () => {
    if (typeof model !== 'string') throw unexpected('the name of a model', 'model', model);
    const encoding = encodingForModel(model);
    if (encoding === undefined || !isEncoding(encoding)) throw new Error('Unknown model');
    return encoding;
  });
}
