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

const NOTHING: Uint8Array<ArrayBuffer> = new Uint8Array(0);

export function readWindows(file: TextFile, size: number): Windows {
  /** The room before each buffer. */
  const margin = size >> 3;
  /** The buffer being read into, and the previous window's, which is free by then. */
  let buffer = NOTHING;
  let other = NOTHING;
  let window: Uint8Array = NOTHING;
  let reading: Promise<number> | undefined;

  async function longer(rest: Uint8Array, part: Uint8Array, isRead: boolean): Promise<WindowText> {
    const missing = isRead ? 0 : Math.max(rest.length - part.length, 0);
    const bytes = new Uint8Array(rest.length + part.length + missing);
    await copy(rest, bytes, 0);
    await copy(part, bytes, rest.length);
    const begin = rest.length + part.length;
    const filled = missing > 0 ? await file.fill(bytes.subarray(begin)) : 0;
    window = bytes.subarray(0, begin + filled);
    return { text: window, last: isRead || filled < missing };
  }

  return {
    readAhead() {
      [buffer, other] = [other, buffer];
      if (buffer === NOTHING) buffer = takeBuffer(margin + size);
      reading = file.fill(buffer.subarray(margin, margin + size));
      reading.catch(() => undefined); // it is awaited later
    },
    async next(end) {
      const filled = (await reading) as number;
      const rest = window.subarray(end);
      const last = filled < size;
      if (rest.length > margin) return longer(rest, buffer.subarray(margin, margin + filled), last);
      const begin = margin - rest.length;
      buffer.set(rest, begin);
      window = buffer.subarray(begin, margin + filled);
      return { text: window, last };
    },
    close() {
      for (const each of [buffer, other]) if (each !== NOTHING) giveBuffer(each);
      buffer = other = NOTHING;
    },
  };
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

export function mappedWindows(file: TextFile, descriptor: number, fileSize: number, windowSize: number): Windows {
  /** The previous window. */
  let begin = 0;
  let length = 0;
  return {
    readAhead() {}, // the system does
    async next(end) {
      const rest = length - end;
      begin += end;
      // The window doubles, so that a piece that fills it is not read too often.
      length = Math.min(Math.max(windowSize, 2 * rest), fileSize - begin, MAX_MAPPED);
      const last = begin + length === fileSize;
      if (last) await file.checkUnchanged(begin);
      return { text: { path: file.path, descriptor, begin, length }, last };
    },
    close() {}, // the jobs own the mappings
  };
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
