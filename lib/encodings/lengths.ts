// The arithmetic of truncation and padding, as in Hugging Face tokenizers: how many ids stay, and which parts the rest makes.
// Knows nothing of ids.

/** The side that is cut off or padded. */
export type Side = 'left' | 'right';

/** Start and end. */
export type Range = readonly [start: number, end: number];

/**
 * The parts of a sequence of `length` ids that is longer than `most`: what stays, then the overflowing parts, each of at most `most`
 * ids. Neighbours share `stride` ids, which is less than `most`.
 */
export function partsOf(length: number, most: number, stride: number, side: Side): Range[] {
  const parts: Range[] = [];
  const step = most - stride;
  for (let cut = 0; cut < length; cut += step) {
    const end = Math.min(cut + most, length);
    parts.push(side === 'right' ? [cut, end] : [length - end, length - cut]);
    if (end === length) break;
  }
  return parts;
}

/** The lengths that two sequences keep so that both together have at most `most` ids; the longer one loses first. */
export function lengthsOfPair(first: number, second: number, most: number): Range {
  if (first + second <= most) return [first, second];
  const shorter = Math.min(first, second);
  let [short, long] = [shorter, shorter > most ? shorter : Math.max(shorter, most - shorter)];
  if (short + long > most) [short, long] = [most >> 1, most - (most >> 1)];
  return first > second ? [long, short] : [short, long];
}

/** The next multiple of `multiple`, if that is not 0. */
export function paddedLength(length: number, multiple = 0): number {
  return multiple > 0 ? Math.ceil(length / multiple) * multiple : length;
}
