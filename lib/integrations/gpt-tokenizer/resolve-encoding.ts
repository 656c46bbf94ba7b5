/**
 * The ranks of an encoding in the format of gpt-tokenizer's modules. In a browser this module includes all
 * vocabularies; `crayon-tokenizer/gpt-tokenizer/resolveEncodingAsync` loads only the requested one.
 *
 * @module crayon-tokenizer/gpt-tokenizer/resolveEncoding
 */

import '#host/r50k_base';
import '#host/p50k_base';
import '#host/cl100k_base';
import '#host/o200k_base';

import { atCaller } from '../../base/errors.js';
import type { EncodingName } from '../../vocabularies/models.js';
import { ownResolvers, type RawBytePairRanks, ranksNamed } from './gpt-ranks.js';

export type { GetMergeableRanks, RawBytePairRanks } from './gpt-ranks.js';

/**
 * The ranks of an encoding; the first call takes a tenth of a second.
 *
 * @example
 * ```ts
 * import { resolveEncoding } from 'crayon-tokenizer/gpt-tokenizer/resolveEncoding';
 *
 * resolveEncoding('cl100k_base')[15339]; // 'hello'
 * ```
 */
export function resolveEncoding(encoding: EncodingName): RawBytePairRanks {
  return atCaller(resolveEncoding, () => ranksNamed(encoding));
}

ownResolvers.add(resolveEncoding);
