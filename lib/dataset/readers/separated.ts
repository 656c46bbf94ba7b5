// Text with a separator between documents.

import { isUtf8 } from 'node:buffer';

import type { TextBatch } from '../text-batch.js';
import { ByteWindow, openBytes } from './byte-stream.js';
import type { InputFile } from './input-file.js';
import { type Damaged, type DocumentReader, LONGEST } from './reader.js';

export class Separated implements DocumentReader {
  readonly #window: ByteWindow;
  readonly #separator: Buffer;
  readonly #damaged: Damaged;
  /** No separator begins in so many bytes of the window. */
  #searched = 0;
  empty = 0;

  private constructor(window: ByteWindow, separator: string, damaged: Damaged) {
    this.#window = window;
    this.#separator = Buffer.from(separator);
    this.#damaged = damaged;
  }

  static async open(file: InputFile, from: number, to: number | null, separator: string, damaged: Damaged): Promise<Separated> {
    return new Separated(new ByteWindow(await openBytes(file, from, to), from), separator, damaged);
  }

  get position(): number {
    return this.#window.position;
  }

  get fileBytes(): number {
    return this.#window.fileBytes;
  }

  async fill(batch: TextBatch, size: number): Promise<boolean> {
    while (batch.size < size) {
      const { length, taken } = await this.#next();
      if (taken === 0) return false;
      const { position } = this;
      const text = this.#window.bytes.subarray(0, length);
      if (length === 0) this.empty++;
      else if (length > LONGEST) this.#damaged(position, `no separator ends it within ${LONGEST} bytes`);
      else if (!isUtf8(text)) this.#damaged(position, 'it is not UTF-8');
      else batch.addBytes(text, position);
      this.#window.take(taken);
    }
    return true;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#window[Symbol.asyncDispose]();
  }

  /** The length of the next document, and the same with its separator; 0 behind the last. */
  async #next(): Promise<{ length: number; taken: number }> {
    const { length } = this.#separator;
    for (;;) {
      const { bytes } = this.#window;
      const found = bytes.indexOf(this.#separator, this.#searched);
      this.#searched = found < 0 ? Math.max(0, bytes.length - length + 1) : 0;
      if (found >= 0) return { length: found, taken: found + length };
      if (bytes.length <= LONGEST && (await this.#window.more())) continue;
      this.#searched = 0;
      return { length: bytes.length, taken: bytes.length };
    }
  }
}
