// Finds the texts in lines of JSON by the addon, which leaves unusual lines to the caller.

import { addon, failed, missing } from './addon.js';

/** Texts of one call. */
const ROWS = 4096;
/** The most keys of a path. */
const KEYS = 16;

/** What a call has taken. */
export interface TakenTexts {
  /** Bytes of whole lines. */
  consumed: number;
  /** Bytes of texts, back to back. */
  produced: number;
  /** For each text that is not empty, where its line begins in the input, and its length. */
  rows: Uint32Array;
  /** Texts without bytes. */
  empty: number;
  /** Whether the next line is the caller's. */
  isStuck: boolean;
}

/** Takes the texts at a path of keys out of lines. */
export class JsonTexts {
  readonly #keys: Uint8Array;
  readonly #ends: Uint32Array;
  readonly #rows = new Uint32Array(2 * ROWS);
  readonly #progress = new Uint32Array(5);

  private constructor(keys: readonly string[]) {
    this.#keys = Buffer.from(keys.join(''));
    let end = 0;
    this.#ends = Uint32Array.from(keys, (key) => (end += Buffer.byteLength(key)));
  }

  /** Undefined without an addon, or for a path that it does not take. */
  static at(keys: readonly string[]): JsonTexts | undefined {
    // No line has half of a surrogate pair but by an escape.
    if (missing || keys.length > KEYS || keys.some((key) => /\p{Surrogate}/u.test(key))) return undefined;
    return new JsonTexts(keys);
  }

  /** Reads lines of UTF-8 until there are `maxBytes` bytes of texts, or a line is the caller's. `bytes` has room for all of the input. */
  read(input: Uint8Array, bytes: Uint8Array, maxBytes: number): TakenTexts {
    const answer = addon.jsonTexts('', this.#keys, this.#ends, input, bytes, maxBytes, this.#rows, this.#progress);
    if (answer === -1) throw failed('cannot read lines of JSON');
    const [consumed = 0, produced = 0, rows = 0, empty = 0, stuck = 0] = this.#progress;
    return { consumed, produced, rows: this.#rows.subarray(0, 2 * rows), empty, isStuck: stuck !== 0 };
  }
}
