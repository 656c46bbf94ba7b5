// Where the ids of a long text lie until it has ended: in the memory of the instance, so that each is copied out once. The
// room grows with the texts, and stays for the next one.

import { WINDOW, type WasmCore } from './wasm-core.js';

/** Ids that it holds at most: 4 MB of them. */
const MOST = 32 * WINDOW;
const GROWTH = 8;

export class IdRoom {
  readonly #core: WasmCore;
  /** The first one is the core's own room for a window. */
  #address: number;
  #size = WINDOW;

  constructor(core: WasmCore) {
    this.#core = core;
    this.#address = core.numbers;
  }

  /** The address behind `held` ids. */
  behind(held: number): number {
    return this.#address + 4 * held;
  }

  /** The first `held` ids, until the engine is called again. */
  ids(held: number): Uint32Array {
    const at = this.#address >>> 2;
    return this.#core.words.subarray(at, at + held);
  }

  /** Whether a window of ids fits behind those that are held; moves them, if it takes that. */
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

  /** Gives the memory back. */
  release(): void {
    if (this.#address !== this.#core.numbers) this.#core.engine.free(this.#address);
    this.#address = this.#core.numbers;
    this.#size = WINDOW;
  }
}
