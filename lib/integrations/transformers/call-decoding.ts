// Ids, as callers have them (lists, typed arrays, tensors), as text.

import { unexpected } from '../../base/errors.js';
import type { Model } from './call.js';
import type { DecodeOptions } from './call-options.js';

/**
 * Python's clean_up_tokenization: text as English is written. Its list is not the one of `tokenizers` (lib/vocabularies/decode/token-maps.ts), which
 * turns ' do not' into " don't", too.
 */
const REPLACED: readonly (readonly [string, string])[] = [
  [' .', '.'],
  [' ?', '?'],
  [' !', '!'],
  [' ,', ','],
  [" ' ", "'"],
  [" n't", "n't"],
  [" 'm", "'m"],
  [" 's", "'s"],
  [" 've", "'ve"],
  [" 're", "'re"],
];

export function cleanUp(text: string): string {
  return REPLACED.reduce((cleaned, [from, to]) => cleaned.replaceAll(from, to), text);
}

/** A tensor as transformers.js and onnxruntime have it. */
interface TensorLike {
  readonly data: ArrayLike<number | bigint>;
  readonly dims: readonly number[];
}

/** Ids to decode: a list, a typed array, or a tensor. */
export type TokenIds = readonly number[] | readonly bigint[] | ArrayLike<number> | ArrayLike<bigint> | TensorLike;

/** One list of ids. */
export function idsOf(ids: TokenIds): number[] {
  if (isTensor(ids)) {
    if (ids.dims.length > 2 || (ids.dims.length === 2 && ids.dims[0] !== 1)) {
      throw new RangeError(
        `\`ids\` must be a tensor with one row; received one of ${ids.dims.join(' × ')}: batch_decode takes several rows`,
      );
    }
    return idsOf(ids.data as ArrayLike<number>);
  }
  if (typeof ids !== 'object' || ids === null || typeof ids.length !== 'number') throw unexpected('an array or tensor of ids', 'ids', ids);
  return Array.from(ids as ArrayLike<number | bigint>, Number);
}

/** Several lists of ids, or the rows of a tensor. */
export function rowsIn(rows: readonly TokenIds[] | TokenIds): TokenIds[] {
  if (!isTensor(rows)) return Array.from(rows as ArrayLike<TokenIds>);
  const [count = 0, length = 0] = rows.dims;
  if (rows.dims.length !== 2) throw new RangeError(`\`rows\` must be a tensor of two dimensions; received one of ${rows.dims.length}`);
  return Array.from({ length: count }, (_, row) => Array.from({ length }, (_, at) => Number(rows.data[row * length + at])));
}

function isTensor(value: unknown): value is TensorLike {
  return typeof value === 'object' && value !== null && 'dims' in value && 'data' in value;
}

/** The text of a list of ids, or of a tensor with one row. */
export function decodeIds(model: Model, ids: TokenIds, options: DecodeOptions): string {
  const decoded = model.changed.decode(idsOf(ids), options.skip_special_tokens === true);
  const text = model.settings.spacesEndsOfWords ? decoded.replaceAll('</w>', ' ').trim() : decoded;
  const cleans = options.clean_up_tokenization_spaces ?? model.settings.cleansUp;
  // The spaces of BPE are text: for it Python ignores the option, too.
  return cleans && model.vocabulary.description.model !== 'bpe' ? cleanUp(text) : text;
}
