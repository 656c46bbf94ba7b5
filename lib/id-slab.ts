// Ids that leave the memory of an instance. A short result is a view of its own part of a slab, since an array of more
// than a few ids has its memory outside of JavaScript's heap, which costs more to make than a short text to encode (in
// Chromium 2.5 µs; November 2026). A longer result owns its memory, which has its exact size.

/** Ids that an array holds in the heap itself, at most. */
const IN_HEAP = 16;
/** Longest result that goes into a slab: what is left of an old slab, at most this much, is the waste. */
const POOLED_IDS = 256;
/** A small slab: whoever transfers a result takes the others of its slab along. */
const SLAB_IDS = 2048;
/** From here on a call that copies is quicker than a loop. */
const BY_ONE = 64;

let slab = new Uint32Array(0);
let used = 0;
let protect: (slab: ArrayBuffer) => void = () => undefined;

/** Hands in what keeps a buffer from being transferred, where the host has that. */
export function protectSlabs(untransferable: (slab: ArrayBuffer) => void): void {
  protect = untransferable;
}

/** A copy of words[at, at + count). */
export function copyOfIds(words: Uint32Array, at: number, count: number): Uint32Array {
  if (count > POOLED_IDS) return words.slice(at, at + count);
  const ids = count > IN_HEAP ? placeInSlab(count) : new Uint32Array(count);
  if (count > BY_ONE) ids.set(words.subarray(at, at + count));
  else for (let i = 0; i < count; i++) ids[i] = words[at + i] as number;
  return ids;
}

function placeInSlab(count: number): Uint32Array {
  // One that has been transferred all the same has no length.
  if (used + count > slab.length) {
    slab = new Uint32Array(SLAB_IDS);
    protect(slab.buffer);
    used = 0;
  }
  const place = new Uint32Array(slab.buffer, 4 * used, count);
  used += count;
  return place;
}
