// Truncation and padding of encodings.

import { lengthsOfPair, type Pad, padded, paddedLength, type Rows, type Side, truncated } from './encoding-rows.js';

/** Which of two texts loses tokens: the longer one first, or only one of them. */
export type Strategy = 'longest_first' | 'only_first' | 'only_second';

/** `most`: the ids around the texts included. `stride`: how many tokens a part repeats of the one before. */
export interface Truncation {
  most: number;
  strategy: Strategy;
  stride: number;
  side: Side;
}

/** `length`: that of the longest encoding where undefined. */
export interface Padding extends Pad {
  length: number | undefined;
  multiple: number | undefined;
}

/**
 * One text or two, truncated so that with the `added` ids of the post-processor they are not too long. Throws a RangeError where the
 * strategy cannot reach that.
 */
export function truncatedTo(truncation: Truncation | undefined, sequences: readonly Rows[], added: number): readonly Rows[] {
  if (!truncation) return sequences;
  const { strategy, stride, side } = truncation;
  const most = truncation.most - added;
  if (most < 0) throw new RangeError(`expected a maximum of at least ${added}, the ids around texts, but received ${truncation.most}`);
  const lengths = sequences.map(({ length }) => length);
  const [first = 0, second = 0] = lengths;
  if (most > 0 && first + second <= most) return sequences;
  const kept = most === 0 ? [0, 0] : lengthsKept(lengths, strategy, most);
  return sequences.map((rows, index) => truncated(rows, kept[index] as number, stride, side));
}

function lengthsKept(lengths: readonly number[], strategy: Strategy, most: number): readonly number[] {
  const [first = 0, second] = lengths;
  if (second === undefined && strategy !== 'only_second') return [most];
  if (second === undefined) throw new RangeError('expected two texts, since truncation is to cut only the second, but received one');
  if (strategy === 'longest_first') return lengthsOfPair(first, second, most);
  const over = first + second - most;
  const [own, name] = strategy === 'only_first' ? [first, 'first'] : [second, 'second'];
  if (own > over) return strategy === 'only_first' ? [first - over, second] : [first, second - over];
  throw new RangeError(
    `expected a longer ${name} text, or truncation that cuts the longer one first: ${over} tokens are too many, and it has ${own}`,
  );
}

/** The encodings of a batch, padded to one length, with their overflowing parts. */
export function paddedBy(padding: Padding | undefined, all: readonly Rows[]): readonly Rows[] {
  if (!padding) return all;
  const longest = padding.length ?? all.reduce((most, { length }) => Math.max(most, length), 0);
  const length = paddedLength(longest, padding.multiple);
  return all.map((rows) => padded(rows, length, padding));
}
