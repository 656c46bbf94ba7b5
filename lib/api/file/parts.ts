// The two ways to encode a file: by threads, window by window, or by the calling thread.

import { inTimeSlices, type Work } from '../../base/time-slices.js';
import type { MappedPart, WindowEncoder } from '../../engine/background.js';
import { feedInSlices } from '../../engine/encode-in-slices.js';
import type { TextSession } from '../../engine/engine.js';
import type { TextFile } from '../../io/text-file.js';
import type { FilePart, Reading } from '../host.js';

/** The next part of a file; undefined at the end. Not called again before it settles, or after a failure. */
export type NextPart = () => Promise<FilePart | undefined>;

/** A window of a text, and whether the text ends with it. */
export interface WindowText {
  text: Uint8Array | MappedPart;
  last: boolean;
}

/** A text in windows. */
export interface Windows {
  /** Starts to read the new part of the next window. The window before the previous one is no longer needed. */
  readAhead(): void;
  /** The next window: the previous one from byte `end` on, followed by new bytes. */
  next(end: number): Promise<WindowText>;
  /** Releases the memory of all windows, after the last one is encoded. Not called after a failure, when some may be in use. */
  close(): void;
}

/**
 * The result of a promise; rejects immediately on abort. `begin`: the position in the file of the window that a failure
 * refers to.
 */
export type Wait = <Result>(promise: Promise<Result>, begin?: number) => Promise<Result>;

/**
 * Threads encode window by window, at most one ahead of the caller's requests. The ids of a window end a little before it does, usually
 * within a hundred bytes; the rest begins the next window.
 */
export function partsInWindows(windows: Windows, encoder: WindowEncoder, { counting }: Reading, wait: Wait): NextPart {
  // Failures are awaited later, when the caller asks for the next part.
  const begun = (end: number) => {
    const window = windows.next(end).then(({ text, last }) => {
      const job = encoder.encode(text, last);
      job.encoded.catch(() => undefined);
      return { last, job };
    });
    window.catch(() => undefined);
    return window;
  };
  windows.readAhead();
  let next: ReturnType<typeof begun> | undefined = begun(0);
  let position = 0;
  return async () => {
    if (!next) return undefined;
    const begin = position;
    const { last, job } = await wait(next);
    if (!last) windows.readAhead();
    const { tokens, end } = await wait(job.encoded, begin);
    position = begin + end;
    next = last ? undefined : begun(end);
    const ids = counting ? new Uint32Array(0) : job.ids();
    job.release();
    if (last) windows.close();
    return { ids, tokens, begin, end: position };
  };
}

/** Bytes that the calling thread reads at a time. */
const READ = 1024 * 1024;

/** The calling thread encodes in turns of the event loop, where there are no other threads: the file is one text of a session. */
export function partsInTurns(
  file: TextFile,
  session: Required<TextSession>,
  { counting, window = READ }: Reading,
  wait: Wait,
  signal: AbortSignal | undefined,
): NextPart {
  const bytes = new Uint8Array(window);
  let isLast = false;
  let position = 0;
  let counted = 0;
  function* feed(length: number): Work<number> {
    yield* feedInSlices(session, bytes.subarray(0, length), () => undefined, false);
    return session.feed(bytes.subarray(0, 0), isLast);
  }
  return async () => {
    if (isLast) return undefined;
    const filled = await wait(file.fill(bytes));
    isLast = filled < bytes.length;
    const total = await inTimeSlices(feed(filled), signal);
    const tokens = total - counted;
    if (counting) counted = total;
    const begin = position;
    position = session.position();
    return { ids: counting ? new Uint32Array(0) : session.take(), tokens, begin, end: position };
  };
}
