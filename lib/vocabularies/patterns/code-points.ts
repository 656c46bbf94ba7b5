// Sets of code points, as ascending ranges that neither overlap nor touch.

/** First and last code point of each range. */
export type CodePoints = readonly (readonly [first: number, last: number])[];

export const LAST_CODE_POINT = 0x10ffff;
export const NONE: CodePoints = [];
export const ALL: CodePoints = [[0, LAST_CODE_POINT]];

export function codePoints(...ranges: (readonly [number, number])[]): CodePoints {
  const result: [number, number][] = [];
  for (const [first, last] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const before = result.at(-1);
    if (before && first <= before[1] + 1) before[1] = Math.max(before[1], last);
    else result.push([first, last]);
  }
  return result;
}

export function characters(text: string): CodePoints {
  return codePoints(...Array.from(text, (character): [number, number] => [character.codePointAt(0)!, character.codePointAt(0)!]));
}

export function union(...sets: CodePoints[]): CodePoints {
  return codePoints(...sets.flat());
}

export function complement(set: CodePoints): CodePoints {
  const result: [number, number][] = [];
  let next = 0;
  for (const [first, last] of set) {
    if (first > next) result.push([next, first - 1]);
    next = last + 1;
  }
  if (next <= LAST_CODE_POINT) result.push([next, LAST_CODE_POINT]);
  return result;
}

export function intersection(...sets: CodePoints[]): CodePoints {
  return complement(union(...sets.map(complement)));
}

export function has(set: CodePoints, codePoint: number): boolean {
  let low = 0;
  let high = set.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (set[middle]![1] < codePoint) low = middle + 1;
    else high = middle;
  }
  return low < set.length && set[low]![0] <= codePoint;
}
