// The common interface of the two ways to encode a file. Types only.

import type { MappedPart } from '../engine/background.js';
import type { FilePart } from '../tokenizer/host.js';

/** The parts of a file, one after another. */
export interface Parts {
  /** Undefined at the end. Not called again before it settles, or after a failure. */
  next(): Promise<FilePart | undefined>;
}

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

/** A source read from beginning to end. */
export interface ByteSource {
  /** Reads the next bytes, as many as fit, fewer only at the end. Returns how many. */
  fill(target: Uint8Array): Promise<number>;
}

/**
 * The result of a promise; rejects immediately on abort. `begin`: the position in the file of the window that a failure
 * refers to.
 */
export type Wait = <Result>(promise: Promise<Result>, begin?: number) => Promise<Result>;
