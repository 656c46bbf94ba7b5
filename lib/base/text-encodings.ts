// Texts as bytes and back: UTF-8 of files and of streams, and base64.

import { TokenizerError } from './errors.js';

/**
 * The text of a file that must be UTF-8, including any byte order mark: with replacement characters, a list of tokens would silently
 * lack tokens. Throws a `TokenizerError` with the position of the first character that is not UTF-8. `file`: the location of the bytes.
 */
export function utf8Text(bytes: Uint8Array, file: string): string {
  const text = textOfWhole(bytes);
  if (text !== undefined) return text;
  let position = 0;
  for (let length: number; (length = characterLength(bytes, position)) > 0; ) position += length;
  const message = `cannot read the tokens of ${file}: it is not UTF-8 from byte ${position} on`;
  throw new TokenizerError(message, { code: 'CORRUPT_STRUCTURE', position });
}

/** Whether a unit is the first half of a surrogate pair. */
export function isHighSurrogate(text: string, index: number): boolean {
  return (text.charCodeAt(index) & 0xfc00) === 0xd800;
}

/** Whether a unit is the second half of a surrogate pair. */
export function isLowSurrogate(text: string, index: number): boolean {
  return (text.charCodeAt(index) & 0xfc00) === 0xdc00;
}

/** Whether a text has an unpaired surrogate, which UTF-8 cannot represent. */
export function hasLoneSurrogate(text: string): boolean {
  return /\p{Surrogate}/u.test(text);
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Undefined for bytes that begin or end within a character, or are not UTF-8. */
export function textOfWhole(bytes: Uint8Array): string | undefined {
  try {
    return strict.decode(bytes);
  } catch {
    return undefined;
  }
}

// UTF-8 that arrives in chunks of any size, such as the bytes of one token at a time.

/** Shorter chunks are decoded by script: a call of a TextDecoder that may go on takes as long. */
const SHORT = 64;
const UNKNOWN = '\ufffd';

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * The texts of all calls together are what `TextDecoder` makes of all bytes: U+FFFD stands for a beginning of a character that does
 * not go on as one. A character that has begun is a few numbers between two calls, so that thousands of streams take little memory.
 */
export class Utf8Run {
  /** The bits of the current character, and how many bytes it still lacks. */
  #code = 0;
  #lacks = 0;
  /** What its next byte is at least and at most. */
  #least = 0x80;
  #greatest = 0xbf;

  /** Whether a character has begun. */
  get isPartial(): boolean {
    return this.#lacks > 0;
  }

  push(bytes: Uint8Array): string {
    const { length } = bytes;
    if (length < SHORT) return this.#decode(bytes, 0, length);
    let text = '';
    let begin = 0;
    while (this.#lacks > 0 && begin < length) text += this.#decode(bytes, begin, ++begin);
    // Only a character of which one of the last three bytes is the first may go on after these bytes.
    let end = length;
    for (let at = Math.max(begin, length - 3); at < length; at++) if ((bytes[at] as number) >= 0xc0) end = at;
    return text + utf8.decode(bytes.subarray(begin, end)) + this.#decode(bytes, end, length);
  }

  /** Ends the text. */
  end(): string {
    const text = this.#lacks > 0 ? UNKNOWN : '';
    this.#lacks = 0;
    return text;
  }

  /** The decoder of the Encoding Standard, byte by byte. */
  #decode(bytes: Uint8Array, from: number, to: number): string {
    let text = '';
    for (let at = from; at < to; at++) {
      const byte = bytes[at] as number;
      if (this.#lacks > 0) {
        if (byte >= this.#least && byte <= this.#greatest) {
          this.#code = (this.#code << 6) | (byte & 0x3f);
          this.#least = 0x80;
          this.#greatest = 0xbf;
          if (--this.#lacks === 0) text += String.fromCodePoint(this.#code);
          continue;
        }
        text += this.end();
      }
      if (byte < 0x80) text += String.fromCharCode(byte);
      else if (byte < 0xc2 || byte > 0xf4) text += UNKNOWN;
      else this.#begin(byte);
    }
    return text;
  }

  #begin(byte: number): void {
    this.#lacks = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
    this.#code = byte & (0x3f >> this.#lacks);
    this.#least = leastAfter(byte);
    this.#greatest = greatestAfter(byte);
  }
}

// The second byte of a character: none takes more bytes than it needs, is a surrogate, or beyond U+10FFFF.

function leastAfter(first: number): number {
  return first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
}

function greatestAfter(first: number): number {
  return first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
}

/** How many bytes the character at a place has; 0 if there is none. */
export function characterLength(bytes: ArrayLike<number>, at: number): number {
  const first = bytes[at] as number;
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  const length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (at + length > bytes.length) return 0;
  let [least, greatest] = [leastAfter(first), greatestAfter(first)];
  for (let next = at + 1; next < at + length; next++) {
    const byte = bytes[next] as number;
    if (byte < least || byte > greatest) return 0;
    [least, greatest] = [0x80, 0xbf];
  }
  return length;
}

// Base64, in which rank files write tokens, and charsmaps.

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** The bytes of a text; undefined if it is not base64. Every host has `atob`. */
export function base64Bytes(text: string): Uint8Array | undefined {
  if (!BASE64.test(text)) return undefined;
  const characters = atob(text);
  const bytes = new Uint8Array(characters.length);
  for (let index = 0; index < bytes.length; index++) bytes[index] = characters.charCodeAt(index);
  return bytes;
}

export function base64Of(bytes: Uint8Array): string {
  let characters = '';
  for (const byte of bytes) characters += String.fromCharCode(byte);
  return btoa(characters);
}

/** The same text in other memory: a slice of a longer string would keep all of that alive. */
export function detachedText(text: string): string {
  return ` ${text}`.slice(1);
}

/** What ends a line or makes a terminal act, and halves of pairs, which UTF-8 does not have. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** The text with escapes for control characters and line ends: errors of `JSON.parse` quote a part of a file as it is. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (character) => {
    const escaped = JSON.stringify(character).slice(1, -1);
    return escaped === character ? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}` : escaped;
  });
}
