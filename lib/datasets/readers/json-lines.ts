// Lines of JSON, one document each.

import { isUtf8 } from 'node:buffer';

import { printable } from '../../base/text-encodings.js';
import { JsonTexts } from '../../hosts/addon/json-texts.js';
import { type Damage, type DocumentReader, LONGEST, type TextBatch } from '../text-batch.js';
import { type ByteWindow, readerOf } from './input-bytes.js';
import { keysOf, NoSuchField, textsAt } from './text-of.js';

const LINE_FEED = 0x0a;
/** Bytes of lines to look at together, at least. */
const AT_ONCE = 64 * 1024;
const BYTE_ORDER_MARK = Buffer.from('\uFEFF');

export function jsonLines(window: ByteWindow, field: string): DocumentReader {
  const textOf = textsAt(field);
  /** Takes what it can of lines that are UTF-8. Undefined without an addon. */
  const texts = JsonTexts.at(keysOf(field));
  /** How many bytes of the window are known to hold no line feed. */
  let searched = 0;
  /** The end of the lines that were last checked together, and whether all of them are UTF-8. */
  let checked = 0;
  let areUtf8 = true;

  function take(length: number): void {
    window.take(length);
    searched = 0;
  }

  /** The length of the byte order mark with which the input begins. */
  function markLength(): number {
    const { length } = BYTE_ORDER_MARK;
    return window.position === 0 && window.bytes.subarray(0, length).equals(BYTE_ORDER_MARK) ? length : 0;
  }

  /** How many bytes of the window are whole lines of UTF-8: all of its lines, or none if one of them is something else. */
  function utf8Lines(): number {
    const { bytes, position } = window;
    if (checked <= position) {
      const found = bytes.subarray(searched).lastIndexOf(LINE_FEED);
      const length = found < 0 ? 0 : searched + found + 1;
      checked = position + length;
      areUtf8 = isUtf8(bytes.subarray(0, length));
    }
    return areUtf8 ? checked - position : 0;
  }

  /** Adds the documents of whole lines, as far as they are as usual. False if the next line is not, or not there. */
  function takeLines(batch: TextBatch, size: number): boolean {
    const { position } = window;
    if (!texts || markLength() > 0) return false;
    const { begin, buffer } = window;
    const length = utf8Lines();
    if (length === 0) return false;
    const input = buffer.subarray(begin, begin + length);
    // A line's text is shorter than the line. Not many more lines than are wanted, so that a batch stays small.
    const maxBytes = Math.max(AT_ONCE, size - batch.size);
    const some = maxBytes >= length ? length : input.lastIndexOf(LINE_FEED, maxBytes - 1) + 1;
    const lines = input.subarray(0, some || input.indexOf(LINE_FEED) + 1);
    if (lines.length > LONGEST) return false;
    const { consumed, produced, rows, empty } = texts.read(lines, batch.room(lines.length), size - batch.size);
    if (produced > 0) batch.addRows(rows, position);
    batch.empty += empty;
    take(consumed);
    return consumed > 0;
  }

  /** The length of the next line, its end included; 0 behind the last. */
  async function nextLine(): Promise<number> {
    for (;;) {
      const { bytes } = window;
      const found = bytes.indexOf(LINE_FEED, searched);
      if (found >= 0) return found + 1;
      searched = bytes.length;
      // No string holds a longer one.
      if (bytes.length > 2 * LONGEST || !(await window.more())) return bytes.length;
    }
  }

  /** Adds the document of the line of this length. */
  function add(batch: TextBatch, length: number): Damage | undefined {
    const { bytes, position } = window;
    try {
      const line = bytes.subarray(markLength(), length);
      if (!isUtf8(line)) throw new Error('it is not UTF-8');
      const json = line.toString();
      const text = json.trim() === '' ? '' : textOf(JSON.parse(json));
      if (text.length > LONGEST) throw new Error(`its text is longer than ${LONGEST} units`);
      if (text === '') batch.empty++;
      else batch.addString(text, position);
      return undefined;
    } catch (error) {
      return { begin: position, reason: printable((error as Error).message), hasOtherKeys: error instanceof NoSuchField };
    } finally {
      take(length);
    }
  }

  return readerOf(window, async (batch, size) => {
    while (batch.size < size) {
      if (takeLines(batch, size)) continue;
      const length = await nextLine();
      if (length === 0) return 'end';
      const damage = add(batch, length);
      if (damage) return damage;
    }
    return 'full';
  });
}
