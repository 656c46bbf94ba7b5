// Collects numbers for a Uint32Array of unknown length. The engine writes them to a chunk, and each is copied out once. Fresh memory
// costs more than the copy, so chunks for a window are kept for the next user, and the largest one until the garbage collector takes it.

import type { UnsharedUint32Array } from '../base/typed-arrays.js';

/** Sizes: of a chunk for few numbers, which its user keeps; of one for a window of text; of the largest. */
const SMALL = 1024;
const WINDOW = 64 * 1024;
const LARGE = 1024 * 1024;

/** Up to this many, a loop is faster than a bulk copy. */
const BY_ONE = 32;

const NONE: Uint32Array = new Uint32Array(0);
/** Unused chunks: of windows, as many as a session uses, and a larger one. */
const smallSpares: Uint32Array[] = [];
const spares: Uint32Array[] = [];
const MAX_SPARES = 2;
let largeSpare: WeakRef<Uint32Array> | undefined;

function newChunk(size: number): Uint32Array {
  if (size <= SMALL) return smallSpares.pop() ?? new Uint32Array(SMALL);
  if (size <= WINDOW) return spares.pop() ?? new Uint32Array(WINDOW);
  const known = largeSpare?.deref();
  if (known === undefined || known.length < size) return new Uint32Array(size);
  largeSpare = undefined;
  return known;
}

function discard(chunk: Uint32Array): void {
  if (chunk.length === SMALL && smallSpares.length < MAX_SPARES) smallSpares.push(chunk);
  else if (chunk.length === WINDOW && spares.length < MAX_SPARES) spares.push(chunk);
  else if (chunk.length > (largeSpare?.deref()?.length ?? WINDOW)) largeSpare = new WeakRef(chunk);
}

function copyOf(numbers: Uint32Array, count: number): UnsharedUint32Array {
  if (count > BY_ONE) return numbers.slice(0, count) as UnsharedUint32Array;
  const copy = new Uint32Array(count);
  for (let i = 0; i < count; i++) copy[i] = numbers[i] as number;
  return copy;
}

export class NumberChunks {
  #full: Uint32Array[] = [];
  #top: Uint32Array = NONE;
  #used = 0; // in the last chunk
  #count = 0;

  /** The number of collected numbers. */
  get count(): number {
    return this.#count;
  }

  /** Room for the next numbers: at least `least`, and no more than `expected` if that is greater. */
  room(least: number, expected: number): Uint32Array {
    if (this.#top.length - this.#used < least) {
      if (this.#used > 0) this.#full.push(this.#top.subarray(0, this.#used));
      this.#top = newChunk(Math.max(Math.min(Math.max(this.#count, expected), LARGE), least));
      this.#used = 0;
    }
    const end = this.#used + Math.max(least, expected);
    if (this.#used === 0 && this.#top.length <= Math.max(end, SMALL)) return this.#top;
    return this.#top.subarray(this.#used, Math.min(end, this.#top.length));
  }

  /** The first numbers of the room have been written. */
  add(count: number): void {
    this.#used += count;
    this.#count += count;
  }

  append(numbers: Uint32Array): void {
    this.room(numbers.length, numbers.length).set(numbers);
    this.add(numbers.length);
  }

  /** Gives up the memory: there are no numbers left. */
  end(): void {
    discard(this.#top);
    this.#top = NONE;
    this.#full = [];
    this.#used = this.#count = 0;
  }

  /** Returns all numbers and removes them. */
  take(): UnsharedUint32Array {
    let all: UnsharedUint32Array;
    if (this.#full.length === 0) {
      all = copyOf(this.#top, this.#used);
    } else {
      all = new Uint32Array(this.#count);
      let at = 0;
      for (const chunk of this.#full) {
        all.set(chunk, at);
        at += chunk.length;
        discard(new Uint32Array(chunk.buffer));
      }
      all.set(this.#top.subarray(0, this.#used), at);
      this.#full = [];
    }
    if (this.#top.length > SMALL) {
      discard(this.#top);
      this.#top = NONE;
    }
    this.#used = this.#count = 0;
    return all;
  }
}
