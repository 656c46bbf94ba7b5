// The bytes that a compressed file inflates to. What inflates is loaded with the first such file.

import { Readable, type Transform } from 'node:stream';
import zlib from 'node:zlib';

import { DatasetError, failureOfFile } from '../dataset-error.js';
import type { DatasetInput } from '../manifest.js';
import type { ByteSource } from './byte-source.js';
import type { InputFile } from './input-file.js';
import { zstdDecompressor } from './zstd.js';

/** Bytes to read at a time. */
const CHUNK = 1024 * 1024;
const NOTHING = new Uint8Array(0);

/** Opens a compressed file, from byte `from` of what it inflates to. */
export async function openInflated(
  file: InputFile,
  compression: NonNullable<DatasetInput['compression']>,
  from: number,
): Promise<ByteSource> {
  const inflating = compression === 'gzip' ? zlib.createGunzip({ chunkSize: CHUNK / 4 }) : await zstdDecompressor();
  const bytes = new InflatedBytes(file, inflating);
  await bytes.skip(from);
  return bytes;
}

class InflatedBytes implements ByteSource {
  readonly #file: InputFile;
  readonly #bytes: Readable;
  readonly #chunks: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = NOTHING;
  fileBytes = 0;
  readonly most = Number.POSITIVE_INFINITY;

  constructor(file: InputFile, inflating: Transform) {
    this.#file = file;
    this.#bytes = Readable.from(this.#compressed(), { objectMode: false, highWaterMark: CHUNK });
    this.#bytes.once('error', (error) => inflating.destroy(error));
    this.#chunks = this.#bytes.pipe(inflating)[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  }

  async read(into: Uint8Array): Promise<number> {
    if (this.#rest.length === 0 && !(await this.#more())) return 0;
    const taken = this.#rest.subarray(0, into.length);
    into.set(taken);
    this.#rest = this.#rest.subarray(taken.length);
    return taken.length;
  }

  async skip(count: number): Promise<void> {
    for (let left = count; left > 0; ) {
      if (this.#rest.length === 0 && !(await this.#more())) return;
      const taken = Math.min(left, this.#rest.length);
      this.#rest = this.#rest.subarray(taken);
      left -= taken;
    }
  }

  async *#compressed(): AsyncGenerator<Uint8Array, void, undefined> {
    for (;;) {
      const chunk = Buffer.allocUnsafeSlow(CHUNK);
      const count = await this.#file.read(chunk, this.fileBytes);
      if (count === 0) return;
      this.fileBytes += count;
      yield chunk.subarray(0, count);
    }
  }

  async #more(): Promise<boolean> {
    try {
      const { value, done } = await this.#chunks.next();
      if (!done) this.#rest = value;
      return !done;
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      // Of zlib, or of the inflater of zstd.
      if (code === undefined || /^(?:Z|ERR_)/.test(code))
        throw new DatasetError(
          `cannot inflate ${this.#file.input.path}: ${message}; replace it, and plan again`,
          { code: 'DAMAGED_RECORD', file: this.#file.input.path },
          { cause: error },
        );
      throw failureOfFile(error, 'read', this.#file.input.path);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#chunks.return?.();
    this.#bytes.destroy();
  }
}
