// Shared by the readers of token ids: the position in the input, for messages, the current word, and the ids found.
// Input arrives in parts, and a word may span two of them.

import { InputError } from '../output/streams.js';

/** Longer words cannot be ids: they are rejected before they end. */
const LONGEST_WORD = 64;
const LONGEST_SHOWN = 40;
const MOST_ID = 0xffffffff;

export const AN_ID = `a token id (an integer from 0 to ${MOST_ID})`;

const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;

/** Where the current part begins in the input, and the current line. */
export class InputPosition {
  #before = 0;
  #line = 1;
  #lineStart = 0;

  /** The offset in the input of the byte at `index` of the part. */
  offset(index: number): number {
    return this.#before + index;
  }

  /** Moves past a part of this length. */
  advance(length: number): void {
    this.#before += length;
  }

  /** Records a line feed at `index`. */
  endLine(index: number): void {
    this.#line++;
    this.#lineStart = this.#before + index + 1;
  }

  /** This many bytes of the line are not separate columns: columns count characters. */
  skipColumns(bytes: number): void {
    this.#lineStart += bytes;
  }

  /** The error for an offset on the current line. */
  mistake(expected: string, offset: number, found: string): InputError {
    const position = `byte ${offset} (line ${this.#line}, column ${offset - this.#lineStart + 1})`;
    return new InputError(`expected ${expected} at ${position} but ${found}; "crayon decode --help" describes the input`);
  }
}

/** Describes an unexpected byte. */
export function foundByte(byte: number): string {
  const isPrintable = byte > 0x20 && byte < 0x7f;
  return `found ${isPrintable ? JSON.stringify(String.fromCharCode(byte)) : `0x${byte.toString(16).padStart(2, '0')}`}`;
}

/** The bytes between two separators. */
export class Word {
  readonly #bytes = new Uint8Array(LONGEST_WORD);
  #length = 0;
  /** Its offset in the input. */
  start = 0;

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  /** Whether it has leading zeros that JSON forbids. */
  get hasLeadingZero(): boolean {
    return this.#length > 1 && this.#bytes[0] === DIGIT_0;
  }

  /** Adds a byte; returns false if the word is too long to be valid. */
  push(byte: number): boolean {
    this.#bytes[this.#length++] = byte;
    return this.#length < LONGEST_WORD;
  }

  clear(): void {
    this.#length = 0;
  }

  /** Its value; undefined if it is not an id. */
  id(): number | undefined {
    let id = 0;
    for (let index = 0; index < this.#length; index++) {
      const byte = this.#bytes[index] as number;
      if (byte < DIGIT_0 || byte > DIGIT_9) return undefined;
      id = 10 * id + byte - DIGIT_0;
    }
    return id <= MOST_ID ? id : undefined;
  }

  toString(): string {
    return new TextDecoder().decode(this.#bytes.subarray(0, this.#length));
  }

  /** Describes an unexpected word. */
  found(): string {
    const text = this.toString();
    return `found ${JSON.stringify(text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text)}`;
  }
}

/** The ids of a part. */
export class FoundIds {
  #ids = new Uint32Array();
  #count = 0;

  /** Makes room for the ids of a part of this length: at least one byte separates two of them. */
  reserve(length: number): void {
    this.#ids = new Uint32Array((length >> 1) + 2);
    this.#count = 0;
  }

  push(id: number): void {
    this.#ids[this.#count++] = id;
  }

  take(): Uint32Array {
    return this.#ids.subarray(0, this.#count);
  }
}
