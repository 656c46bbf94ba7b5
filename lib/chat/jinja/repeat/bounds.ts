// Bounds of whole numbers.

/** The lowest and the highest number. */
export type Bounds = readonly [low: number, high: number];

export const ANY: Bounds = [-Infinity, Infinity];

/** What is in both. */
export function both(a: Bounds, b: Bounds): Bounds {
  if (a === ANY || a === b) return b;
  if (b === ANY) return a;
  return [Math.max(a[0], b[0]), Math.min(a[1], b[1])];
}

export function shifted(bounds: Bounds, by: number): Bounds {
  return bounds === ANY ? ANY : [bounds[0] + by, bounds[1] + by];
}

export function isIn([low, high]: Bounds, number: number): boolean {
  return low <= number && number <= high;
}
