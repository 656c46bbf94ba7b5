// The bytes of a file, or of what it inflates to, from a position on.

import type { ByteSource } from './byte-source.js';
import type { InputFile } from './input-file.js';

/** Bytes to read at a time: as many as a batch has, since each read waits for the calling thread. */
const CHUNK = 2 * 1024 * 1024;

/** The bytes of a file from byte `from` up to `to`, or to its end. */
export async function openBytes(file: InputFile, from: number, to: number | null): Promise<ByteSource> {
  if (file.input.compression === null) return new FileBytes(file, from, to ?? file.input.size);
  const { openInflated } = await import('./inflated-bytes.js');
  return openInflated(file, file.input.compression, from);
}

class FileBytes implements ByteSource {
  readonly #file: InputFile;
  readonly #from: number;
  #at: number;
  readonly #to: number;

  constructor(file: InputFile, from: number, to: number) {
    this.#file = file;
    this.#from = from;
    this.#at = from;
    this.#to = to;
  }

  get fileBytes(): number {
    return this.#at - this.#from;
  }

  get most(): number {
    return this.#to - this.#from;
  }

  async read(into: Uint8Array): Promise<number> {
    const length = Math.min(into.length, this.#to - this.#at);
    if (length === 0) return 0;
    const count = await this.#file.read(into.subarray(0, length), this.#at);
    this.#at += count;
    return count;
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

/** A window of bytes that moves through a source: those from `begin` to `end` of its buffer. */
export class ByteWindow implements AsyncDisposable {
  readonly #source: ByteSource;
  readonly #chunk: number;
  /** Replaced by `more`, as are `begin` and `end`. */
  buffer: Buffer<ArrayBuffer>;
  begin = 0;
  end = 0;
  /** Where the window begins, in the source. */
  position: number;

  constructor(source: ByteSource, position: number) {
    this.#source = source;
    this.#chunk = Math.min(CHUNK, source.most + 1); // the memory of thousands of small files costs more than reading them
    this.buffer = Buffer.allocUnsafeSlow(2 * this.#chunk);
    this.position = position;
  }

  get fileBytes(): number {
    return this.#source.fileBytes;
  }

  /** What has been read and not taken. Valid until `more`. */
  get bytes(): Buffer {
    return this.buffer.subarray(this.begin, this.end);
  }

  /** Moves the beginning forward. */
  take(count: number): void {
    this.begin += count;
    this.position += count;
  }

  /** Reads more; false at the end. */
  async more(): Promise<boolean> {
    const kept = this.end - this.begin;
    if (this.buffer.length - this.end < this.#chunk) {
      // Half of it is free afterwards, so that bytes are moved a few times at most.
      const buffer = kept > this.buffer.length / 2 ? Buffer.allocUnsafeSlow(2 * this.buffer.length) : this.buffer;
      this.buffer.copy(buffer, 0, this.begin, this.end);
      this.buffer = buffer;
      this.begin = 0;
      this.end = kept;
    }
    const count = await this.#source.read(this.buffer.subarray(this.end, this.end + this.#chunk));
    this.end += count;
    return count > 0;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#source[Symbol.asyncDispose]() as Promise<void>;
  }
}
