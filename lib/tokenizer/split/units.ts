// Texts as code units with positions, so that the same code finds boundaries in strings and in UTF-8.

/** A text to find boundaries in. Positions are between units: `at` is before the unit with that index. */
export interface Units {
  readonly length: number;
  /** The unit at a position; -1 outside the text. Units below 128 are ASCII characters. */
  unit(at: number): number;
  /** Whether the position is not inside a character. */
  isCharacterBoundary(at: number): boolean;
  /** The character that begins there; -1 at the end of the text. Ill-formed units are U+FFFD. */
  after(at: number): number;
  /** The character that ends there; -1 at the beginning of the text. */
  before(at: number): number;
  /** The position midway between two others; both kinds count UTF-16 units. */
  middle(start: number, end: number): number;
}

const REPLACEMENT = 0xfffd;

const isHigh = (unit: number) => (unit & 0xfc00) === 0xd800;
const isLow = (unit: number) => (unit & 0xfc00) === 0xdc00;
const isContinuation = (byte: number) => byte >= 0 && (byte & 0xc0) === 0x80;

/** A string, in UTF-16 units. */
export class StringUnits implements Units {
  readonly length: number;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
    this.length = text.length;
  }

  unit(at: number): number {
    return at >= 0 && at < this.length ? this.#text.charCodeAt(at) : -1;
  }

  isCharacterBoundary(at: number): boolean {
    return !(isLow(this.unit(at)) && isHigh(this.unit(at - 1)));
  }

  after(at: number): number {
    return this.#text.codePointAt(at) ?? -1;
  }

  before(at: number): number {
    const unit = this.unit(at - 1);
    return isLow(unit) && isHigh(this.unit(at - 2)) ? this.after(at - 2) : unit;
  }

  middle(start: number, end: number): number {
    return start + Math.ceil((end - start) / 2);
  }
}

/** UTF-8, in bytes. */
export class ByteUnits implements Units {
  readonly length: number;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.length = bytes.length;
  }

  unit(at: number): number {
    return this.#bytes[at] ?? -1;
  }

  isCharacterBoundary(at: number): boolean {
    return !isContinuation(this.unit(at));
  }

  after(at: number): number {
    const first = this.unit(at);
    if (first < 0x80) return first;
    const length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
    let code = first & (0x7f >> length);
    for (let i = 1; i < length; i++) {
      const byte = this.unit(at + i);
      if (!isContinuation(byte)) return REPLACEMENT;
      code = (code << 6) | (byte & 0x3f);
    }
    return length === 0 ? REPLACEMENT : code;
  }

  before(at: number): number {
    let begin = at - 1;
    while (begin > 0 && begin > at - 4 && isContinuation(this.unit(begin))) begin--;
    return this.after(begin);
  }

  middle(start: number, end: number): number {
    let units = 0;
    for (let at = start; at < end; at++) units += unitsFrom(this.#bytes[at] as number);
    let at = start;
    let left = Math.ceil(units / 2);
    for (; at < end && left > 0; at++) left -= unitsFrom(this.#bytes[at] as number);
    // Move past the whole character, unless the position is between the two units of one.
    while (left === 0 && at < end && isContinuation(this.unit(at))) at++;
    return at;
  }
}

/** The UTF-16 length of the character that a byte begins. */
function unitsFrom(byte: number): number {
  return (byte & 0xc0) === 0x80 ? 0 : byte >= 0xf0 ? 2 : 1;
}

/** The units of a text, for {@link Units} of the same kind. */
export function unitsOf(text: string, isBytes: boolean): ArrayLike<number> {
  return isBytes ? new TextEncoder().encode(text) : Uint16Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));
}

/** Whether these units occur in the text at a position. */
export function holdsAt(text: Units, units: ArrayLike<number>, at: number): boolean {
  for (let i = 0; i < units.length; i++) if (text.unit(at + i) !== units[i]) return false;
  return true;
}
