// Windows of a file that is read. Two buffers alternate: while one is being encoded, the next part of the file is read into the
// other.
//
//   buffer   [ margin | a part of the file ]      window = the rest of the previous one, put into the margin, and the part
//
// The rest does not fit into the margin if a piece is long, such as megabytes of one letter. The next window then has its own
// memory, at least twice as long as the rest, so that a piece is read again only as often as it doubles: the time is linear in
// the file.

import { pause } from '../../base/time-slices.js';
import type { TextFile } from '../../io/text-file.js';
import type { Windows, WindowText } from './parts.js';

/** Bytes to copy between two turns of the event loop: a fraction of a millisecond. */
const COPIED = 1024 * 1024;

const NOTHING = new Uint8Array(0);

export class ReadWindows implements Windows {
  readonly #file: TextFile;
  readonly #size: number;
  /** The room before each buffer. */
  readonly #margin: number;
  /** The buffer being read into, and the previous window's, which is free by then. */
  #buffer = NOTHING;
  #other = NOTHING;
  #window: Uint8Array = NOTHING;
  #reading: Promise<number> | undefined;

  constructor(file: TextFile, size: number) {
    this.#file = file;
    this.#size = size;
    this.#margin = size >> 3;
  }

  readAhead(): void {
    [this.#buffer, this.#other] = [this.#other, this.#buffer];
    if (this.#buffer === NOTHING) this.#buffer = takeBuffer(this.#margin + this.#size);
    this.#reading = this.#file.fill(this.#buffer.subarray(this.#margin, this.#margin + this.#size));
    this.#reading.catch(() => undefined); // it is awaited later
  }

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
    const filled = missing > 0 ? await this.#file.fill(bytes.subarray(begin)) : 0;
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

// Windows of a mapped file: each is a separate mapping, which its job makes and owns. The rest of a window is mapped again as the
// beginning of the next one.

/** The most bytes of a mapping. The engine rejects texts of half that size, with TEXT_TOO_LONG. */
const MAX_MAPPED = 2 ** 32 - 1;

export class MappedWindows implements Windows {
  readonly #file: TextFile;
  readonly #descriptor: number;
  readonly #fileSize: number;
  readonly #windowSize: number;
  /** The previous window. */
  #begin = 0;
  #length = 0;

  constructor(file: TextFile, descriptor: number, sizes: { file: number; window: number }) {
    this.#file = file;
    this.#descriptor = descriptor;
    this.#fileSize = sizes.file;
    this.#windowSize = sizes.window;
  }

  /** The system reads ahead. */
  readAhead(): void {}

  async next(end: number): Promise<WindowText> {
    const rest = this.#length - end;
    const begin = (this.#begin += end);
    // The window doubles, so that a piece that fills it is not read too often.
    const length = (this.#length = Math.min(Math.max(this.#windowSize, 2 * rest), this.#fileSize - begin, MAX_MAPPED));
    const last = begin + length === this.#fileSize;
    if (last) await this.#file.checkUnchanged(begin);
    return { text: { path: this.#file.path, descriptor: this.#descriptor, begin, length }, last };
  }

  /** Jobs own the mappings. */
  close(): void {}
}

// Read buffers, reused from one file to the next. V8 counts the bytes of new buffers and collects the whole heap every few tens
// of MB, which took a tenth of the time of files of 10 MB.

/** One file's buffers. */
const MAX_SPARES = 2;

/** Weak: they are released when memory is scarce or a collection runs anyway. */
const spares: WeakRef<Uint8Array<ArrayBuffer>>[] = [];

/** A buffer of at least this length, which may contain bytes of an earlier file. */
function takeBuffer(length: number): Uint8Array<ArrayBuffer> {
  while (spares.length > 0) {
    const spare = spares.pop()?.deref();
    if (spare && spare.length >= length) return spare;
  }
  return new Uint8Array(length);
}

/** Returns a buffer that nothing reads or writes any more. */
function giveBuffer(buffer: Uint8Array<ArrayBuffer>): void {
  if (spares.length < MAX_SPARES) spares.push(new WeakRef(buffer));
}
