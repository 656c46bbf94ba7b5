// Lines of JSON, one document each.

import { isUtf8 } from 'node:buffer';

import type { DatasetInput } from '../manifest.js';
import type { TextBatch } from '../text-batch.js';
import { ByteWindow, openBytes } from './byte-stream.js';
import { type Damaged, type DocumentReader, LONGEST } from './reader.js';
import { type Texts, textsAt } from './text-of.js';

const LINE_FEED = 0x0a;
const BYTE_ORDER_MARK = Buffer.from('\uFEFF');

export class JsonLines implements DocumentReader {
  readonly #window: ByteWindow;
  readonly #text: Texts;
  readonly #damaged: Damaged;
  /** How many bytes of the window are known to hold no line feed. */
  #searched = 0;
  empty = 0;

  private constructor(window: ByteWindow, field: string, damaged: Damaged) {
    this.#window = window;
    this.#text = textsAt(field);
    this.#damaged = damaged;
  }

  static async open(input: DatasetInput, from: number, to: number | null, field: string, damaged: Damaged): Promise<JsonLines> {
    return new JsonLines(new ByteWindow(await openBytes(input, from, to), from), field, damaged);
  }

  get position(): number {
    return this.#window.position;
  }

  async fill(batch: TextBatch, size: number): Promise<boolean> {
    while (batch.size < size) {
      const length = await this.#lineLength();
      if (length === 0) return false;
      const line = this.#window.bytes.subarray(0, length);
      this.#add(batch, this.position === 0 ? withoutMark(line) : line);
      this.#window.take(length);
    }
    return true;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#window[Symbol.asyncDispose]();
  }

  /** The length of the next line with its end; 0 behind the last. */
  async #lineLength(): Promise<number> {
    for (;;) {
      const { bytes } = this.#window;
      const end = bytes.indexOf(LINE_FEED, this.#searched);
      this.#searched = end < 0 ? bytes.length : 0;
      if (end >= 0) return end + 1;
      if (bytes.length > 2 * LONGEST) return bytes.length; // which no string holds
      if (await this.#window.more()) continue;
      this.#searched = 0;
      return bytes.length;
    }
  }

  #add(batch: TextBatch, line: Buffer): void {
    const { position } = this;
    let text: string | undefined;
    try {
      if (!isUtf8(line)) throw new Error('it is not UTF-8');
      const json = line.toString();
      text = json.trim() === '' ? '' : this.#text(JSON.parse(json));
    } catch (error) {
      this.#damaged(position, (error as Error).message);
      return;
    }
    if (text === '') this.empty++;
    else if (text.length > LONGEST) this.#damaged(position, `its text is longer than ${LONGEST} units`);
    else batch.addString(text, position);
  }
}

function withoutMark(line: Buffer): Buffer {
  return line.subarray(0, 3).equals(BYTE_ORDER_MARK) ? line.subarray(3) : line;
}
