// The tokens of a file, encoded by the threads window by window. A window's ids end a little before the window does, usually
// within a hundred bytes; the rest begins the next window.

import type { WindowEncoder, WindowJob } from '../engine/background.js';
import type { FilePart, Reading } from '../tokenizer/host.js';
import type { Parts, Wait, Windows, WindowText } from './parts.js';

const NOTHING = new Uint8Array(0);

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
    this.#next = this.#begun(NOTHING);
  }

  async next(): Promise<FilePart | undefined> {
    if (!this.#next) return undefined;
    const begin = this.#begin;
    const { text, job } = await this.#wait(this.#next);
    if (!text.last) this.#windows.readAhead();
    const { tokens, end } = await this.#wait(job.encoded, begin);
    this.#begin = begin + end;
    this.#next = text.last ? undefined : this.#begun(text.bytes.subarray(end));
    const ids = this.#counting ? new Uint32Array(0) : job.ids();
    job.release();
    if (text.last) this.#windows.close();
    return { ids, tokens, begin, end: this.#begin };
  }

  // Failures here are awaited later, when the caller asks for the next part.
  #begun(rest: Uint8Array): Promise<Begun> {
    const begun = this.#windows.next(rest).then((text) => {
      const job = this.#encoder.encode(text.bytes, text.last);
      job.encoded.catch(() => undefined);
      return { text, job };
    });
    begun.catch(() => undefined);
    return begun;
  }
}

interface Begun {
  text: WindowText;
  job: WindowJob;
}
