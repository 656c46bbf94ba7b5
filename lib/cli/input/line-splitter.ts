// Chunks of bytes to lines, in time that is linear in their length.

const LINE_FEED = 0x0a;
const EMPTY = Buffer.alloc(0);

/** The longest line in bytes: about what a string holds. */
export const LONGEST_LINE = 2 ** 29 - 25;

export class LineSplitter {
  /** The beginning of the next line. */
  #parts: Uint8Array[] = [];
  #size = 0;

  /** The lines that end in a chunk, without their line feeds. Undefined in place of a line that is too long. */
  push(chunk: Uint8Array): (Buffer | undefined)[] {
    const lines: (Buffer | undefined)[] = [];
    let from = 0;
    for (let end: number; (end = chunk.indexOf(LINE_FEED, from)) >= 0; from = end + 1) {
      this.#add(chunk.subarray(from, end));
      lines.push(this.#line());
    }
    this.#add(chunk.subarray(from));
    return lines;
  }

  /** The last line, if no line feed ends it. */
  end(): (Buffer | undefined)[] {
    return this.#size > 0 ? [this.#line()] : [];
  }

  #add(part: Uint8Array): void {
    if (part.length === 0) return;
    this.#size += part.length;
    if (this.#size > LONGEST_LINE) this.#parts = [];
    else this.#parts.push(part);
  }

  #line(): Buffer | undefined {
    const [first, ...others] = this.#parts;
    const isTooLong = this.#size > LONGEST_LINE;
    this.#parts = [];
    this.#size = 0;
    if (isTooLong) return undefined;
    if (first === undefined) return EMPTY;
    return others.length > 0 ? Buffer.concat([first, ...others]) : Buffer.from(first.buffer, first.byteOffset, first.length);
  }
}
