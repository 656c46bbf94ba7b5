// Resumes reading after damage: finds the start of the next record, if that is certain. In FASTA a '>' at the start of a line always
// begins a record. In FASTQ '@' may also be a quality, so the search is for four lines that can only be a record:
//
//   @name↵bases↵+↵as many qualities as bases↵     and then '@', or the end of the file

import type { ByteSource } from '../../io/gzip.js';
import { FASTA, type Format } from '../../engine/record-parser.js';

const NOTHING = new Uint8Array(0);
const LINE_END = 0x0a;
const RETURN = 0x0d;
const SPACE = 0x20;
const TAB = 0x09;
const GREATER = 0x3e;
const AT = 0x40;
const PLUS = 0x2b;
/** The longest line of a FASTQ record to examine, and how much to keep of a record in case it turns out to be damaged. */
const LONGEST = 4 * 1024 * 1024;

/** Bytes, and their position in the file. */
interface PlacedBytes {
  position: number;
  bytes: Uint8Array;
}

/** The bytes of a file, one chunk at a time. */
export class FileBytes {
  readonly #source: ByteSource;
  /** The rest of the chunk, and its position in the file. */
  chunk: Uint8Array = NOTHING;
  position = 0;
  /** The whole chunk, before anything was taken. */
  whole: PlacedBytes = { position: 0, bytes: NOTHING };
  /** Whether the chunk is the last. */
  isAtEnd = false;

  constructor(source: ByteSource) {
    this.#source = source;
  }

  take(count: number): void {
    this.chunk = this.chunk.subarray(count);
    this.position += count;
  }

  /** Discards the rest of the chunk and moves to the next one, which is empty at the end. */
  async next(): Promise<void> {
    this.take(this.chunk.length);
    const next = await this.#source.next();
    this.isAtEnd = next === undefined;
    this.goTo(this.position, next ?? NOTHING);
  }

  /** Replaces the chunk with these bytes, which precede the next ones. */
  goTo(position: number, bytes: Uint8Array): void {
    this.whole = { position, bytes };
    this.position = position;
    this.chunk = bytes;
  }
}

/** The part of a record read in earlier chunks. */
export class EarlierBytes {
  /** The position of the record in the file. */
  #position = -1;
  /** Undefined if too much has been read. */
  #parts: Uint8Array[] | undefined;
  #length = 0;

  /** Saves the chunk before it is replaced; `begin`: the position of the current record. */
  keep({ whole }: FileBytes, begin: number): void {
    if (begin !== this.#position) {
      this.#position = begin;
      this.#parts = [];
      this.#length = 0;
    }
    const part = rest(whole, begin);
    this.#length += part.length;
    if (this.#length > LONGEST) this.#parts = undefined;
    this.#parts?.push(part.slice());
  }

  /** Returns to the beginning of the record, unless too much of it has been read. */
  goBack(file: FileBytes, begin: number): void {
    const before = begin < file.whole.position ? this.#parts : [];
    if (before) file.goTo(begin, Buffer.concat([...before, rest(file.whole, begin)]));
  }
}

function rest({ position, bytes }: PlacedBytes, begin: number): Uint8Array {
  return bytes.subarray(Math.max(0, begin - position));
}

/** Moves to the next record; false if there is none, or none that is certain. */
export function findNext(format: Format, bytes: FileBytes, signal: AbortSignal): Promise<boolean> {
  return format === FASTA ? nextHeader(bytes, signal) : nextWhole(bytes, signal);
}

async function nextHeader(bytes: FileBytes, signal: AbortSignal): Promise<boolean> {
  for (let isLineStart = false; ; ) {
    const { chunk } = bytes;
    for (let at = 0; at < chunk.length; ) {
      if (isLineStart && chunk[at] === GREATER) {
        bytes.take(at);
        return true;
      }
      const end = chunk.indexOf(LINE_END, at);
      isLineStart = end >= 0;
      at = isLineStart ? end + 1 : chunk.length;
    }
    signal.throwIfAborted();
    if (bytes.isAtEnd) return false;
    await bytes.next();
  }
}

async function nextWhole(bytes: FileBytes, signal: AbortSignal): Promise<boolean> {
  const last: PlacedBytes[] = [];
  let isFirst = true;
  for await (const line of linesOf(bytes, signal)) {
    // The first line is the rest of a line, or the header of the damaged record.
    if (isFirst) isFirst = false;
    else last.push(line);
    if (last.length > 5) last.shift();
    if (last.length === 5 && isRecord(last)) return goToFirst(last, bytes);
  }
  if (last.length === 5) last.shift();
  return last.length === 4 && isRecord(last) && goToFirst(last, bytes);
}

function goToFirst(lines: readonly PlacedBytes[], bytes: FileBytes): true {
  bytes.goTo((lines[0] as PlacedBytes).position, Buffer.concat([...lines.map((line) => line.bytes), bytes.chunk]));
  return true;
}

/** Lines with their ends; a line too long to examine has no bytes. */
async function* linesOf(bytes: FileBytes, signal: AbortSignal): AsyncGenerator<PlacedBytes> {
  let parts: Uint8Array[] = [];
  let length = 0;
  let position = bytes.position;
  for (;;) {
    const { chunk } = bytes;
    const end = chunk.indexOf(LINE_END) + 1;
    const part = end > 0 ? chunk.slice(0, end) : chunk.slice();
    length += part.length;
    if (length <= LONGEST) parts.push(part);
    else parts = [];
    bytes.take(part.length);
    if (end > 0 || (bytes.isAtEnd && length > 0)) {
      yield { position, bytes: length <= LONGEST ? Buffer.concat(parts) : NOTHING };
      parts = [];
      length = 0;
      position = bytes.position;
      continue;
    }
    if (bytes.isAtEnd) return;
    signal.throwIfAborted();
    await bytes.next();
  }
}

/**
 * Whether these lines are a record, followed by the beginning of another. A line of qualities that begins with '@' is not taken for a
 * header: the line after it is the header of the next record, which is not a line of bases. (Unless qualities have several lines of
 * different lengths, one of them '+', which nobody writes.)
 */
function isRecord([header, bases, plus, qualities, next]: readonly PlacedBytes[]): boolean {
  const [name, sequence, separator, codes] = [header, bases, plus, qualities].map((line) =>
    content((line as PlacedBytes).bytes),
  ) as Uint8Array[];
  if (name?.[0] !== AT || name.length < 2 || !sequence || !separator || !codes) return false;
  if (sequence.length === 0 || sequence.length !== codes.length || separator[0] !== PLUS) return false;
  if (next && next.bytes[0] !== AT) return false;
  const isRepeated = separator.length === name.length && separator.every((byte, at) => at === 0 || byte === name[at]);
  if (separator.length > 1 && !isRepeated) return false;
  return sequence.every(isBase) && codes.every((byte) => byte >= 0x21 && byte <= 0x7e);
}

/** A line without its line end, and blanks before that. */
function content(line: Uint8Array): Uint8Array {
  let end = line.length;
  if (line[end - 1] === LINE_END) end--;
  if (line[end - 1] === RETURN) end--;
  while (line[end - 1] === SPACE || line[end - 1] === TAB) end--;
  return line.subarray(0, end);
}

function isBase(byte: number): boolean {
  const letter = byte | 0x20;
  return (letter >= 0x61 && letter <= 0x7a) || byte === 0x2a || byte === 0x2d || byte === 0x2e;
}
