// gzip in pages, where DecompressionStream rejects anything after the first member. fflate inflates, and this code
// splits the members, since fflate verifies no checksums and does not report where a member ends.

import { Inflate } from 'fflate';

import { concatenated } from '../base/typed-arrays.js';
import type { ByteSource, GzipFailures } from './gzip.js';

/** Bytes to inflate at a time: they expand at most a thousandfold. */
const CHUNK = 64 * 1024;
/** Fewer bytes than this wait for more, if more may come: each call copies the bytes inflated last. */
const LEAST = 4 * 1024;
const FIXED_HEADER = 10;
const TRAILER = 8;
const HAS_CHECKSUM = 2;
const HAS_EXTRA = 4;
const HAS_NAME = 8;
const HAS_COMMENT = 16;
const RESERVED = 0xe0;
/** The format does not limit names and comments. */
const LONGEST_HEADER = 2 ** 20;

/** fflate's stream state (version 0.8.3, which is pinned); its own Gunzip reads it too. */
interface InflateState {
  /** `f`: the last block has begun; `l`: inside a block; `p`: how many bits of `p[0]` have been read. */
  s: { f?: number; l?: unknown; p?: number };
  /** The unread input. */
  p: Uint8Array;
}

export function gunzipInPage(source: ByteSource, failures: GzipFailures): ByteSource {
  return new Gunzip(source, failures);
}

class Gunzip implements ByteSource {
  readonly #source: ByteSource;
  readonly #failures: GzipFailures;
  /** Bytes read from the source but not yet by a member. */
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
        if (!(await this.#has(1)) || (await this.#isPadding())) return undefined;
        await this.#readHeader();
        this.#member = new Member(this.#failures);
      }
      await this.#has(LEAST);
      if (this.#rest.length === 0) throw this.#failures.truncated();
      const chunk = this.#rest.subarray(0, CHUNK);
      const member = this.#member;
      const bytes = member.inflate(chunk);
      const { rest } = member;
      this.#rest = this.#rest.subarray(chunk.length - (rest?.length ?? 0));
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

  /** Reads until `count` bytes are available; false if there are not that many. */
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
        // The source may reuse its memory.
        parts.push(length + bytes.length < count ? bytes.slice() : bytes);
        length += bytes.length;
      }
      this.#rest = parts.length === 2 && length === parts[1]?.length ? parts[1] : concatenated(Uint8Array, parts);
    }
    return this.#rest.length >= count;
  }

  /** Whether zeros follow, up to the end. */
  async #isPadding(): Promise<boolean> {
    while (this.#rest[0] === 0 && this.#rest.every((byte) => byte === 0)) {
      this.#rest = this.#rest.subarray(this.#rest.length);
      if (!(await this.#has(1))) return true;
    }
    return false;
  }

  async #readHeader(): Promise<void> {
    const need = async (count: number) => {
      if (count > LONGEST_HEADER) throw this.#failures.damaged('the header of a member is too long');
      if (!(await this.#has(count))) throw this.#failures.truncated();
    };
    // Trailing data that does not begin a member may be shorter than a member's header.
    const magic = [0x1f, 0x8b, 8];
    for (let i = 0; i < magic.length; i++) {
      if ((await this.#has(i + 1)) && this.#rest[i] !== magic[i]) throw this.#failures.damaged('trailing data after the gzip stream');
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

/** A member's data. */
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

  inflate(chunk: Uint8Array): Uint8Array {
    try {
      this.#inflate.push(chunk);
    } catch (error) {
      throw this.#failures.damaged((error as Error).message, error);
    }
    const [bytes = new Uint8Array(0)] = this.#out;
    this.#out = [];
    this.#crc = crc32(this.#crc, bytes);
    this.#length = (this.#length + bytes.length) >>> 0;
    return bytes;
  }

  /** The rest of the last chunk after the member has ended. */
  get rest(): Uint8Array | undefined {
    const { s: state, p: left } = this.#inflate as unknown as InflateState;
    if (!state.f || state.l) return undefined;
    return state.p ? left.subarray(1) : left;
  }

  /** Throws unless the bytes after it are its checksum and length. */
  check(trailer: Uint8Array): void {
    const view = new DataView(trailer.buffer, trailer.byteOffset, TRAILER);
    if (view.getUint32(0, true) !== this.#crc) throw this.#failures.damaged('a checksum does not match');
    if (view.getUint32(4, true) !== this.#length) throw this.#failures.damaged('a length does not match');
  }
}

// The checksum of gzip: CRC-32.

const CRCS = Int32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  return crc;
});

/** Extends `crc`, a checksum (0 for no bytes), by `bytes`. */
function crc32(crc: number, bytes: Uint8Array): number {
  let value = ~crc;
  for (let at = 0; at < bytes.length; at++) value = (value >>> 8) ^ (CRCS[(value ^ (bytes[at] as number)) & 255] as number);
  return ~value >>> 0;
}
