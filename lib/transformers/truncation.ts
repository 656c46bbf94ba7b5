// Which tokens of a text, or of two, are kept within a limit, and the parts that the others make: as Hugging Face's
// tokenizers divide them.

import { lengthsOfPair, partsOf, type Range, type Side } from '../vocabulary/lengths.js';

export type Truncation = 'longest_first' | 'only_first' | 'only_second';

/** A text's tokens as parts: the first is kept, the others overflow. */
export type Spans = readonly [Range, ...Range[]];

/** All tokens in one part. */
export function whole(length: number): Spans {
  return [[0, length]];
}

/** `most`: of the tokens of both texts; `stride`: how many tokens a part repeats of the one before. */
export interface Limit {
  most: number;
  strategy: Truncation;
  stride: number;
  side: Side;
}

/** The parts of a text and of the text paired with it, if any. Throws a RangeError where the strategy cannot reach the limit. */
export function truncated(lengths: readonly [number, ...number[]], limit: Limit): [Spans, ...Spans[]] {
  const { most, strategy } = limit;
  const [first, second] = lengths;
  const total = first + (second ?? 0);
  const divide = (length: number, kept: number) => divided(length, kept, limit);
  if (most > 0 && total <= most) return second === undefined ? [whole(first)] : [whole(first), whole(second)];
  if (second === undefined) {
    if (strategy === 'only_second') throw new RangeError("expected a text_pair, since truncation is 'only_second'");
    return [divide(first, most)];
  }
  if (most === 0) return [divide(first, 0), divide(second, 0)];
  if (strategy === 'longest_first') {
    const [one, other] = lengthsOfPair(first, second, most);
    return [divide(first, one), divide(second, other)];
  }
  const over = total - most;
  const target = strategy === 'only_first' ? first : second;
  if (target <= over) {
    const name = strategy === 'only_first' ? 'text' : 'text_pair';
    throw new RangeError(
      `expected a longer ${name}, or truncation: 'longest_first': ${over} tokens are too many, and ${name} has ${target}`,
    );
  }
  return strategy === 'only_first' ? [divide(first, first - over), whole(second)] : [whole(first), divide(second, second - over)];
}

function divided(length: number, kept: number, { stride, side }: Limit): Spans {
  if (kept >= length) return whole(length);
  if (kept === 0)
    return [
      [0, 0],
      [0, length],
    ];
  if (stride >= kept)
    throw new RangeError(`expected a stride below ${kept}, the tokens of a part besides the special ones, but received ${stride}`);
  return partsOf(length, kept, stride, side) as [Range, ...Range[]];
}
