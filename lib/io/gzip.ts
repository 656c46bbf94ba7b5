// gzip and bgzip files: how they are recognized, and the checks common to all hosts.
//
// bgzip writes gzip members of at most 64 KiB, each with its length in an extra field 'BC', and ends a file with an empty
// one (SAM specification, section 4.1.2). A file of whole members without the empty one has been truncated.

import { TokenizerError } from '../base/errors.js';
import { concatenated } from '../base/typed-arrays.js';

/** The bytes of a source. */
export interface ByteSource {
  /** The next bytes, valid until the call after next; undefined at the end. */
  next(): Promise<Uint8Array | undefined>;
  /** Stops reading. */
  cancel(): void;
}

/** Inflates gzip members on a host. By the end of the result, everything has been verified and is complete. */
export type Inflate = (source: ByteSource, failures: GzipFailures) => ByteSource | Promise<ByteSource>;

/** The errors of gzip data. */
export interface GzipFailures {
  truncated(): TokenizerError;
  damaged(why: string, cause?: unknown): TokenizerError;
}

const MAGIC = [0x1f, 0x8b] as const;
/** The empty member at the end of a bgzip file. */
const END_OF_FILE = Uint8Array.of(
  ...[0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 0xff, 6, 0, 0x42, 0x43, 2, 0, 0x1b, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0],
);
/** The offset of bgzip's extra field in a member, and its first bytes. */
const EXTRA_AT = 12;
const EXTRA = [0x42, 0x43, 2, 0] as const;
const HAS_EXTRA = 4;
const SNIFFED = EXTRA_AT + EXTRA.length;

/** The source, inflated if compressed. `name`: the source's name, for errors. */
export async function inflated(source: ByteSource, name: string, inflate: () => Promise<Inflate>): Promise<ByteSource> {
  const compressed = new Compressed(source);
  const start = await compressed.start();
  if (!isGzip(start)) return compressed;
  const failures: GzipFailures = {
    truncated: () => new TokenizerError(`cannot read ${name}: its gzip data is truncated`, { code: 'TRUNCATED' }),
    damaged: (why, cause) =>
      new TokenizerError(
        `cannot read ${name}: its gzip data is damaged: ${why}`,
        { code: 'CORRUPT_STRUCTURE' },
        cause === undefined ? {} : { cause },
      ),
  };
  const isBlocked = (start[3] as number) & HAS_EXTRA && EXTRA.every((byte, i) => start[EXTRA_AT + i] === byte);
  const plain = await (await inflate())(compressed, failures);
  if (!isBlocked) return plain;
  return {
    async next() {
      const bytes = await plain.next();
      if (bytes || compressed.endsWith(END_OF_FILE)) return bytes;
      const message = `cannot read ${name}: it is truncated: the block that bgzip writes at the end is missing`;
      throw new TokenizerError(message, { code: 'TRUNCATED' });
    },
    cancel: () => plain.cancel(),
  };
}

/** Whether bytes begin like gzip. */
export function isGzip(start: Uint8Array): boolean {
  return MAGIC.every((byte, i) => start[i] === byte);
}

/** A source whose first bytes can be examined, and that remembers the last ones. */
class Compressed implements ByteSource {
  readonly #source: ByteSource;
  #start: Uint8Array | undefined;
  #hasEnded = false;
  #end: Uint8Array = new Uint8Array(0);

  constructor(source: ByteSource) {
    this.#source = source;
  }

  /** The first bytes: as many as are examined, or fewer if there are fewer. */
  async start(): Promise<Uint8Array> {
    let start = new Uint8Array(0);
    // For uncompressed data, no more than needed: it may be a while until more arrives.
    while (start.length < (isGzip(start) ? SNIFFED : MAGIC.length)) {
      const bytes = await this.#source.next();
      this.#hasEnded = !bytes;
      if (!bytes) break;
      start = concatenated(Uint8Array, [start, bytes]);
    }
    if (start.length > 0) this.#start = start;
    return start;
  }

  async next(): Promise<Uint8Array | undefined> {
    const bytes = this.#start ?? (this.#hasEnded ? undefined : await this.#source.next());
    this.#start = undefined;
    if (bytes) this.#end = concatenated(Uint8Array, [this.#end, bytes.subarray(-END_OF_FILE.length)]).slice(-END_OF_FILE.length);
    return bytes;
  }

  cancel(): void {
    this.#source.cancel();
  }

  endsWith(bytes: Uint8Array): boolean {
    return this.#end.length >= bytes.length && bytes.every((byte, i) => byte === this.#end.at(i - bytes.length));
  }
}
