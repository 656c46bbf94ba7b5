// The ranks of an encoding in the format of gpt-tokenizer's modules. This package does not need them: they are created
// on request, and recognized when passed back.

import { unexpected } from '../../base/errors.js';
import { type EncodingName, ENCODINGS } from '../../vocabularies/models.js';
import { bytesOfToken, encodingNamed, openEncoding, textOrBytes } from './open-encoding.js';

/** Tokens by rank: text if the bytes are UTF-8 without a byte order mark, otherwise the bytes. There are holes. */
export type RawBytePairRanks = readonly (string | readonly number[])[];

/**
 * Returns the ranks of an encoding.
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

/** Functions that return ranks created here, for any encoding. */
export const ownResolvers = new WeakSet<GetMergeableRanks>();

const ranksByEncoding = new Map<EncodingName, RawBytePairRanks>();

/** The ranks of an encoding by its name in any case; throws for an unknown name. */
export function ranksNamed(name: string): RawBytePairRanks {
  return ranksOf(ENCODINGS[encodingNamed(name)]);
}

/** Throws a TypeError unless the ranks were created here for this encoding. */
export function checkRanks(encoding: EncodingName, getMergeableRanks: GetMergeableRanks | undefined): void {
  if (getMergeableRanks === undefined || ownResolvers.has(getMergeableRanks)) return;
  if (typeof getMergeableRanks !== 'function') throw unexpected('a function', 'getMergeableRanks', getMergeableRanks);
  if (getMergeableRanks(encoding) === ranksOf(ENCODINGS[encoding])) return;
  throw new TypeError(
    `\`getMergeableRanks\` must return the ranks of ${encoding} that resolveEncoding gives: ` +
      'the vocabulary of an encoding cannot be replaced',
  );
}

function ranksOf(encoding: EncodingName): RawBytePairRanks {
  const found = ranksByEncoding.get(encoding);
  if (found) return found;
  const opened = { ...openEncoding(encoding), added: new Map() };
  const { description, specialIds } = opened.vocabulary;
  const specials = new Set(specialIds.values());
  const ranks: (string | number[])[] = [];
  for (let id = 0; id < description.vocabularySize; id++) {
    const bytes = specials.has(id) ? undefined : bytesOfToken(opened, id);
    if (!bytes) continue;
    const text = textOrBytes(bytes);
    ranks[id] = typeof text === 'string' && !text.startsWith('\ufeff') ? text : [...bytes];
  }
  ranksByEncoding.set(encoding, ranks);
  return ranks;
}
