// The buffer for the ids of a long text until it ends, in the instance's memory, so that each id is copied out only
// once. It grows as needed and is reused for the next text.

import { WINDOW, type WasmCore } from './core.js';

/** The most ids that it holds: 4 MB. */
const MOST = 32 * WINDOW;
const GROWTH = 8;

export class IdBuffer {
  readonly #core: WasmCore;
  /** The first buffer is the core's own, for a window. */
  #address: number;
  #size = WINDOW;

  constructor(core: WasmCore) {
    this.#core = core;
    this.#address = core.numbers;
  }

  /** The address after `held` ids. */
  behind(held: number): number {
    return this.#address + 4 * held;
  }

  /** The first `held` ids, valid until the next call into the engine. */
  ids(held: number): Uint32Array {
    const at = this.#address >>> 2;
    return this.#core.words.subarray(at, at + held);
  }

  /** Whether a window of ids fits after the held ones; moves to a larger buffer if necessary. */
  fits(held: number): boolean {
    if (this.#size - held >= WINDOW) return true;
    const size = Math.min(GROWTH * this.#size, MOST);
    if (size - held < WINDOW) return false;
    const address = this.#core.engine.malloc(4 * size) >>> 0;
    if (address === 0) return false;
    const from = this.#address >>> 2;
    this.#core.words.copyWithin(address >>> 2, from, from + held);
    this.release();
    this.#address = address;
    this.#size = size;
    return true;
  }

  /** Releases the memory. */
  release(): void {
    if (this.#address !== this.#core.numbers) this.#core.engine.free(this.#address);
    this.#address = this.#core.numbers;
    this.#size = WINDOW;
  }
}
