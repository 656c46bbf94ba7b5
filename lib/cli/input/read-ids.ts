// Token ids from text in one of these forms: numbers separated by white space or commas, a JSON array of them, or the
// output of `crayon encode --json`. Ids are returned as they arrive, in memory that does not grow with the input.

import { AN_ID, foundByte, IdText, InputPosition } from './id-text.js';
import { JsonIds } from './json-ids.js';
import { InputError } from '../command-errors.js';

const BYTE_ORDER_MARK = Buffer.of(0xef, 0xbb, 0xbf);
const UTF16_MARKS = [Buffer.of(0xff, 0xfe), Buffer.of(0xfe, 0xff)];

const OPENING_BRACKETS = [0x5b, 0x7b];
const LINE_FEED = 0x0a;
const COMMA = 0x2c;

/** The ids of an input, in parts. Throws an InputError with the position of anything unexpected. */
export async function* readIds(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint32Array> {
  const position = new InputPosition();
  let reader: IdText | undefined;
  let isJson = false;
  let ready: Uint32Array = new Uint32Array();
  for await (const bytes of withoutMark(chunks, position)) {
    const start = reader ? 0 : skipSpace(bytes, position);
    if (start === bytes.length) continue;
    isJson ||= !reader && OPENING_BRACKETS.includes(bytes[start] as number);
    reader ??= isJson ? new JsonIds(position) : new PlainIds(position);
    const ids = reader.read(bytes.subarray(start));
    // JSON may turn out to be damaged at its end: its ids wait until the next part is read, so that short JSON gives
    // all or none. Plain ids do not wait, since they may be written one at a time.
    yield isJson ? ready : ids;
    ready = ids;
  }
  const last = reader?.readEnd() ?? ready;
  yield isJson ? ready : last;
}

async function* withoutMark(chunks: AsyncIterable<Uint8Array>, position: InputPosition): AsyncGenerator<Uint8Array> {
  let head: Buffer | undefined = Buffer.alloc(0);
  for await (const chunk of chunks) {
    if (head === undefined) {
      yield chunk;
      continue;
    }
    head = Buffer.concat([head, chunk]);
    if (head.length < BYTE_ORDER_MARK.length) continue;
    yield textOf(head, position);
    head = undefined;
  }
  if (head !== undefined) yield textOf(head, position);
}

function textOf(head: Buffer, position: InputPosition): Uint8Array {
  const begins = (mark: Buffer) => head.subarray(0, mark.length).equals(mark);
  if (UTF16_MARKS.some(begins)) throw new InputError('is UTF-16 text, and ids are read as UTF-8');
  if (!begins(BYTE_ORDER_MARK)) return head;
  position.advance(BYTE_ORDER_MARK.length);
  position.skipColumns(BYTE_ORDER_MARK.length);
  return head.subarray(BYTE_ORDER_MARK.length);
}

/** Returns the end of the leading white space. */
function skipSpace(bytes: Uint8Array, position: InputPosition): number {
  let index = 0;
  for (; index < bytes.length && isSpace(bytes[index] as number); index++) {
    if (bytes[index] === LINE_FEED) position.endLine(position.offset(index));
  }
  position.advance(index);
  return index;
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
}

/** Ids between white space, with or without a comma. */
class PlainIds extends IdText {
  /** Whether a comma may come next, and whether an id must. */
  #afterId = false;
  #afterComma = false;

  protected feed(byte: number, offset: number): void {
    if (byte !== COMMA && !isSpace(byte)) {
      this.addToWord(byte, offset);
      return;
    }
    if (this.isInWord) this.#endWord();
    if (byte === LINE_FEED) this.position.endLine(offset);
    if (byte !== COMMA) return;
    if (!this.#afterId) this.refuse(offset, foundByte(byte));
    this.#afterId = false;
    this.#afterComma = true;
  }

  protected end(offset: number): void {
    if (this.isInWord) this.#endWord();
    if (this.#afterComma) this.refuse(offset, 'the input ends there: it is incomplete');
  }

  protected expected(): string {
    return AN_ID;
  }

  #endWord(): void {
    const { word, id } = this.takeWord();
    if (id === undefined) this.refuseWord(word);
    this.add(id);
    this.#afterId = true;
    this.#afterComma = false;
  }
}
