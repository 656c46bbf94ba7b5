// The bytes of an input, or of what it inflates to, seen through a window that moves forward.

import { Readable, Transform } from 'node:stream';

import { DatasetError, failureOfFile } from '../dataset-error.js';
import type { InputFile } from '../dataset-inputs.js';
import type { DatasetInput } from '../manifest.js';
import type { DocumentReader } from '../text-batch.js';

/** Bytes to read at a time: as many as a batch has, since each read waits for the calling thread. */
const CHUNK = 2 * 1024 * 1024;
/** Bytes of a compressed file to read at a time. */
const COMPRESSED_CHUNK = 1024 * 1024;

/** Gives bytes in order. */
interface ByteSource extends AsyncDisposable {
  /** Reads as many bytes as fit; none at the end. */
  read(into: Uint8Array): Promise<number>;
  /** Bytes of the file that have been read so far. */
  readonly fileBytes: number;
  /** The most bytes that it gives; infinite if that is not known. */
  readonly maxBytes: number;
}

/** A window that moves through an input: the bytes from `begin` to `end` of its buffer. */
export class ByteWindow implements AsyncDisposable {
  readonly #source: ByteSource;
  readonly #chunk: number;
  /** Replaced by `more`, as are `begin` and `end`. */
  buffer: Buffer<ArrayBuffer>;
  begin = 0;
  end = 0;
  /** Where the window begins, in the input. */
  position: number;

  private constructor(source: ByteSource, position: number) {
    this.#source = source;
    this.#chunk = Math.min(CHUNK, source.maxBytes + 1); // the memory of thousands of small files costs more than reading them
    this.buffer = Buffer.allocUnsafeSlow(2 * this.#chunk);
    this.position = position;
  }

  /** From byte `from` of the file, or of what it inflates to, up to `to`, or to its end. */
  static async open(file: InputFile, from: number, to: number | null): Promise<ByteWindow> {
    const { compression, size } = file.input;
    return new ByteWindow(compression === null ? plainBytes(file, from, to ?? size) : await inflatedBytes(file, compression, from), from);
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
    const { length } = this.bytes;
    if (this.buffer.length - this.end < this.#chunk) {
      // Half of the buffer is free afterwards, so that bytes are moved a few times at most.
      const buffer = length > this.buffer.length / 2 ? Buffer.allocUnsafeSlow(2 * this.buffer.length) : this.buffer;
      this.buffer.copy(buffer, 0, this.begin, this.end);
      this.buffer = buffer;
      this.begin = 0;
      this.end = length;
    }
    const count = await this.#source.read(this.buffer.subarray(this.end, this.end + this.#chunk));
    this.end += count;
    return count > 0;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#source[Symbol.asyncDispose]() as Promise<void>;
  }
}

/** A reader of documents in a window. */
export function readerOf(window: ByteWindow, fill: DocumentReader['fill']): DocumentReader {
  return {
    fill,
    get position() {
      return window.position;
    },
    get fileBytes() {
      return window.fileBytes;
    },
    [Symbol.asyncDispose]: () => window[Symbol.asyncDispose](),
  };
}

function plainBytes(file: InputFile, from: number, to: number): ByteSource {
  let at = from;
  return {
    maxBytes: to - from,
    get fileBytes() {
      return at - from;
    },
    async read(into) {
      const count = await file.read(into.subarray(0, to - at), at);
      at += count;
      return count;
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
}

/** The bytes of a compressed file, from byte `from` of what it inflates to. */
async function inflatedBytes(file: InputFile, compression: NonNullable<DatasetInput['compression']>, from: number): Promise<ByteSource> {
  let fileBytes = 0;
  async function* compressed() {
    for (;;) {
      const chunk = Buffer.allocUnsafeSlow(COMPRESSED_CHUNK);
      const count = await file.read(chunk, fileBytes);
      if (count === 0) return;
      fileBytes += count;
      yield chunk.subarray(0, count);
    }
  }
  const source = Readable.from(compressed(), { objectMode: false, highWaterMark: COMPRESSED_CHUNK });
  // Few programs need it, and loading it takes a millisecond.
  const { default: zlib } = await import('node:zlib');
  const chunkSize = COMPRESSED_CHUNK / 4;
  const inflating = compression === 'gzip' ? zlib.createGunzip({ chunkSize }) : await zstdDecompressor(zlib);
  source.once('error', (error) => inflating.destroy(error));
  const chunks = source.pipe(inflating)[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  /** What has been inflated and not given, and how much of what is to come is not wanted. */
  let rest: Uint8Array = new Uint8Array(0);
  let unwanted = from;
  return {
    maxBytes: Number.POSITIVE_INFINITY,
    get fileBytes() {
      return fileBytes;
    },
    async read(into) {
      while (rest.length === 0) {
        const next = await chunks.next().catch((error: unknown) => {
          throw failureOfInflating(error, file.input.path);
        });
        if (next.done) return 0;
        rest = next.value.subarray(unwanted);
        unwanted -= next.value.length - rest.length;
      }
      const taken = rest.subarray(0, into.length);
      into.set(taken);
      rest = rest.subarray(taken.length);
      return taken.length;
    },
    async [Symbol.asyncDispose]() {
      await chunks.return?.();
      source.destroy();
    },
  };
}

function failureOfInflating(error: unknown, file: string): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  const isOfInflater = code === undefined || /^(?:Z|ERR_)/.test(code); // of zlib, or of the one of zstd
  if (!isOfInflater) return failureOfFile(error, 'read', file);
  const sentence = `cannot inflate ${file}: ${message}; replace it, and plan again`;
  return new DatasetError(sentence, { code: 'DAMAGED_RECORD', file }, { cause: error });
}

type WithZstd = typeof import('node:zlib') & { createZstdDecompress?: (options?: { chunkSize?: number }) => Transform };

/** Inflates zstd: by Node where it can (22.15 and later), else in JavaScript, at about a tenth of the speed. */
async function zstdDecompressor(zlib: WithZstd): Promise<Transform> {
  const create = zlib.createZstdDecompress;
  if (create) return create({ chunkSize: COMPRESSED_CHUNK / 4 });
  const { Decompress } = await import('../columns.js');
  let inflated = 0;
  const stream = new Decompress((chunk) => {
    inflated += chunk.length;
    transform.push(Buffer.from(chunk)); // it reuses its memory
  });
  const push = (chunk: Uint8Array, isLast: boolean, done: (error?: Error) => void) => {
    try {
      stream.push(chunk, isLast);
    } catch (error) {
      return done(new Error(`${(error as Error).message} after ${inflated} bytes`));
    }
    done();
  };
  const transform = new Transform({
    readableHighWaterMark: COMPRESSED_CHUNK,
    transform: (chunk: Uint8Array, _encoding, done) => push(chunk, false, done),
    flush: (done) => push(new Uint8Array(0), true, done),
  });
  return transform;
}
