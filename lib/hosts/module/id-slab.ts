// Copies ids out of an instance's memory. A short result is a view of part of a pooled slab: the buffer of an array of
// more than a few ids lies outside JavaScript's heap, and allocating one takes longer than encoding a short text (2.5
// µs in Chromium; November 2026). A longer result owns a buffer of its exact size.

import type { UnsharedUint32Array } from '../../base/typed-arrays.js';

/** The most ids of an array whose buffer is in the heap. */
const IN_HEAP = 16;
/** The longest result that goes into a slab: at most this much of an old slab is wasted. */
const POOLED_IDS = 256;
/** Small, since transferring a result transfers the other results of its slab too. */
const SLAB_IDS = 2048;
/** From this length, a bulk copy is faster than a loop. */
const BY_ONE = 64;

export class IdSlab {
  readonly #protect: (buffer: ArrayBuffer) => void;
  #slab = new Uint32Array(0);
  #used = 0;

  /** `protect`: makes a buffer untransferable, on hosts that can. */
  constructor(protect: (buffer: ArrayBuffer) => void) {
    this.#protect = protect;
  }

  /** A copy of words[at, at + count). */
  copy(words: Uint32Array, at: number, count: number): UnsharedUint32Array {
    if (count > POOLED_IDS) return words.slice(at, at + count);
    const ids = count > IN_HEAP ? this.#view(count) : new Uint32Array(count);
    if (count > BY_ONE) ids.set(words.subarray(at, at + count));
    else for (let i = 0; i < count; i++) ids[i] = words[at + i] as number;
    return ids;
  }

  #view(count: number): UnsharedUint32Array {
    // A slab that was nevertheless transferred has length 0.
    if (this.#used + count > this.#slab.length) {
      this.#slab = new Uint32Array(SLAB_IDS);
      this.#protect(this.#slab.buffer as ArrayBuffer);
      this.#used = 0;
    }
    const view = new Uint32Array(this.#slab.buffer as ArrayBuffer, 4 * this.#used, count);
    this.#used += count;
    return view;
  }
}
