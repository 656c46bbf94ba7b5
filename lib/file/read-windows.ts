// Windows of a file that is read. Two buffers alternate: while one is being encoded, the next part of the file is read into the
// other.
//
//   buffer   [ margin | a part of the file ]      window = the rest of the previous one, put into the margin, and the part
//
// The rest does not fit into the margin if a piece is long, such as megabytes of one letter. The next window then has its own
// memory, at least twice as long as the rest, so that a piece is read again only as often as it doubles: the time is linear in
// the file.

import { pause } from '../base/pause.js';
import type { ByteSource, Windows, WindowText } from './parts.js';
import { giveBuffer, takeBuffer } from './window-buffers.js';

/** Bytes to copy between two turns of the event loop: a fraction of a millisecond. */
const COPIED = 1024 * 1024;

const NOTHING = new Uint8Array(0);

export class ReadWindows implements Windows {
  readonly #source: ByteSource;
  readonly #size: number;
  /** The room before each buffer. */
  readonly #margin: number;
  /** The buffer being read into, and the previous window's, which is free by then. */
  #buffer = NOTHING;
  #other = NOTHING;
  #window: Uint8Array = NOTHING;
  #reading: Promise<number> | undefined;

  constructor(source: ByteSource, size: number) {
    this.#source = source;
    this.#size = size;
    this.#margin = size >> 3;
  }

  /** Starts reading the next part. The window before the last one is no longer needed. */
  readAhead(): void {
    [this.#buffer, this.#other] = [this.#other, this.#buffer];
    if (this.#buffer === NOTHING) this.#buffer = takeBuffer(this.#margin + this.#size);
    this.#reading = this.#source.fill(this.#buffer.subarray(this.#margin, this.#margin + this.#size));
    this.#reading.catch(() => undefined); // it is awaited later
  }

  /** The next window: the rest of the previous one, followed by the bytes of `readAhead`. */
  async next(end: number): Promise<WindowText> {
    const filled = (await this.#reading) as number;
    const rest = this.#window.subarray(end);
    const last = filled < this.#size;
    const margin = this.#margin;
    if (rest.length > margin) return this.#longer(rest, this.#buffer.subarray(margin, margin + filled), last);
    const begin = margin - rest.length;
    this.#buffer.set(rest, begin);
    this.#window = this.#buffer.subarray(begin, margin + filled);
    return { text: this.#window, last };
  }

  close(): void {
    for (const buffer of [this.#buffer, this.#other]) if (buffer !== NOTHING) giveBuffer(buffer);
    this.#buffer = this.#other = NOTHING;
  }

  async #longer(rest: Uint8Array, part: Uint8Array, isRead: boolean): Promise<WindowText> {
    const missing = isRead ? 0 : Math.max(rest.length - part.length, 0);
    const bytes = new Uint8Array(rest.length + part.length + missing);
    await copy(rest, bytes, 0);
    await copy(part, bytes, rest.length);
    const begin = rest.length + part.length;
    const filled = missing > 0 ? await this.#source.fill(bytes.subarray(begin)) : 0;
    this.#window = bytes.subarray(0, begin + filled);
    return { text: this.#window, last: isRead || filled < missing };
  }
}

/** Copies many bytes without blocking the thread. */
async function copy(from: Uint8Array, to: Uint8Array, offset: number): Promise<void> {
  for (let at = 0; at < from.length; at += COPIED) {
    if (at > 0) await pause();
    to.set(from.subarray(at, at + COPIED), offset + at);
  }
}
