/**
 * The ranks of an encoding, as a promise. In a browser the first call for a vocabulary loads it, which makes it
 * available to `GptEncoding` too.
 *
 * @module crayon-tokenizer/gpt-tokenizer/resolveEncodingAsync
 */

import { atCaller } from '../../base/errors.js';
import { ENCODINGS, type EncodingName } from '../../vocabularies/models.js';
import { type RawBytePairRanks, ranksNamed } from './gpt-ranks.js';
import { encodingNamed } from './open-encoding.js';

export type { RawBytePairRanks } from './gpt-ranks.js';

// Each import is a literal, so that bundlers find it.
const VOCABULARIES = {
  r50k_base: () => import('#host/r50k_base'),
  p50k_base: () => import('#host/p50k_base'),
  cl100k_base: () => import('#host/cl100k_base'),
  o200k_base: () => import('#host/o200k_base'),
};

/**
 * The same as `resolveEncoding`, as a promise.
 *
 * @example
 * ```ts
 * import { resolveEncodingAsync } from 'crayon-tokenizer/gpt-tokenizer/resolveEncodingAsync';
 *
 * (await resolveEncodingAsync('gpt2')).length; // 50256
 * ```
 */
export async function resolveEncodingAsync(encoding: EncodingName): Promise<RawBytePairRanks> {
  await atCaller(resolveEncodingAsync, () => VOCABULARIES[ENCODINGS[encodingNamed(encoding)]])();
  return ranksNamed(encoding);
}
