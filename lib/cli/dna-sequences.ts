// The sequences of FASTA and FASTQ files in parts, so that memory does not grow with a sequence.

import { missing } from '../native/addon.js';
import { gunzipInNode } from '../records/gunzip-in-node.js';
import { inflated } from '../records/gzip.js';
import { headerOf } from '../records/headers.js';
import {
  BEGINS,
  ENDS,
  FASTA,
  FASTQ,
  type Format,
  type OpenParser,
  PART_FLAGS,
  PART_HEADER,
  PART_QUALITY,
  PART_SEQUENCE,
  PART_WORDS,
  type ReadParts,
  type RecordFailure,
  ROOM,
} from '../records/parser.js';
import { REASONS } from '../records/reading.js';
import { type ByteSource, openSource } from '../records/sources.js';
import { TokenizerError } from '../tokenizer/errors.js';
import { ByteQueue } from './byte-queue.js';
import { chunksOf, InputError, nameOf } from './streams.js';
import { quoted } from './token-text.js';

/** A part of a sequence, good until the next one is asked for. */
export interface SequencePart {
  /** The number of its record in the file, from 0. */
  record: number;
  name: string;
  bytes: Uint8Array;
  begins: boolean;
  ends: boolean;
}

/** How a file is read. */
export interface HowToRead {
  signal: AbortSignal;
  /** Told how many more bytes of the file have been read. */
  onRead: (bytes: number) => void;
  /** Told what kind of file it is. */
  onFormat?: (format: 'FASTA' | 'FASTQ') => void;
}

const NOTHING = new Uint8Array(0);
/** What a parser takes at once. */
const MOST = 2 ** 30;
/** CRAYON_RECORD_NO_HEADER: the name is that of the record before. */
const NO_HEADER = 1;

/**
 * The sequences of a file, or of standard input for `-`: FASTA or FASTQ, also compressed. Each group of parts is to be gone
 * through before the next one is asked for. Throws an InputError.
 */
export async function* sequencesOf(file: string, how: HowToRead): AsyncGenerator<Iterable<SequencePart>> {
  const source = await openFile(file, how);
  try {
    const start = await startOf(source);
    const format = formatOf(start);
    how.onFormat?.(format === FASTA ? 'FASTA' : 'FASTQ');
    const parser = (await openParser())(format, ROOM);
    try {
      yield* parsed(parser, start, source, how.signal);
    } finally {
      parser.end();
    }
  } catch (error) {
    throw explained(error);
  } finally {
    source.cancel();
  }
}

async function openParser(): Promise<OpenParser> {
  if (!missing) return (await import('../native/records.js')).nativeRecords();
  const [{ wasmRecords }, { dnaModule }] = await Promise.all([import('../wasm/records.js'), import('../wasm/in-node.js')]);
  return wasmRecords(dnaModule());
}

async function* parsed(
  parser: ReturnType<OpenParser>,
  start: Uint8Array,
  source: ByteSource,
  signal: AbortSignal,
): AsyncGenerator<Iterable<SequencePart>> {
  const parts = new Parts();
  let chunk = start;
  for (let isLast = false; ; ) {
    signal.throwIfAborted();
    const read = parser.read(chunk.subarray(0, MOST), isLast);
    yield parts.of(read);
    if (read.failure) throw damaged(read.failure, parts.name);
    chunk = chunk.subarray(read.consumed);
    if (isLast && !read.more) return;
    if (isLast || chunk.length > 0) continue;
    const next = await source.next();
    isLast = next === undefined;
    chunk = next ?? NOTHING;
  }
}

/** The parts of sequences in what the parser gives, with the names of their records. */
class Parts {
  #record = -1;
  /** No part of the record has been given yet. */
  #begins = false;
  /** The header, which may come in parts too. */
  readonly #header = new ByteQueue();
  #name: string | undefined;

  get name(): string {
    return (this.#name ??= headerOf(this.#header.view).name);
  }

  *of({ bytes, parts, count }: ReadParts): Generator<SequencePart> {
    let at = 0;
    for (let word = 0; word < count * PART_WORDS; word += PART_WORDS) {
      const flags = parts[word + PART_FLAGS] as number;
      const ends = (flags & ENDS) !== 0;
      const sequenceAt = at + (parts[word + PART_HEADER] as number);
      const qualityAt = sequenceAt + (parts[word + PART_SEQUENCE] as number);
      if (flags & BEGINS) this.#begin();
      if (sequenceAt > at) this.#addHeader(bytes.subarray(at, sequenceAt));
      if (ends || qualityAt > sequenceAt) {
        const { name } = this;
        yield { record: this.#record, name, bytes: bytes.subarray(sequenceAt, qualityAt), begins: this.#begins, ends };
        this.#begins = false;
      }
      at = qualityAt + (parts[word + PART_QUALITY] as number);
    }
  }

  #begin(): void {
    this.#record++;
    this.#begins = true;
    this.#name = undefined;
    this.#header.clear();
  }

  #addHeader(bytes: Uint8Array): void {
    this.#header.add(bytes);
    this.#name = undefined;
  }
}

/** The bytes of a file, inflated if they are compressed. */
async function openFile(file: string, { signal, onRead }: HowToRead): Promise<ByteSource> {
  async function* chunks() {
    for await (const chunk of chunksOf(file, true, 0, signal)) {
      onRead(chunk.length);
      yield chunk;
    }
  }
  const { source } = await openSource(chunks(), noPlace);
  return inflated(source, nameOf(file), async () => gunzipInNode);
}

function noPlace(): never {
  throw new Error('a file is passed as its bytes');
}

/** The first bytes of a file that are no empty lines. */
async function startOf(source: ByteSource): Promise<Uint8Array> {
  for (let bytes; (bytes = await source.next()); ) {
    if (firstLetter(bytes) !== undefined) return bytes;
  }
  return NOTHING;
}

function firstLetter(bytes: Uint8Array): string | undefined {
  const byte = bytes.find((byte) => byte !== 0x0a && byte !== 0x0d);
  return byte === undefined ? undefined : String.fromCharCode(byte);
}

function formatOf(start: Uint8Array): Format {
  switch (firstLetter(start)) {
    case '>':
      return FASTA;
    case '@':
      return FASTQ;
    case undefined:
      throw new InputError('is empty: there are no records');
    default:
      throw new InputError("is neither FASTA, which begins with '>', nor FASTQ, which begins with '@'");
  }
}

function damaged({ reason, record, position }: RecordFailure, name: string): InputError {
  return new InputError(`${recordName(record, reason === NO_HEADER ? '' : name)} ${REASONS[reason]}, at byte ${position} of the file`);
}

/** A record in messages: its number, from 1, and its name. */
export function recordName(record: number, name: string): string {
  return `record ${record + 1}${name === '' ? '' : ` (${quoted(Buffer.from(name))})`}`;
}

/** A failure to inflate, in the words of the command. */
function explained(error: unknown): unknown {
  if (!(error instanceof TokenizerError)) return error;
  return new InputError(error.message.replace(/^cannot read .*: (?=its gzip|it is truncated)/, ''));
}
