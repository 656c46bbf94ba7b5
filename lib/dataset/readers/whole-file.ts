// A file that is one document.

import { isUtf8 } from 'node:buffer';

import type { TextBatch } from '../text-batch.js';
import { ByteWindow, openBytes } from './byte-stream.js';
import type { InputFile } from './input-file.js';
import { type Damaged, type DocumentReader, LONGEST } from './reader.js';

export class WholeFile implements DocumentReader {
  readonly #file: InputFile;
  readonly #damaged: Damaged;
  position: number;
  empty = 0;

  constructor(file: InputFile, from: number, damaged: Damaged) {
    this.#file = file;
    this.position = from;
    this.#damaged = damaged;
  }

  get fileBytes(): number {
    return this.position > 0 ? this.#file.input.size : 0;
  }

  async fill(batch: TextBatch): Promise<boolean> {
    if (this.position > 0) return false;
    await using window = new ByteWindow(await openBytes(this.#file, 0, null), 0);
    while (window.bytes.length <= LONGEST && (await window.more()));
    const { bytes } = window;
    this.position = Math.max(1, bytes.length);
    if (bytes.length === 0) this.empty++;
    else if (bytes.length > LONGEST) this.#damaged(0, `it is longer than ${LONGEST} bytes: say what separates its documents (--separator)`);
    else if (!isUtf8(bytes)) this.#damaged(0, 'it is not UTF-8');
    else batch.addBytes(bytes, 0);
    return true;
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}
