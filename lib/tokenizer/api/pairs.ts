// Pairs of texts.

import { fromCaller, unexpected } from '../../base/errors.js';
import type { UnsharedBigInt64Array } from '../../base/typed-arrays.js';
import type { Padding, PadOptions } from '../../engine/padding.js';
import { policyOf, specialOf, textBytes } from '../arguments.js';
import { PAD_BATCH_OPTIONS, paddingOf } from '../async-options.js';
import { failureInText } from '../failures.js';
import {
  type EncodedPair,
  failureInPair,
  type PaddedPairs,
  padPairs,
  type PairBatchOptions,
  type PairOptions,
  piecesFor,
  putTogether,
  textsOfPairs,
} from '../pair.js';
import { BackgroundTokenizer } from './background.js';
import { engineOf, vocabularyOf } from './open-tokenizer.js';

/** A tokenizer that also encodes pairs. */
export class PairTokenizer extends BackgroundTokenizer {
  /**
   * Encodes two texts for models that take pairs, such as BERT and rerankers. The `post_processor` of the model's
   * `tokenizer.json` defines how they are combined: the ids around them, and the type of each id. The mask is all 1. If it does
   * not mention pairs, the second text follows the first and has type 1. Without a second text, the template for single texts
   * applies.
   *
   * Each text is encoded alone. Throws `INVALID_TEMPLATE` if the file's template for pairs lacks one of the texts.
   *
   * @example
   * ```ts
   * tokenizer.encodePair('hello world', 'hello'); // { ids: Uint32Array [24912, 2375, 24912], typeIds: Uint32Array [0, 0, 1], mask: Uint32Array [1, 1, 1] }
   * tokenizer.encodePair('hello world').typeIds; // Uint32Array [0, 0]
   * ```
   */
  encodePair(text: string | Uint8Array, textPair?: string | Uint8Array, options?: PairOptions): EncodedPair {
    const vocabulary = vocabularyOf(this);
    let current = { text, name: 'the text' };
    try {
      const policy = policyOf(options, vocabulary);
      const pieces = piecesFor(vocabulary, textPair !== undefined, options?.addSpecialTokens ?? true);
      const engine = engineOf(this);
      const idsOf = (own: string | Uint8Array, name: string) =>
        typeof own === 'string' ? engine.encode(own, policy) : engine.encodeBytes(textBytes(own, name), policy);
      const first = idsOf(text, 'text');
      if (textPair === undefined) return putTogether(pieces, first, undefined);
      current = { text: textPair, name: 'the second text' };
      return putTogether(pieces, first, idsOf(textPair, 'textPair'));
    } catch (error) {
      throw fromCaller(failureInText(error, current.text, vocabulary, current.name), PairTokenizer.prototype.encodePair);
    }
  }

  /**
   * The same for many pairs, as one rectangle: ids, types and mask, with every row padded to the same length. Encodes the texts
   * as `encodeBatch` does.
   *
   * @example
   * ```ts
   * const { ids, typeIds, mask, shape } = tokenizer.encodePairBatch([['hello world', 'hello'], ['hello', 'hello']]);
   * ids; // Int32Array [24912, 2375, 24912, 24912, 24912, 0]
   * typeIds; // Int32Array [0, 0, 1, 0, 1, 0]
   * mask; // Int32Array [1, 1, 1, 1, 1, 0]
   * shape; // [2, 3]
   * ```
   */
  encodePairBatch(
    pairs: readonly (readonly [string | Uint8Array, string | Uint8Array])[],
    options?: PairBatchOptions<PadOptions & { type?: 'int32' | undefined }>,
  ): PaddedPairs;
  encodePairBatch(
    pairs: readonly (readonly [string | Uint8Array, string | Uint8Array])[],
    options: PairBatchOptions<PadOptions & { type: 'bigint64' }>,
  ): PaddedPairs<UnsharedBigInt64Array>;
  encodePairBatch(
    pairs: readonly (readonly [string | Uint8Array, string | Uint8Array])[],
    options?: PairBatchOptions,
  ): PaddedPairs | PaddedPairs<UnsharedBigInt64Array>;
  encodePairBatch(
    pairs: readonly (readonly [string | Uint8Array, string | Uint8Array])[],
    options?: PairBatchOptions,
  ): PaddedPairs | PaddedPairs<UnsharedBigInt64Array> {
    try {
      specialOf(options, PAD_BATCH_OPTIONS);
      const padding = paddingOf({ pad: options?.pad ?? {} }) as Padding;
      const pieces = piecesFor(vocabularyOf(this), true, options?.addSpecialTokens ?? true);
      const texts = textsOfPairs(pairs, unexpected) as (string | Uint8Array)[];
      const batch = this.encodeBatch(texts, { ...options, addSpecialTokens: false, pad: undefined });
      return padPairs(pieces, [...batch], padding);
    } catch (error) {
      throw fromCaller(failureInPair(error), PairTokenizer.prototype.encodePairBatch);
    }
  }
}
