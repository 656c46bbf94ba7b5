// Lines of JSON, one document each.

import { isUtf8 } from 'node:buffer';

import { printable } from '../../base/texts.js';
import { JsonTexts } from '../../native/json-texts.js';
import type { TextBatch } from '../text-batch.js';
import { ByteWindow, openBytes } from './byte-stream.js';
import type { InputFile } from './input-file.js';
import { type Damaged, type DocumentReader, LONGEST } from './reader.js';
import { keysOf, type Texts, textsAt } from './text-of.js';

const LINE_FEED = 0x0a;
/** Bytes of lines to look at together, at least. */
const AT_ONCE = 64 * 1024;
const BYTE_ORDER_MARK = Buffer.from('\uFEFF');

export class JsonLines implements DocumentReader {
  readonly #window: ByteWindow;
  readonly #text: Texts;
  readonly #textOfBytes: Texts;
  readonly #damaged: Damaged;
  /** Takes what it can of lines that are UTF-8. */
  readonly #lines: JsonTexts | undefined;
  /** How many bytes of the window are known to hold no line feed. */
  #searched = 0;
  /** Lines up to here, in the source, are known to be UTF-8. */
  #utf8 = 0;
  /** Lines up to here are checked one by one, since some of them are not. */
  #failed = -1;
  /** The first escape of a code unit at or behind the window's beginning, in its source. */
  #escape = -1;
  empty = 0;

  private constructor(window: ByteWindow, field: string, damaged: Damaged) {
    this.#window = window;
    this.#text = textsAt(field);
    this.#textOfBytes = textsAt(Buffer.from(field).toString('latin1'));
    this.#damaged = damaged;
    this.#lines = JsonTexts.at(keysOf(field));
  }

  static async open(file: InputFile, from: number, to: number | null, field: string, damaged: Damaged): Promise<JsonLines> {
    return new JsonLines(new ByteWindow(await openBytes(file, from, to), from), field, damaged);
  }

  get position(): number {
    return this.#window.position;
  }

  get fileBytes(): number {
    return this.#window.fileBytes;
  }

  async fill(batch: TextBatch, size: number): Promise<boolean> {
    const window = this.#window;
    while (batch.size < size) {
      if (this.#takeLines(batch, size)) continue;
      const found = window.buffer.indexOf(LINE_FEED, window.begin + this.#searched);
      if (found >= 0 && found < window.end) this.#add(batch, found + 1 - window.begin);
      else {
        this.#searched = window.end - window.begin;
        // No string holds a longer one.
        if (this.#searched <= 2 * LONGEST && (await this.#more())) continue;
        if (this.#searched === 0) return false;
        this.#add(batch, this.#searched);
      }
      this.#searched = 0;
    }
    return true;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#window[Symbol.asyncDispose]();
  }

  /** Adds the documents of whole lines, as far as they are as usual. False if the next line is not, or not there. */
  #takeLines(batch: TextBatch, size: number): boolean {
    const { position } = this;
    if (!this.#lines || (position === 0 && this.#beginsWithMark())) return false;
    const { begin, buffer } = this.#window;
    const length = this.#utf8Lines();
    if (length === 0) return false;
    const input = buffer.subarray(begin, begin + length);
    // A line's text is shorter than the line. Not many more lines than are wanted, so that a batch stays small.
    const most = Math.max(AT_ONCE, size - batch.size);
    const some = most >= length ? length : input.lastIndexOf(LINE_FEED, most - 1) + 1;
    const lines = input.subarray(0, some || input.indexOf(LINE_FEED) + 1);
    if (lines.length > LONGEST) return false;
    const { consumed, produced, rows, empty } = this.#lines.read(lines, batch.room(lines.length), size - batch.size);
    if (produced > 0) batch.addRows(rows, position);
    this.empty += empty;
    this.#window.take(consumed);
    this.#searched = 0;
    return consumed > 0;
  }

  async #more(): Promise<boolean> {
    const more = await this.#window.more();
    this.#escape = -1;
    return more;
  }

  /** Adds the document of the line of this length, its end included. */
  #add(batch: TextBatch, length: number): void {
    const { position } = this;
    const begin = this.#window.begin + (position === 0 && this.#beginsWithMark() ? BYTE_ORDER_MARK.length : 0);
    const end = this.#window.begin + length;
    try {
      this.#addText(batch, begin, end);
    } catch (error) {
      this.#window.take(length);
      this.#damaged(position, printable((error as Error).message));
      return;
    }
    this.#window.take(length);
  }

  #addText(batch: TextBatch, begin: number, end: number): void {
    const { buffer, position } = this.#window;
    if (!this.#isUtf8(begin, end)) throw new Error('it is not UTF-8');
    // Without such escapes, each byte can pass through as a character: that spares decoding and encoding all of them.
    const bytes = this.#hasEscape(end) ? undefined : textOrUndefined(buffer.toString('latin1', begin, end), this.#textOfBytes);
    // If that is an error, once more for its message.
    const text = bytes ?? textOf(buffer.toString('utf8', begin, end), this.#text);
    if (text === '') this.empty++;
    else if (text.length > LONGEST) throw new Error(`its text is longer than ${LONGEST} units`);
    else if (bytes !== undefined) batch.addLatin1(text, position);
    else batch.addString(text, position);
  }

  #beginsWithMark(): boolean {
    return this.#window.bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
  }

  /** Whether the window's bytes are UTF-8: checked for all its lines together if that is so, as nearly always. */
  #isUtf8(begin: number, end: number): boolean {
    const { buffer, begin: first, position } = this.#window;
    if (position + (end - first) <= this.#utf8) return true;
    const last = Math.max(end, buffer.lastIndexOf(LINE_FEED, this.#window.end - 1) + 1);
    if (this.#failed < position && isUtf8(buffer.subarray(begin, last))) {
      this.#utf8 = position + (last - first);
      return true;
    }
    // Up to there, each line by itself.
    this.#failed = Math.max(this.#failed, position + (last - first) - 1);
    return isUtf8(buffer.subarray(begin, end));
  }

  /** How many bytes of the window are whole lines of UTF-8. */
  #utf8Lines(): number {
    const { position } = this;
    if (this.#utf8 > position) return this.#utf8 - position;
    if (this.#failed >= position) return 0;
    const { buffer, begin, end } = this.#window;
    const found = buffer.subarray(begin + this.#searched, end).lastIndexOf(LINE_FEED);
    const last = begin + this.#searched + found + 1;
    return found >= 0 && this.#isUtf8(begin, last) ? this.#utf8 - position : 0;
  }

  /** Whether there is an escape of a code unit before `end`. */
  #hasEscape(end: number): boolean {
    const { buffer, begin, position } = this.#window;
    if (this.#escape < position) {
      const found = buffer.indexOf('\\u', begin, 'latin1');
      this.#escape = found < 0 ? Number.POSITIVE_INFINITY : position + (found - begin);
    }
    return this.#escape < position + (end - begin);
  }
}

function textOf(json: string, texts: Texts): string {
  return json.trim() === '' ? '' : texts(JSON.parse(json));
}

function textOrUndefined(json: string, texts: Texts): string | undefined {
  try {
    return textOf(json, texts);
  } catch {
    return undefined;
  }
}
