// The order in which SentencePiece merges: of all adjacent parts that form a piece, the pair whose piece has the greatest score
// comes first, the leftmost of equal scores.
//
// If no two pieces have the same score, this is an order of pieces, like ranks, and one pair for each piece merges every text in
// the same way (native/src/compile/merge_order.h). Pieces with equal scores, such as those that were added to a model by hand,
// all with the score 0, have the same priority instead, which takes longer to merge. Runs of one character, such as the spaces of
// Llama 2, are ordered all the same, if the order below turns each run into the same pieces as merging from the left:
//
//   Assume that no other piece has two of the character side by side, and that all runs of it have the same score. When their
//   turn comes, the text has the remaining characters in runs of single ones, which from then on merge with nothing else.
//   From the left, the first two of a run become one piece, which then takes one more at a time; once that would not be a
//   piece, the next two do the same, and so on.
//
//   In the order below the powers of two come first, each made of two of the previous one. Assume that the longest run is a power,
//   2^k, and that all shorter powers exist. They turn a run into as many pieces of 2^k as fit, and the rest into its binary
//   digits. No piece is longer, so the rest merges by itself. Merging from the left does the same if a run of 2^k + r characters
//   becomes a piece of 2^k followed by the result for r characters, for all r up to 2^k, since longer ones then do, too. Both are tried.

import type { Piece } from './model-proto.js';

/** Longer runs are not tried: the time is that of the fourth power of their length. */
const LONGEST_RUN = 64;

export interface MergeOrder {
  /** Pieces of several characters, in the order of merging. */
  pieces: Piece[];
  /** The priority of each, the lowest first: equal for equal scores that no order of pieces can replace. */
  turns: number[];
  hasEquals: boolean;
}

export function mergeOrderOf(pieces: readonly Piece[]): MergeOrder {
  const keys = new Map(pieces.map((piece) => [piece, orderOfFloat(piece.score)]));
  const ordered = [...pieces].sort((a, b) => (keys.get(b) as number) - (keys.get(a) as number));
  const turns: number[] = [];
  let hasEquals = false;
  for (let begin = 0, end = 0; begin < ordered.length; begin = end) {
    const key = keys.get(ordered[begin] as Piece);
    for (end = begin + 1; end < ordered.length && keys.get(ordered[end] as Piece) === key; ) end++;
    const runs = end - begin > 1 ? inOrderOfRuns(ordered.slice(begin, end), pieces) : undefined;
    if (runs) ordered.splice(begin, end - begin, ...runs);
    const areEqual = end - begin > 1 && !runs;
    hasEquals ||= areEqual;
    for (let turn = begin; turn < end; turn++) turns.push(areEqual ? begin : turn);
  }
  return { pieces: ordered, turns, hasEquals };
}

const float = new Float32Array(1);
const bits = new Uint32Array(float.buffer);

/** As sentencepiece compares the bits of floats: −0 before 0. */
function orderOfFloat(score: number): number {
  float[0] = score;
  const raw = bits[0] as number;
  return raw >= 0x80000000 ? -(raw - 0x80000000) - 1 : raw;
}

/** Undefined if no such order exists. */
function inOrderOfRuns(equals: readonly Piece[], pieces: readonly Piece[]): Piece[] | undefined {
  const character = '\u2581';
  const runs = new Map<number, Piece>();
  for (const piece of equals) {
    const length = [...piece.text].length;
    if (piece.text !== character.repeat(length) || length > LONGEST_RUN) return undefined;
    runs.set(length, piece);
  }
  const twice = character.repeat(2);
  if (pieces.some((piece) => piece.text.includes(twice) && !equals.includes(piece))) return undefined;
  const lengths = [...runs.keys()].sort((a, b) => compareDigits(a, b));
  return areFromTheLeft(lengths) ? lengths.map((length) => runs.get(length) as Piece) : undefined;
}

/** Powers of two come first, then the others by their binary digits, the greater ones first, and what one begins with before it. */
function compareDigits(a: number, b: number): number {
  const [ofA, ofB] = [digitsOf(a), digitsOf(b)];
  const isPower = (digits: number[]) => digits.length === 1;
  if (isPower(ofA) !== isPower(ofB)) return isPower(ofA) ? -1 : 1;
  if (isPower(ofA)) return a - b;
  const differs = ofA.findIndex((digit, index) => digit !== ofB[index]);
  return differs < 0 ? -1 : (ofB[differs] ?? 0) - (ofA[differs] as number);
}

function digitsOf(length: number): number[] {
  const digits: number[] = [];
  for (let digit = 1 << 30; digit > 0; digit >>= 1) if (length & digit) digits.push(digit);
  return digits;
}

/** Whether merging runs in the order of their lengths equals merging from the left. */
function areFromTheLeft(lengths: readonly number[]): boolean {
  const longest = Math.max(...lengths);
  for (let digit = 2; digit <= longest; digit *= 2) if (!lengths.includes(digit)) return false;
  if (digitsOf(longest).length > 1) return false;
  const ranks = new Map(lengths.map((length, rank) => [length, rank]));
  const left = (count: number) => merged(count, () => 0, ranks);
  for (let count = 1; count <= 2 * longest; count++) {
    const result = left(count);
    const byRank = merged(count, (length) => ranks.get(length) as number, ranks);
    if (result.join() !== byRank.join()) return false;
    if (count > longest && result.join() !== [longest, ...left(count - longest)].join()) return false;
  }
  return true;
}

/** Merges a run of single characters: the pair of the lowest order first, the leftmost of equals. */
function merged(count: number, orderOf: (length: number) => number, ranks: ReadonlyMap<number, number>): number[] {
  const parts = new Array<number>(count).fill(1);
  for (;;) {
    let best = -1;
    let lowest = Infinity;
    for (let part = 0; part + 1 < parts.length; part++) {
      const length = (parts[part] as number) + (parts[part + 1] as number);
      if (!ranks.has(length) || orderOf(length) >= lowest) continue;
      lowest = orderOf(length);
      best = part;
    }
    if (best < 0) return parts;
    parts.splice(best, 2, (parts[best] as number) + (parts[best + 1] as number));
  }
}
