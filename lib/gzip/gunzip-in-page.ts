// gzip in pages, where DecompressionStream refuses what follows the first member: fflate inflates, and the members are
// taken apart here, since fflate checks no checksums and does not say where a member ends.

import { Inflate } from 'fflate';

import { crc32 } from './crc32.js';
import type { GzipFailures } from './gzip.js';
import type { ByteSource } from '../records/sources.js';

/** Bytes that are inflated at once: they become a thousand times as many at most. */
const PIECE = 64 * 1024;
/** Fewer bytes than this are not inflated while more may come: each call copies what has been inflated last. */
const LEAST = 4 * 1024;
const FIXED_HEADER = 10;
const TRAILER = 8;
const HAS_CHECKSUM = 2;
const HAS_EXTRA = 4;
const HAS_NAME = 8;
const HAS_COMMENT = 16;
const RESERVED = 0xe0;
/** Names and comments have no bound of their own. */
const LONGEST_HEADER = 2 ** 20;

/** fflate's state of a stream (version 0.8.3, which is pinned): what its own Gunzip looks at, too. */
interface InflateState {
  /** `f`: the last block has begun; `l`: within a block; `p`: bits of `p[0]` that are read. */
  s: { f?: number; l?: unknown; p?: number };
  /** What has not been read. */
  p: Uint8Array;
}

export function gunzipInPage(source: ByteSource, failures: GzipFailures): ByteSource {
  return new Gunzip(source, failures);
}

class Gunzip implements ByteSource {
  readonly #source: ByteSource;
  readonly #failures: GzipFailures;
  /** What has been read of the source and not of its members. */
  #rest: Uint8Array = new Uint8Array(0);
  #hasEnded = false;
  #member: Member | undefined;

  constructor(source: ByteSource, failures: GzipFailures) {
    this.#source = source;
    this.#failures = failures;
  }

  async next(): Promise<Uint8Array | undefined> {
    for (;;) {
      if (!this.#member) {
        if (!(await this.#has(1))) return undefined;
        await this.#readHeader();
        this.#member = new Member(this.#failures);
      }
      await this.#has(LEAST);
      if (this.#rest.length === 0) throw this.#failures.truncated();
      const piece = this.#rest.subarray(0, PIECE);
      const member = this.#member;
      const bytes = member.inflate(piece);
      const { rest } = member;
      this.#rest = this.#rest.subarray(piece.length - (rest?.length ?? 0));
      if (rest) {
        if (!(await this.#has(TRAILER))) throw this.#failures.truncated();
        member.check(this.#rest);
        this.#rest = this.#rest.subarray(TRAILER);
        this.#member = undefined;
      }
      if (bytes.length > 0) return bytes;
    }
  }

  cancel(): void {
    this.#source.cancel();
  }

  /** Reads on until there are so many bytes; false if there are not. */
  async #has(count: number): Promise<boolean> {
    if (this.#rest.length < count && !this.#hasEnded) {
      const parts: Uint8Array[] = [this.#rest.slice()];
      let length = this.#rest.length;
      while (length < count) {
        const bytes = await this.#source.next();
        if (!bytes) {
          this.#hasEnded = true;
          break;
        }
        // The source may use its memory again.
        parts.push(length + bytes.length < count ? bytes.slice() : bytes);
        length += bytes.length;
      }
      this.#rest = parts.length === 2 && length === parts[1]?.length ? parts[1] : joined(parts, length);
    }
    return this.#rest.length >= count;
  }

  async #readHeader(): Promise<void> {
    const need = async (count: number) => {
      if (count > LONGEST_HEADER) throw this.#failures.damaged('the header of a member is too long');
      if (!(await this.#has(count))) throw this.#failures.truncated();
    };
    // What is not the beginning of a member may be shorter than one.
    const magic = [0x1f, 0x8b, 8];
    for (let i = 0; i < magic.length; i++) {
      if ((await this.#has(i + 1)) && this.#rest[i] !== magic[i]) throw this.#failures.damaged('something that is no gzip follows its end');
    }
    await need(FIXED_HEADER);
    const flags = this.#rest[3] as number;
    if (flags & RESERVED) throw this.#failures.damaged('a member has unknown flags');
    let length = FIXED_HEADER;
    if (flags & HAS_EXTRA) {
      await need(length + 2);
      length += 2 + (this.#rest[length] as number) + 256 * (this.#rest[length + 1] as number);
    }
    for (const text of [HAS_NAME, HAS_COMMENT]) {
      if (!(flags & text)) continue;
      await need(length + 1);
      for (; this.#rest[length] !== 0; length++) await need(length + 2);
      length++;
    }
    if (flags & HAS_CHECKSUM) length += 2;
    await need(length);
    this.#rest = this.#rest.subarray(length);
  }
}

/** The data of a member. */
class Member {
  readonly #failures: GzipFailures;
  readonly #inflate: Inflate;
  #out: Uint8Array[] = [];
  #crc = 0;
  #length = 0;

  constructor(failures: GzipFailures) {
    this.#failures = failures;
    this.#inflate = new Inflate((bytes) => this.#out.push(bytes));
  }

  inflate(piece: Uint8Array): Uint8Array {
    try {
      this.#inflate.push(piece);
    } catch (error) {
      throw this.#failures.damaged((error as Error).message, error);
    }
    const [bytes = new Uint8Array(0)] = this.#out;
    this.#out = [];
    this.#crc = crc32(this.#crc, bytes);
    this.#length = (this.#length + bytes.length) >>> 0;
    return bytes;
  }

  /** What follows it of the last piece, once it has ended. */
  get rest(): Uint8Array | undefined {
    const { s: state, p: left } = this.#inflate as unknown as InflateState;
    if (!state.f || state.l) return undefined;
    return state.p ? left.subarray(1) : left;
  }

  /** Throws if the bytes that follow it are not its checksum and length. */
  check(trailer: Uint8Array): void {
    const view = new DataView(trailer.buffer, trailer.byteOffset, TRAILER);
    if (view.getUint32(0, true) !== this.#crc) throw this.#failures.damaged('a checksum does not match');
    if (view.getUint32(4, true) !== this.#length) throw this.#failures.damaged('a length does not match');
  }
}

function joined(parts: Uint8Array[], length: number): Uint8Array {
  const all = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
