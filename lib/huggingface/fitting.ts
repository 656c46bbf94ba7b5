// Truncation and padding as a file or the settings of a tokenizer ask for them.

import type { PaddingJson, TruncationJson } from './json.js';
import { lengthsOfPair, paddedLength } from '../vocabulary/lengths.js';
import { padOf, sideOf } from './options.js';
import { padded, type Rows, truncated } from './rows.js';

/** One text or two, truncated so that with the `added` tokens of the post-processor they are not too long. */
export function truncatedTo(truncation: TruncationJson | null | undefined, sequences: readonly Rows[], added: number): readonly Rows[] {
  if (!truncation) return sequences;
  const { max_length, strategy, stride } = truncation;
  const most = max_length - added;
  if (most < 0)
    throw new RangeError(`expected a maxLength of at least ${added}, for the tokens that the post-processor adds, but it is ${max_length}`);
  const lengths = sequences.map(({ length }) => length);
  const [first = 0, second = 0] = lengths;
  if (most > 0 && first + second <= most) return sequences;
  const kept = most === 0 ? [0, 0] : lengthsKept(lengths, strategy, most);
  return sequences.map((rows, index) => truncated(rows, kept[index]!, stride, sideOf(truncation)));
}

function lengthsKept(lengths: readonly number[], strategy: TruncationJson['strategy'], most: number): readonly number[] {
  const [first = 0, second] = lengths;
  if (strategy === 'LongestFirst') return second === undefined ? [most] : lengthsOfPair(first, second, most);
  const index = strategy === 'OnlyFirst' ? 0 : 1;
  const length = lengths[index];
  if (length === undefined) throw new RangeError('expected a pair to truncate its second sequence, but received one sequence');
  const left = most - (first + (second ?? 0) - length);
  if (left > 0) return lengths.map((each, at) => (at === index ? left : each));
  throw new RangeError(
    `expected a sequence that is long enough to truncate: the other one alone has ${most - left} tokens, and ${most} are left`,
  );
}

/** The encodings of a batch, padded. */
export function paddedBy(padding: PaddingJson | null | undefined, all: readonly Rows[]): readonly Rows[] {
  if (!padding) return all;
  const { strategy, pad_to_multiple_of } = padding;
  const longest = strategy === 'BatchLongest' ? all.reduce((most, { length }) => Math.max(most, length), 0) : strategy.Fixed;
  const length = paddedLength(longest, pad_to_multiple_of ?? 0);
  return all.map((rows) => padded(rows, length, padOf(padding)));
}
