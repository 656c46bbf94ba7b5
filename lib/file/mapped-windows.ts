// Windows of a mapped file: each is a separate mapping, released when it is garbage-collected. The rest of a window is read again
// as the beginning of the next one, without a copy.

import { shownPath, TokenizerError } from '../base/errors.js';
import type { FileMapping } from '../engine/background.js';
import type { TextFile } from '../open/text-file.js';
import type { Windows, WindowText } from './parts.js';

/** The most bytes of a mapping. The engine rejects texts of half that size, with TEXT_TOO_LONG. */
const MOST = 2 ** 32 - 1;

export class MappedWindows implements Windows {
  readonly #file: TextFile;
  readonly #descriptor: number;
  readonly #mapping: FileMapping;
  readonly #fileSize: number;
  readonly #windowSize: number;
  /** Where the previous window ends. */
  #end = 0;

  constructor(file: TextFile, descriptor: number, mapping: FileMapping, sizes: { file: number; window: number }) {
    this.#file = file;
    this.#descriptor = descriptor;
    this.#mapping = mapping;
    this.#fileSize = sizes.file;
    this.#windowSize = sizes.window;
  }

  /** The system reads ahead. */
  readAhead(): void {}

  async next(rest: Uint8Array): Promise<WindowText> {
    const begin = this.#end - rest.length;
    // The window doubles, so that a piece that fills it is not read too often.
    const length = Math.min(Math.max(this.#windowSize, 2 * rest.length), this.#fileSize - begin, MOST);
    this.#end = begin + length;
    const last = this.#end === this.#fileSize;
    if (last) await this.#file.checkUnchanged(begin);
    const bytes = this.#mapping.map(this.#descriptor, begin, length);
    if (!bytes)
      throw new TokenizerError(`cannot map ${shownPath(this.#file.path)}: the system has no room for it`, { code: 'OUT_OF_MEMORY' });
    return { bytes, last };
  }

  /** Users of a window keep it alive. */
  close(): void {}
}
