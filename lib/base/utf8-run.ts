// UTF-8 that arrives in parts of any size, such as the bytes of one token at a time, to text.

/** Shorter parts are decoded here: a call of TextDecoder that may go on takes as long. */
const SHORT = 64;
const UNKNOWN = '\ufffd';

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * The texts of all calls together are what `TextDecoder` makes of all bytes: U+FFFD stands for a beginning of a character that does
 * not go on as one. Between calls, a character that has begun is kept as numbers, so that thousands of streams take little memory.
 */
export class Utf8Run {
  /** The bits of the current character, and how many bytes it still lacks. */
  #code = 0;
  #lacks = 0;
  /** What its next byte is at least and at most. */
  #least = 0x80;
  #most = 0xbf;

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
        if (byte >= this.#least && byte <= this.#most) {
          this.#code = (this.#code << 6) | (byte & 0x3f);
          this.#least = 0x80;
          this.#most = 0xbf;
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
    this.#most = mostAfter(byte);
  }
}

// The second byte of a character: none takes more bytes than it needs, is a surrogate, or beyond U+10FFFF.

function leastAfter(first: number): number {
  return first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
}

function mostAfter(first: number): number {
  return first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
}

/** How many bytes the character at a place has; 0 if there is none. */
export function characterLength(bytes: ArrayLike<number>, at: number): number {
  const first = bytes[at] as number;
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  const length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (at + length > bytes.length) return 0;
  let [least, most] = [leastAfter(first), mostAfter(first)];
  for (let next = at + 1; next < at + length; next++) {
    const byte = bytes[next] as number;
    if (byte < least || byte > most) return 0;
    [least, most] = [0x80, 0xbf];
  }
  return length;
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
