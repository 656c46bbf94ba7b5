/**
 * The ranks of an encoding as gpt-tokenizer's modules hold them. Nothing here needs them: they are made when someone
 * asks, and known again when they are handed back.
 *
 * @module crayon-tokenizer/gpt-tokenizer/resolveEncoding
 */

import { fromCaller, unexpected } from '../errors.js';
import { ENCODINGS, type EncodingName } from '../models.js';
import { textOrBytes } from './token-text.js';
import { bytesOfToken, encodingNamed, vocabularyOf } from './vocabulary.js';

/** Tokens by rank: text where the bytes are UTF-8 without a byte order mark, otherwise the bytes. There are holes. */
export type RawBytePairRanks = readonly (string | readonly number[])[];

/**
 * Gives the ranks of an encoding.
 *
 * @example
 * ```ts
 * import { type GetMergeableRanks, type RawBytePairRanks, resolveEncoding } from 'crayon-tokenizer/gpt-tokenizer/resolveEncoding';
 *
 * const ranksOf: GetMergeableRanks = resolveEncoding;
 * const ranks: RawBytePairRanks = ranksOf('gpt2');
 * ranks[31373]; // 'hello'
 * ```
 */
export type GetMergeableRanks = (encodingName: EncodingName) => RawBytePairRanks;

const made = new Map<EncodingName, RawBytePairRanks>();

/**
 * The ranks of an encoding; it takes a tenth of a second, once.
 *
 * @example
 * ```ts
 * import { resolveEncoding } from 'crayon-tokenizer/gpt-tokenizer/resolveEncoding';
 *
 * resolveEncoding('cl100k_base')[15339]; // 'hello'
 * ```
 */
export function resolveEncoding(encoding: EncodingName): RawBytePairRanks {
  try {
    return ranksOf(ENCODINGS[encodingNamed(encoding)]);
  } catch (error) {
    throw fromCaller(error, resolveEncoding);
  }
}

/**
 * The same, in a promise.
 *
 * @example
 * ```ts
 * import { resolveEncodingAsync } from 'crayon-tokenizer/gpt-tokenizer/resolveEncodingAsync';
 *
 * (await resolveEncodingAsync('gpt2')).length; // 50256
 * ```
 */
export async function resolveEncodingAsync(encoding: EncodingName): Promise<RawBytePairRanks> {
  try {
    return resolveEncoding(encoding);
  } catch (error) {
    throw fromCaller(error, resolveEncodingAsync);
  }
}

/** Throws a TypeError unless the ranks are those of the encoding, as they come from here. @internal */
export function checkRanks(encoding: EncodingName, getMergeableRanks: GetMergeableRanks | undefined): void {
  if (getMergeableRanks === undefined || getMergeableRanks === resolveEncoding) return;
  if (typeof getMergeableRanks !== 'function') throw unexpected('a function', 'getMergeableRanks', getMergeableRanks);
  if (getMergeableRanks(encoding) === ranksOf(ENCODINGS[encoding])) return;
  throw new TypeError(
    `expected getMergeableRanks to return the ranks of ${encoding} that resolveEncoding gives; ` +
      'the vocabulary of an encoding cannot be replaced',
  );
}

function ranksOf(encoding: EncodingName): RawBytePairRanks {
  const found = made.get(encoding);
  if (found) return found;
  const vocabulary = { ...vocabularyOf(encoding), added: new Map() };
  const { tokenizer } = vocabulary;
  const specials = new Set(tokenizer.specialTokens.values());
  const ranks: (string | number[])[] = [];
  for (let id = 0; id < tokenizer.vocabularySize; id++) {
    const bytes = specials.has(id) ? undefined : bytesOfToken(vocabulary, id);
    if (!bytes) continue;
    const text = textOrBytes(bytes);
    ranks[id] = typeof text === 'string' && !text.startsWith('\ufeff') ? text : [...bytes];
  }
  made.set(encoding, ranks);
  return ranks;
}
