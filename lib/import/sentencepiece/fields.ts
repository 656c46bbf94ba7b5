// The fields of messages in a file of protocol buffers. Every read stays inside of its message; errors name the byte.

import { PbfReader } from 'pbf';

import { TokenizerError } from '../../base/errors.js';

const [VARINT, FIXED64, BYTES, FIXED32] = [0, 1, 2, 5];
const LONGEST_VARINT = 10;
const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The value of a field: bytes begin … end of the file. */
export interface FieldValue {
  isVarint: boolean;
  isBytes: boolean;
  isFloat: boolean;
  begin: number;
  end: number;
}

/** A file: its bytes, and its name for errors. */
export class ProtoFile {
  readonly bytes: Uint8Array;
  readonly name: string;
  readonly #reader: PbfReader;

  constructor(bytes: Uint8Array, name: string) {
    this.bytes = bytes;
    this.name = name;
    this.#reader = new PbfReader(bytes);
  }

  /** Visits the fields of a message, bytes[begin, end), in their order. Throws a TokenizerError at a byte where no field begins. */
  eachField(begin: number, end: number, visit: (field: number, value: FieldValue) => void): void {
    for (let at = begin; at < end; ) {
      const tag = this.#varint(at, end);
      const value = this.#value(tag % 8, this.#reader.pos, end, at);
      visit(Math.floor(tag / 8), value);
      at = value.end;
    }
  }

  /** A number that is not negative; others are beyond what doubles hold exactly. */
  integer({ begin, end }: FieldValue): number {
    return this.#varint(begin, end);
  }

  float({ begin }: FieldValue): number {
    this.#reader.pos = begin;
    return this.#reader.readFloat();
  }

  content({ begin, end }: FieldValue): Uint8Array {
    return this.bytes.subarray(begin, end);
  }

  /** Undefined for bytes that are not UTF-8. */
  text(value: FieldValue): string | undefined {
    try {
      return strict.decode(this.content(value));
    } catch {
      return undefined;
    }
  }

  error(what: string, position: number, code: 'CORRUPT_STRUCTURE' | 'BUILD_FAILED'): TokenizerError {
    return new TokenizerError(`cannot import ${this.name}: ${what}, at byte ${position}`, { code, position });
  }

  malformed(what: string, position: number): never {
    throw this.error(what, position, 'CORRUPT_STRUCTURE');
  }

  unsupported(what: string, position: number): never {
    throw this.error(what, position, 'BUILD_FAILED');
  }

  /** Leaves the reader behind it. */
  #varint(at: number, end: number): number {
    let last = at;
    while (last < end && (this.bytes[last] as number) >= 0x80) last++;
    if (last >= end) this.malformed('the message ends within a number', at);
    if (last - at >= LONGEST_VARINT) this.malformed(`expected a number of at most ${LONGEST_VARINT} bytes`, at);
    this.#reader.pos = at;
    const value = this.#reader.readVarint();
    this.#reader.pos = last + 1;
    return value;
  }

  /** `at`: where the field begins. */
  #value(type: number, from: number, end: number, at: number): FieldValue {
    let begin = from;
    let length: number;
    if (type === VARINT) {
      this.#varint(from, end);
      length = this.#reader.pos - from;
    } else if (type === BYTES) {
      length = this.#varint(from, end);
      begin = this.#reader.pos;
    } else if (type === FIXED32 || type === FIXED64) {
      length = type === FIXED32 ? 4 : 8;
    } else {
      return this.malformed(`expected a field of a protocol buffer but found one of the kind ${type}`, at);
    }
    if (length > end - begin) this.malformed(`expected ${length} bytes for a field but found ${end - begin}`, at);
    return { isVarint: type === VARINT, isBytes: type === BYTES, isFloat: type === FIXED32, begin, end: begin + length };
  }
}
