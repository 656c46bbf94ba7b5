// Joins ids that arrived in parts into one array.

import type { Work } from './time-slices.js';
import type { UnsharedUint32Array } from './typed-arrays.js';

/** Joins the parts, one between two checks of the clock. */
export function* joined(parts: readonly UnsharedUint32Array[]): Work<UnsharedUint32Array> {
  const [only] = parts;
  if (only && parts.length === 1) return only;
  const all = new Uint32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
    yield;
  }
  return all;
}
