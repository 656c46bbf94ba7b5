// Copies ids out of an instance's memory. A short result is a view of part of a pooled slab: the buffer of an array of
// more than a few ids lies outside JavaScript's heap, and allocating one takes longer than encoding a short text (2.5
// µs in Chromium; November 2026). A longer result owns a buffer of its exact size.

import type { UnsharedUint32Array } from '../base/typed-arrays.js';

/** The most ids of an array whose buffer is in the heap. */
const IN_HEAP = 16;
/** The longest result that goes into a slab: at most this much of an old slab is wasted. */
const POOLED_IDS = 256;
/** Small, since transferring a result transfers the other results of its slab too. */
const SLAB_IDS = 2048;
/** From this length, a bulk copy is faster than a loop. */
const BY_ONE = 64;

let slab = new Uint32Array(0);
let used = 0;
let protect: (slab: ArrayBuffer) => void = () => undefined;

/** Installs the host's way to make a buffer untransferable, if it has one. */
export function protectSlabs(untransferable: (slab: ArrayBuffer) => void): void {
  protect = untransferable;
}

/** A copy of words[at, at + count). */
export function copyOfIds(words: Uint32Array, at: number, count: number): UnsharedUint32Array {
  if (count > POOLED_IDS) return words.slice(at, at + count);
  const ids = count > IN_HEAP ? viewInSlab(count) : new Uint32Array(count);
  if (count > BY_ONE) ids.set(words.subarray(at, at + count));
  else for (let i = 0; i < count; i++) ids[i] = words[at + i] as number;
  return ids;
}

function viewInSlab(count: number): UnsharedUint32Array {
  // A slab that was nevertheless transferred has length 0.
  if (used + count > slab.length) {
    slab = new Uint32Array(SLAB_IDS);
    protect(slab.buffer);
    used = 0;
  }
  const view = new Uint32Array(slab.buffer, 4 * used, count);
  used += count;
  return view;
}
