// Copies of sequences. A short one is a view of part of a slab: the buffer of an array of more than a few bytes lies
// outside JavaScript's heap, and allocating one takes half a microsecond, longer than parsing a short read.

import type { UnsharedUint8Array } from '../base/typed-arrays.js';

/** The longest copy in a slab: at most this much of a slab is wasted. */
const POOLED = 2048;
/** Small, because keeping one copy keeps its whole slab. */
const SLAB = 32 * 1024;

export class Copies {
  readonly #protect: (slab: ArrayBuffer) => void;
  #slab = new ArrayBuffer(0);
  #used = 0;

  /** `protect`: makes a buffer untransferable, if the host can: transferring it would take other copies with it. */
  constructor(protect: (slab: ArrayBuffer) => void = () => undefined) {
    this.#protect = protect;
  }

  /** A copy of bytes[begin, end). */
  of(bytes: Uint8Array, begin: number, end: number): UnsharedUint8Array {
    if (end - begin > POOLED) return bytes.slice(begin, end);
    const copy = this.allocate(end - begin);
    copy.set(bytes.subarray(begin, end));
    return copy;
  }

  /** Unshared bytes, all 0. */
  allocate(length: number): UnsharedUint8Array {
    if (length > POOLED) return new Uint8Array(length);
    // A slab that was nevertheless transferred has length 0.
    if (this.#used + length > this.#slab.byteLength) {
      this.#slab = new ArrayBuffer(SLAB);
      this.#protect(this.#slab);
      this.#used = 0;
    }
    const part = new Uint8Array(this.#slab, this.#used, length);
    this.#used += length;
    return part;
  }
}
