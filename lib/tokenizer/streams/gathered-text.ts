// Gathers short chunks of one text until an engine call is worth its cost, about that of encoding 50 to 200 bytes. Chunks
// are strings or bytes, not both.

import { textBytes } from '../arguments.js';
import { unexpected } from '../../base/errors.js';

/** The size, in UTF-16 units or bytes, from which an engine call is worthwhile. */
export const ENOUGH = 256;

export class GatheredText {
  /** Undefined before the first chunk. */
  #kind: 'string' | 'bytes' | undefined;
  #string = '';
  #bytes: Uint8Array = new Uint8Array(0);
  /** The number of bytes gathered. */
  #filled = 0;

  /** Adds a chunk. Returns all gathered text once there is enough, else undefined. Returned bytes may be the caller's. */
  add(chunk: unknown): string | Uint8Array | undefined {
    if (typeof chunk === 'string') {
      if (this.#kind !== 'string') this.#choose('string', chunk);
      this.#string += chunk;
      return this.#string.length < ENOUGH ? undefined : this.take(false);
    }
    const bytes = textBytes(chunk, 'chunk');
    if (this.#kind !== 'bytes') this.#choose('bytes', chunk);
    const before = this.#filled;
    this.#filled += bytes.length;
    if (this.#filled < ENOUGH) {
      this.#bytes.set(bytes, before);
      return undefined;
    }
    this.#filled = 0;
    if (before === 0) return bytes;
    const all = new Uint8Array(before + bytes.length);
    all.set(this.#bytes.subarray(0, before));
    all.set(bytes, before);
    return all;
  }

  /** Returns the text gathered so far. Unless it is the `last`, a trailing half of a surrogate pair waits for the other half. */
  take(last: boolean): string | Uint8Array {
    if (this.#kind === 'bytes') {
      const bytes = this.#bytes.subarray(0, this.#filled);
      this.#filled = 0;
      return bytes;
    }
    const text = this.#string;
    const waits = !last && endsInHalf(text, text.length);
    this.#string = waits ? text.slice(-1) : '';
    return waits ? text.slice(0, -1) : text;
  }

  #choose(kind: 'string' | 'bytes', chunk: unknown): void {
    if (this.#kind !== undefined) {
      throw unexpected(`${kind === 'bytes' ? 'a string' : 'a Uint8Array'}, as before,`, 'chunk', chunk);
    }
    this.#kind = kind;
    if (kind === 'bytes') this.#bytes = new Uint8Array(ENOUGH);
  }
}

/** Whether text[0, end) ends with the first half of a surrogate pair. */
export function endsInHalf(text: string, end: number): boolean {
  return (text.charCodeAt(end - 1) & 0xfc00) === 0xd800;
}
