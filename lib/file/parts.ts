// What the two ways to encode a file have in common. Types only.

import type { FilePart } from '../tokenizer/host.js';

/** The parts of a file, one after another. */
export interface Parts {
  /** Undefined at the end. Not called again before it is settled, nor after a failure. */
  next(): Promise<FilePart | undefined>;
}

/** A window of a text, and whether the text ends with it. */
export interface WindowText {
  bytes: Uint8Array;
  last: boolean;
}

/** A text in windows. */
export interface Windows {
  /** Begins with what the next window has that the one before has not. The one before that is not needed any more. */
  readAhead(): void;
  /** The next window: `rest`, the end of the one before, and what follows. */
  next(rest: Uint8Array): Promise<WindowText>;
  /** Lets go of the memory of all windows, after the last one is encoded. Not called after a failure, when some may be in use. */
  close(): void;
}

/** What is read from its beginning to its end. */
export interface ByteSource {
  /** Reads the next bytes, as many as there is room for, fewer only at the end. Returns how many. */
  fill(target: Uint8Array): Promise<number>;
}

/**
 * The result of a promise; when the work is aborted, a rejection at once. `begin`: where in the file the window begins that a
 * failure is about.
 */
export type Wait = <Result>(promise: Promise<Result>, begin?: number) => Promise<Result>;
