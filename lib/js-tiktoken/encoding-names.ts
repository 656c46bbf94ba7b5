// The encoding of a model, under js-tiktoken's names.

import { atCaller, unexpected } from '../base/errors.js';
import { encodingForModel, ENCODINGS } from '../vocabulary/models.js';
import type { TiktokenEncoding, TiktokenModel } from '../tiktoken/encoding-names.js';

export type { TiktokenEncoding, TiktokenModel };

/** Whether a name is an encoding's: js-tiktoken has all but one of the built-in encodings. */
export function isEncoding(name: string): name is TiktokenEncoding {
  return name !== 'o200k_harmony' && Object.hasOwn(ENCODINGS, name);
}

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
