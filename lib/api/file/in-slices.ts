// The tokens of a file on this thread, in turns, for hosts without other threads: one text of a session, fed in the
// parts that are read.

import type { TextSession } from '../../engine/engine.js';
import type { FilePart, Reading } from '../host.js';
import { inTimeSlices, SLICE, type Work } from '../../base/time-slices.js';
import type { ByteSource, Parts, Wait } from './parts.js';

/** Bytes to read at a time. */
const WINDOW = 1024 * 1024;

export class PartsInTurns implements Parts {
  readonly #source: ByteSource;
  readonly #session: Required<TextSession>;
  readonly #counting: boolean;
  readonly #wait: Wait;
  readonly #signal: AbortSignal | undefined;
  /** The bytes being read, and the previous part. */
  #bytes: Uint8Array;
  #other: Uint8Array;
  #reading: Promise<number> | undefined;
  #begin = 0;
  #counted = 0;

  constructor(
    source: ByteSource,
    session: Required<TextSession>,
    { counting, window = WINDOW }: Reading,
    wait: Wait,
    signal: AbortSignal | undefined,
  ) {
    this.#source = source;
    this.#session = session;
    this.#counting = counting;
    this.#wait = wait;
    this.#signal = signal;
    this.#bytes = new Uint8Array(window);
    this.#other = new Uint8Array(window);
    this.#readAhead();
  }

  async next(): Promise<FilePart | undefined> {
    if (!this.#reading) return undefined;
    const filled = await this.#wait(this.#reading);
    const last = filled < this.#bytes.length;
    const bytes = this.#bytes.subarray(0, filled);
    [this.#bytes, this.#other] = [this.#other, this.#bytes];
    if (last) this.#reading = undefined;
    else this.#readAhead();
    const total = await inTimeSlices(feed(this.#session, bytes, last), this.#signal);
    const tokens = total - this.#counted;
    if (this.#counting) this.#counted = total;
    const begin = this.#begin;
    this.#begin = this.#session.position();
    return { ids: this.#counting ? new Uint32Array(0) : this.#session.take(), tokens, begin, end: this.#begin };
  }

  #readAhead(): void {
    this.#reading = this.#source.fill(this.#bytes);
    this.#reading.catch(() => undefined); // it is awaited later
  }
}

/** Feeds a part; returns the session's total. */
function* feed(session: TextSession, bytes: Uint8Array, last: boolean): Work<number> {
  let at = 0;
  for (; bytes.length - at > SLICE; at += SLICE) {
    session.feed(bytes.subarray(at, at + SLICE), false);
    yield;
  }
  return session.feed(bytes.subarray(at), last);
}
