// Token ids from text in one of these forms: numbers separated by white space or commas, a JSON array of them, or the
// output of `crayon encode --json`. Ids are returned as they arrive, in memory that does not grow with the input.

import { AN_ID, FoundIds, foundByte, InputPosition, Word } from './id-text.js';
import { JsonIds } from './json-ids.js';
import { JsonReader } from './json-reader.js';
import { InputError } from '../output/streams.js';

interface IdReader {
  feed(bytes: Uint8Array): void;
  end(): void;
}

const BYTE_ORDER_MARK = Buffer.of(0xef, 0xbb, 0xbf);
const UTF16_MARKS = [Buffer.of(0xff, 0xfe), Buffer.of(0xfe, 0xff)];

const OPENING_BRACKETS = [0x5b, 0x7b];
const LINE_FEED = 0x0a;
const COMMA = 0x2c;

/** The ids of an input, in parts. Throws an InputError with the position of anything unexpected. */
export async function* readIds(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint32Array> {
  const position = new InputPosition();
  const found = new FoundIds();
  let reader: IdReader | undefined;
  let isJson = false;
  let ready: Uint32Array = new Uint32Array();
  for await (const bytes of withoutMark(chunks, position)) {
    const start = reader ? 0 : skipSpace(bytes, position);
    if (start === bytes.length) continue;
    const rest = bytes.subarray(start);
    isJson ||= !reader && OPENING_BRACKETS.includes(rest[0] as number);
    reader ??= isJson ? new JsonReader(position, new Word(), new JsonIds(position, found)) : new PlainIds(position, found);
    found.reserve(rest.length);
    reader.feed(rest);
    // JSON may turn out to be damaged at its end: its ids wait until the next part is read, so that short JSON gives
    // all or none. Plain ids do not wait, since they may be written one at a time.
    if (isJson) yield ready;
    ready = found.take();
    if (!isJson) yield ready;
  }
  found.reserve(0);
  reader?.end();
  yield isJson ? ready : found.take();
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
    if (bytes[index] === LINE_FEED) position.endLine(index);
  }
  position.advance(index);
  return index;
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
}

/** Ids between white space, with or without a comma. */
class PlainIds implements IdReader {
  readonly #position: InputPosition;
  readonly #found: FoundIds;
  readonly #word = new Word();
  /** Whether a comma may come next, and whether an id must. */
  #afterId = false;
  #afterComma = false;

  constructor(position: InputPosition, found: FoundIds) {
    this.#position = position;
    this.#found = found;
  }

  feed(bytes: Uint8Array): void {
    const word = this.#word;
    for (let index = 0; index < bytes.length; index++) {
      const byte = bytes[index] as number;
      if (byte !== COMMA && !isSpace(byte)) {
        if (word.isEmpty) word.start = this.#position.offset(index);
        if (!word.push(byte)) this.#refuse(word.start, word.found());
        continue;
      }
      if (!word.isEmpty) this.#endWord();
      if (byte === LINE_FEED) this.#position.endLine(index);
      if (byte !== COMMA) continue;
      if (!this.#afterId) this.#refuse(this.#position.offset(index), foundByte(byte));
      this.#afterId = false;
      this.#afterComma = true;
    }
    this.#position.advance(bytes.length);
  }

  end(): void {
    if (!this.#word.isEmpty) this.#endWord();
    if (this.#afterComma) this.#refuse(this.#position.offset(0), 'the input ends there: it is incomplete');
  }

  #endWord(): void {
    const id = this.#word.id();
    if (id === undefined) this.#refuse(this.#word.start, this.#word.found());
    this.#found.push(id);
    this.#word.clear();
    this.#afterId = true;
    this.#afterComma = false;
  }

  #refuse(offset: number, found: string): never {
    throw this.#position.mistake(AN_ID, offset, found);
  }
}
