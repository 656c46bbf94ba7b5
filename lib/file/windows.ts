// The tokens of a file, encoded by the threads window by window. A window's ids end a little before the window does, usually
// within a hundred bytes; the rest begins the next window.

import type { WindowEncoder, WindowJob } from '../engine/background.js';
import type { FilePart, Reading } from '../tokenizer/host.js';
import type { Parts, Wait, Windows } from './parts.js';

/** At most one window is encoded ahead of the caller's requests. */
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
