// Text with a separator between documents, or a file that is one document.

import { isUtf8 } from 'node:buffer';

import { type DocumentReader, type Filled, LONGEST, type TextBatch } from '../text-batch.js';
import type { ByteWindow } from './input-bytes.js';

export class TextDocuments implements DocumentReader {
  readonly #window: ByteWindow;
  readonly #separator: Buffer | undefined;
  /** How many bytes of the window are known to begin no separator. */
  #searched = 0;

  /** `separator`: null if the input is one document. */
  constructor(window: ByteWindow, separator: string | null) {
    this.#window = window;
    this.#separator = separator === null ? undefined : Buffer.from(separator);
  }

  get position(): number {
    return this.#window.position;
  }

  get fileBytes(): number {
    return this.#window.fileBytes;
  }

  async fill(batch: TextBatch, size: number): Promise<Filled> {
    while (batch.size < size) {
      const { length, taken } = await this.#next();
      if (taken === 0) return 'end';
      const begin = this.position;
      const text = this.#window.bytes.subarray(0, length);
      this.#window.take(taken);
      if (length === 0) batch.empty++;
      else if (length > LONGEST) return { begin, reason: this.#reasonOfLength() };
      else if (!isUtf8(text)) return { begin, reason: 'it is not UTF-8' };
      else batch.addBytes(text, begin);
    }
    return 'full';
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#window[Symbol.asyncDispose]();
  }

  /** The length of the next document, and the same with its separator; 0 behind the last. */
  async #next(): Promise<{ length: number; taken: number }> {
    for (;;) {
      const { bytes } = this.#window;
      if (this.#separator) {
        const { length } = this.#separator;
        const found = bytes.indexOf(this.#separator, this.#searched);
        this.#searched = found < 0 ? Math.max(0, bytes.length - length + 1) : 0;
        if (found >= 0) return { length: found, taken: found + length };
      }
      if (bytes.length <= LONGEST && (await this.#window.more())) continue;
      this.#searched = 0;
      return { length: bytes.length, taken: bytes.length };
    }
  }

  #reasonOfLength(): string {
    if (this.#separator) return `no separator ends it within ${LONGEST} bytes`;
    return `it is longer than ${LONGEST} bytes: say what separates its documents (--separator)`;
  }
}
