// The two ways to encode a file: by threads, window by window, or by the calling thread.

import { inTimeSlices, type Work } from '../../base/time-slices.js';
import type { MappedPart, WindowEncoder, WindowJob } from '../../engine/background.js';
import { feedInSlices } from '../../engine/encode-in-slices.js';
import type { TextSession } from '../../engine/engine.js';
import type { TextFile } from '../../io/text-file.js';
import type { FilePart, Reading } from '../host.js';

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

/**
 * The result of a promise; rejects immediately on abort. `begin`: the position in the file of the window that a failure
 * refers to.
 */
export type Wait = <Result>(promise: Promise<Result>, begin?: number) => Promise<Result>;

/**
 * Threads encode window by window, at most one ahead of the caller's requests. The ids of a window end a little before it does, usually
 * within a hundred bytes; the rest begins the next window.
 */
export class PartsInWindows implements Parts {
  readonly #encoder: WindowEncoder;
  readonly #counting: boolean;
  readonly #wait: Wait;
  readonly #windows: Windows;
  /** The next window, with its job; undefined at the end. */
  #next: Promise<Begun> | undefined;
  #begin = 0;

  constructor(windows: Windows, encoder: WindowEncoder, { counting }: Reading, wait: Wait) {
    this.#encoder = encoder;
    this.#counting = counting;
    this.#wait = wait;
    this.#windows = windows;
    this.#windows.readAhead();
    this.#next = this.#begun(0);
  }

  async next(): Promise<FilePart | undefined> {
    if (!this.#next) return undefined;
    const begin = this.#begin;
    const { last, job } = await this.#wait(this.#next);
    if (!last) this.#windows.readAhead();
    const { tokens, end } = await this.#wait(job.encoded, begin);
    this.#begin = begin + end;
    this.#next = last ? undefined : this.#begun(end);
    const ids = this.#counting ? new Uint32Array(0) : job.ids();
    job.release();
    if (last) this.#windows.close();
    return { ids, tokens, begin, end: this.#begin };
  }

  // Failures here are awaited later, when the caller asks for the next part.
  #begun(end: number): Promise<Begun> {
    const begun = this.#windows.next(end).then(({ text, last }) => {
      const job = this.#encoder.encode(text, last);
      job.encoded.catch(() => undefined);
      return { last, job };
    });
    begun.catch(() => undefined);
    return begun;
  }
}

interface Begun {
  last: boolean;
  job: WindowJob;
}

/** Bytes that the calling thread reads at a time. */
const READ = 1024 * 1024;

/** The calling thread encodes in turns of the event loop, where there are no other threads: the file is one text of a session. */
export class PartsInTurns implements Parts {
  readonly #file: TextFile;
  readonly #session: Required<TextSession>;
  readonly #counting: boolean;
  readonly #wait: Wait;
  readonly #signal: AbortSignal | undefined;
  readonly #bytes: Uint8Array;
  #isLast = false;
  #begin = 0;
  #counted = 0;

  constructor(
    file: TextFile,
    session: Required<TextSession>,
    { counting, window = READ }: Reading,
    wait: Wait,
    signal: AbortSignal | undefined,
  ) {
    this.#file = file;
    this.#session = session;
    this.#counting = counting;
    this.#wait = wait;
    this.#signal = signal;
    this.#bytes = new Uint8Array(window);
  }

  async next(): Promise<FilePart | undefined> {
    if (this.#isLast) return undefined;
    const filled = await this.#wait(this.#file.fill(this.#bytes));
    this.#isLast = filled < this.#bytes.length;
    const total = await inTimeSlices(this.#feed(filled), this.#signal);
    const tokens = total - this.#counted;
    if (this.#counting) this.#counted = total;
    const begin = this.#begin;
    this.#begin = this.#session.position();
    return { ids: this.#counting ? new Uint32Array(0) : this.#session.take(), tokens, begin, end: this.#begin };
  }

  /** Feeds what has been read; returns the session's total. */
  *#feed(length: number): Work<number> {
    yield* feedInSlices(this.#session, this.#bytes.subarray(0, length), () => undefined, false);
    return this.#session.feed(NOTHING, this.#isLast);
  }
}

const NOTHING = new Uint8Array(0);
