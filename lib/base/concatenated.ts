// Arrays of bytes or ids one behind the other, joined at once.

import type { UnsharedUint32Array, UnsharedUint8Array } from './typed-arrays.js';

/** A new array of the parts' elements. */
export function concatenated<All extends UnsharedUint8Array | UnsharedUint32Array>(
  kind: new (length: number) => All,
  parts: readonly (Uint8Array | Uint32Array)[],
): All {
  const all = new kind(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
