// The bytes of a file, or of what it inflates to, from a position on.

import { open, type FileHandle } from 'node:fs/promises';

import { DatasetError } from '../dataset-error.js';
import { attempt } from '../durable-files.js';
import type { DatasetInput } from '../manifest.js';
import type { ByteSource } from './byte-source.js';

/** Bytes to read at a time: as many as a batch has, since each read waits for the calling thread. */
const CHUNK = 2 * 1024 * 1024;

/** Opens a file from byte `from` up to `to`, or to its end. */
export async function openBytes({ path, compression }: DatasetInput, from: number, to: number | null): Promise<ByteSource> {
  if (compression === null) return FileBytes.open(path, from, to ?? Number.POSITIVE_INFINITY);
  const { openInflated } = await import('./inflated-bytes.js');
  return openInflated(path, compression, from);
}

class FileBytes implements ByteSource {
  readonly #path: string;
  readonly #handle: FileHandle;
  readonly #from: number;
  #at: number;
  readonly #to: number;

  private constructor(path: string, handle: FileHandle, from: number, to: number) {
    this.#path = path;
    this.#handle = handle;
    this.#from = from;
    this.#at = from;
    this.#to = to;
  }

  static async open(path: string, from: number, to: number): Promise<FileBytes> {
    return new FileBytes(path, await attempt('read', path, () => open(path, 'r')), from, to);
  }

  get fileBytes(): number {
    return this.#at - this.#from;
  }

  async read(into: Uint8Array): Promise<number> {
    const length = Math.min(into.length, this.#to - this.#at);
    if (length === 0) return 0;
    const { bytesRead } = await attempt('read', this.#path, () => this.#handle.read(into, 0, length, this.#at));
    if (bytesRead === 0 && this.#to !== Number.POSITIVE_INFINITY) {
      throw new DatasetError(`${this.#path} has been cut at byte ${this.#at} since it was planned`, {
        code: 'INPUT_CHANGED',
        file: this.#path,
      });
    }
    this.#at += bytesRead;
    return bytesRead;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close();
  }
}

/** A window of bytes that moves through a source: those from `begin` to `end` of its buffer. */
export class ByteWindow implements AsyncDisposable {
  readonly #source: ByteSource;
  /** Replaced by `more`, as are `begin` and `end`. */
  buffer = Buffer.allocUnsafeSlow(2 * CHUNK);
  begin = 0;
  end = 0;
  /** Where the window begins, in the source. */
  position: number;

  constructor(source: ByteSource, position: number) {
    this.#source = source;
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
    if (this.buffer.length - this.end < CHUNK) {
      // Half of it is free afterwards, so that bytes are moved a few times at most.
      const buffer = kept > this.buffer.length / 2 ? Buffer.allocUnsafeSlow(2 * this.buffer.length) : this.buffer;
      this.buffer.copy(buffer, 0, this.begin, this.end);
      this.buffer = buffer;
      this.begin = 0;
      this.end = kept;
    }
    const count = await this.#source.read(this.buffer.subarray(this.end, this.end + CHUNK));
    this.end += count;
    return count > 0;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#source[Symbol.asyncDispose]() as Promise<void>;
  }
}
