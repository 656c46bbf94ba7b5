// Collects numbers for a Uint32Array of unknown length. Each is copied in and out once. Fresh memory costs more than
// the copy, so the largest chunk is reused until the garbage collector takes it.

import type { UnsharedUint32Array } from '../base/typed-arrays.js';

const SMALLEST = 1024;
const LARGEST = 1024 * 1024;

const NONE: Uint32Array = new Uint32Array(0);
/** An unused chunk. */
let spare: WeakRef<Uint32Array> | undefined;

function newChunk(size: number): Uint32Array {
  const known = spare?.deref();
  if (known === undefined || known.length < size) return new Uint32Array(size);
  spare = undefined;
  return known;
}

function discard(chunk: Uint32Array): void {
  if (chunk.length > SMALLEST && chunk.length > (spare?.deref()?.length ?? 0)) spare = new WeakRef(chunk);
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

  append(numbers: Uint32Array): void {
    let rest = numbers;
    while (rest.length > this.#top.length - this.#used) {
      const free = this.#top.length - this.#used;
      this.#top.set(rest.subarray(0, free), this.#used);
      rest = rest.subarray(free);
      if (this.#top.length > 0) this.#full.push(this.#top);
      this.#count += free;
      this.#top = newChunk(Math.min(Math.max(this.#count, SMALLEST), LARGEST));
      this.#used = 0;
    }
    this.#top.set(rest, this.#used);
    this.#used += rest.length;
    this.#count += rest.length;
  }

  /** Returns all numbers and removes them. */
  take(): UnsharedUint32Array {
    const all = new Uint32Array(this.#count);
    let at = 0;
    for (const chunk of this.#full) {
      all.set(chunk, at);
      at += chunk.length;
    }
    all.set(this.#top.subarray(0, this.#used), at);
    this.#full.push(this.#top);
    for (const chunk of this.#full) discard(chunk);
    this.#full = [];
    this.#top = NONE;
    this.#used = 0;
    this.#count = 0;
    return all;
  }
}
