// Lines of JSON, one document each.

import { isUtf8 } from 'node:buffer';

import { printable } from '../../base/base64.js';
import { JsonTexts } from '../../hosts/addon/json-texts.js';
import { type Damage, type DocumentReader, type Filled, LONGEST, type TextBatch } from '../text-batch.js';
import type { ByteWindow } from './input-bytes.js';
import { keysOf, type Texts, textsAt } from './text-of.js';

const LINE_FEED = 0x0a;
/** Bytes of lines to look at together, at least. */
const AT_ONCE = 64 * 1024;
const BYTE_ORDER_MARK = Buffer.from('\uFEFF');

export class JsonLines implements DocumentReader {
  readonly #window: ByteWindow;
  readonly #text: Texts;
  /** Takes what it can of lines that are UTF-8. Undefined without an addon. */
  readonly #lines: JsonTexts | undefined;
  /** How many bytes of the window are known to hold no line feed. */
  #searched = 0;
  /** The end of the lines that were last checked together, and whether all of them are UTF-8. */
  #checked = 0;
  #areUtf8 = true;

  constructor(window: ByteWindow, field: string) {
    this.#window = window;
    this.#text = textsAt(field);
    this.#lines = JsonTexts.at(keysOf(field));
  }

  get position(): number {
    return this.#window.position;
  }

  get fileBytes(): number {
    return this.#window.fileBytes;
  }

  async fill(batch: TextBatch, size: number): Promise<Filled> {
    while (batch.size < size) {
      if (this.#takeLines(batch, size)) continue;
      const length = await this.#nextLine();
      if (length === 0) return 'end';
      const damage = this.#add(batch, length);
      if (damage) return damage;
    }
    return 'full';
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#window[Symbol.asyncDispose]();
  }

  /** Adds the documents of whole lines, as far as they are as usual. False if the next line is not, or not there. */
  #takeLines(batch: TextBatch, size: number): boolean {
    const { position } = this;
    if (!this.#lines || this.#markLength() > 0) return false;
    const { begin, buffer } = this.#window;
    const length = this.#utf8Lines();
    if (length === 0) return false;
    const input = buffer.subarray(begin, begin + length);
    // A line's text is shorter than the line. Not many more lines than are wanted, so that a batch stays small.
    const maxBytes = Math.max(AT_ONCE, size - batch.size);
    const some = maxBytes >= length ? length : input.lastIndexOf(LINE_FEED, maxBytes - 1) + 1;
    const lines = input.subarray(0, some || input.indexOf(LINE_FEED) + 1);
    if (lines.length > LONGEST) return false;
    const { consumed, produced, rows, empty } = this.#lines.read(lines, batch.room(lines.length), size - batch.size);
    if (produced > 0) batch.addRows(rows, position);
    batch.empty += empty;
    this.#take(consumed);
    return consumed > 0;
  }

  /** The length of the next line, its end included; 0 behind the last. */
  async #nextLine(): Promise<number> {
    const window = this.#window;
    for (;;) {
      const { bytes } = window;
      const found = bytes.indexOf(LINE_FEED, this.#searched);
      if (found >= 0) return found + 1;
      this.#searched = bytes.length;
      // No string holds a longer one.
      if (bytes.length > 2 * LONGEST || !(await window.more())) return bytes.length;
    }
  }

  /** Adds the document of the line of this length. */
  #add(batch: TextBatch, length: number): Damage | undefined {
    const { bytes, position } = this.#window;
    try {
      const line = bytes.subarray(this.#markLength(), length);
      if (!isUtf8(line)) throw new Error('it is not UTF-8');
      const json = line.toString();
      const text = json.trim() === '' ? '' : this.#text(JSON.parse(json));
      if (text.length > LONGEST) throw new Error(`its text is longer than ${LONGEST} units`);
      if (text === '') batch.empty++;
      else batch.addString(text, position);
      return undefined;
    } catch (error) {
      return { begin: position, reason: printable((error as Error).message) };
    } finally {
      this.#take(length);
    }
  }

  #take(length: number): void {
    this.#window.take(length);
    this.#searched = 0;
  }

  /** Of the mark that the input begins with. */
  #markLength(): number {
    const { length } = BYTE_ORDER_MARK;
    return this.position === 0 && this.#window.bytes.subarray(0, length).equals(BYTE_ORDER_MARK) ? length : 0;
  }

  /** How many bytes of the window are whole lines of UTF-8: all of its lines, or none if one of them is something else. */
  #utf8Lines(): number {
    const { bytes, position } = this.#window;
    if (this.#checked <= position) {
      const found = bytes.subarray(this.#searched).lastIndexOf(LINE_FEED);
      const length = found < 0 ? 0 : this.#searched + found + 1;
      this.#checked = position + length;
      this.#areUtf8 = isUtf8(bytes.subarray(0, length));
    }
    return this.#areUtf8 ? this.#checked - position : 0;
  }
}
