// Windows of a mapped file: each is a separate mapping, which its job makes and owns. The rest of a window is mapped again as the
// beginning of the next one.

import type { TextFile } from '../open/text-file.js';
import type { Windows, WindowText } from './parts.js';

/** The most bytes of a mapping. The engine rejects texts of half that size, with TEXT_TOO_LONG. */
const MOST = 2 ** 32 - 1;

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
    const length = (this.#length = Math.min(Math.max(this.#windowSize, 2 * rest), this.#fileSize - begin, MOST));
    const last = begin + length === this.#fileSize;
    if (last) await this.#file.checkUnchanged(begin);
    return { text: { path: this.#file.path, descriptor: this.#descriptor, begin, length }, last };
  }

  /** Jobs own the mappings. */
  close(): void {}
}
