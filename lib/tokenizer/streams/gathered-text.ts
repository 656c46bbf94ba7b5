// Short chunks of one text, gathered until a call of the engine pays, which costs as much as encoding 50 to 200 bytes. The
// chunks are strings, or bytes, not both.

import { textBytes } from '../arguments.js';
import { unexpected } from '../../base/errors.js';

/** The units, of UTF-16 or bytes, from which a call of the engine pays. */
export const ENOUGH = 256;

export class GatheredText {
  /** Undefined before the first chunk. */
  #kind: 'string' | 'bytes' | undefined;
  #string = '';
  #bytes: Uint8Array = new Uint8Array(0);
  /** How many bytes there are. */
  #filled = 0;

  /** Adds a chunk. Returns all the text there is once it is enough, else undefined. Bytes may be those of the caller. */
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

  /** Returns the text gathered so far. Unless it is the `last`, half of a surrogate pair at its end waits for the other. */
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

/** Whether text[0, end) ends in the first half of a surrogate pair. */
export function endsInHalf(text: string, end: number): boolean {
  return (text.charCodeAt(end - 1) & 0xfc00) === 0xd800;
}
