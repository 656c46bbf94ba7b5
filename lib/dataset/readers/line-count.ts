// Which line of a file a byte is in: asked only for damaged records, in ascending order.

import type { ByteSource } from './byte-source.js';
import { openBytes } from './byte-stream.js';
import { InputFile } from './input-file.js';
import type { DatasetInput } from '../manifest.js';

const LINE_FEED = 0x0a;

/** Counts the lines of an input, which it reads once for ascending bytes. */
export class LineCounter implements AsyncDisposable {
  readonly #input: DatasetInput;
  readonly #chunk = Buffer.allocUnsafeSlow(256 * 1024);
  #file: InputFile | undefined;
  #source: ByteSource | undefined;
  #at = 0;
  #line = 1;

  constructor(input: DatasetInput) {
    this.#input = input;
  }

  /** The line of a byte, from 1; `null` for a Parquet file. */
  async lineAt(byte: number): Promise<number | null> {
    if (this.#input.kind === 'parquet') return null;
    if (byte < this.#at) await this[Symbol.asyncDispose]();
    this.#file ??= await InputFile.open(this.#input);
    this.#source ??= await openBytes(this.#file, 0, null);
    while (this.#at < byte) {
      const count = await this.#source.read(this.#chunk.subarray(0, Math.min(this.#chunk.length, byte - this.#at)));
      if (count === 0) break;
      const bytes = this.#chunk.subarray(0, count);
      for (let found = bytes.indexOf(LINE_FEED); found >= 0; found = bytes.indexOf(LINE_FEED, found + 1)) this.#line++;
      this.#at += count;
    }
    return this.#line;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#source?.[Symbol.asyncDispose]();
    await this.#file?.[Symbol.asyncDispose]();
    this.#file = this.#source = undefined;
    this.#at = 0;
    this.#line = 1;
  }
}
