// What is common to the forms of token ids: the position in the input, for messages, the current word, and the ids found. Input
// arrives in parts, and a word may span two of them.

import { InputError } from '../command-errors.js';

/** Longer words cannot be ids: they are rejected before they end. */
const LONGEST_WORD = 64;
const LONGEST_SHOWN = 40;
const MOST_ID = 0xffffffff;

export const AN_ID = `a token id (an integer from 0 to ${MOST_ID})`;

export const DIGIT_0 = 0x30;
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

  /** Records a line feed at an offset in the input. */
  endLine(offset: number): void {
    this.#line++;
    this.#lineStart = offset + 1;
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

/** Reads one form of ids. */
export abstract class IdText {
  protected readonly position: InputPosition;
  /** The bytes between two separators. */
  readonly #word = new Uint8Array(LONGEST_WORD);
  #wordLength = 0;
  #wordStart = 0;
  /** The ids of the part. */
  #ids = new Uint32Array();
  #count = 0;

  constructor(position: InputPosition) {
    this.position = position;
  }

  /** The ids of a part. Throws an InputError for anything unexpected. */
  read(bytes: Uint8Array): Uint32Array {
    // At least one byte separates two ids; the last one of the part before may end in this one.
    this.#ids = new Uint32Array((bytes.length >> 1) + 2);
    this.#count = 0;
    for (let index = 0; index < bytes.length; index++) this.feed(bytes[index] as number, this.position.offset(index));
    this.position.advance(bytes.length);
    return this.#ids.subarray(0, this.#count);
  }

  /** The ids that the end of the input completes. Throws an InputError if something is missing. */
  readEnd(): Uint32Array {
    this.#ids = new Uint32Array(1);
    this.#count = 0;
    this.end(this.position.offset(0));
    return this.#ids.subarray(0, this.#count);
  }

  protected abstract feed(byte: number, offset: number): void;
  protected abstract end(offset: number): void;
  /** What may come next, for messages. */
  protected abstract expected(): string;

  protected get isInWord(): boolean {
    return this.#wordLength > 0;
  }

  protected addToWord(byte: number, offset: number): void {
    if (this.#wordLength === 0) this.#wordStart = offset;
    this.#word[this.#wordLength++] = byte;
    if (this.#wordLength === LONGEST_WORD) this.refuseWord();
  }

  /** The word and its value, undefined if it is not an id. The next byte begins another one. */
  protected takeWord(): { word: Uint8Array; start: number; id: number | undefined } {
    const word = this.#word.subarray(0, this.#wordLength);
    this.#wordLength = 0;
    let id = 0;
    for (const byte of word) {
      if (byte < DIGIT_0 || byte > DIGIT_9) return { word, start: this.#wordStart, id: undefined };
      id = 10 * id + byte - DIGIT_0;
    }
    return { word, start: this.#wordStart, id: id <= MOST_ID ? id : undefined };
  }

  protected add(id: number): void {
    this.#ids[this.#count++] = id;
  }

  protected refuse(offset: number, found: string, expected = this.expected()): never {
    throw this.position.mistake(expected, offset, found);
  }

  protected refuseWord(word: Uint8Array = this.#word): never {
    const text = new TextDecoder().decode(word);
    this.refuse(this.#wordStart, `found ${JSON.stringify(text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text)}`);
  }
}
