// The sequences of FASTA and FASTQ files in parts, so that memory does not grow with a sequence.

import { addon, missing } from '../../hosts/addon/addon.js';
import { gunzipInNode } from '../../io/gunzip-in-node.js';
import { inflated } from '../../io/gzip.js';
import { headerOf } from '../../dna/records/record.js';
import {
  BEGINS,
  ENDS,
  FASTA,
  FASTQ,
  type Format,
  type OpenParser,
  OUTPUT_CAPACITY,
  PART_FLAGS,
  PART_HEADER,
  PART_POSITION,
  PART_POSITION_HIGH,
  PART_QUALITY,
  PART_SEQUENCE,
  PART_WORDS,
  type ReadParts,
  type RecordFailure,
} from '../../engine/record-parser.js';
import { REASONS } from '../../dna/records/reading.js';
import type { ByteSource } from '../../io/gzip.js';
import { openSource } from '../../dna/records/sources.js';
import { TokenizerError } from '../../base/errors.js';
import { ByteQueue } from './byte-queue.js';
import { EarlierBytes, FileBytes, findNext } from './resume.js';
import { chunksOf, nameOf } from '../input/file-arguments.js';
import { InputError } from '../command-errors.js';
import { quoted } from '../output/token-text.js';

/** A part of a sequence, valid until the next one is requested. */
export interface SequencePart {
  /** The number of its record in the file, from 0. */
  record: number;
  name: string;
  bytes: Uint8Array;
  begins: boolean;
  ends: boolean;
}

interface HowToRead {
  signal: AbortSignal;
  /** Called with how many more bytes of the file have been read. */
  onRead: (bytes: number) => void;
  /** Called with the kind of file. */
  onFormat?: (format: 'FASTA' | 'FASTQ') => void;
  /** Called with each damaged record, after which reading continues; without this, a damaged record is an error. */
  onDamage?: ((damage: Damage) => void) | undefined;
}

/** A damaged record. */
export interface Damage {
  /** Counted from 1. */
  record: number;
  name: string;
  /** The position in the file. */
  byte: number;
  message: string;
  /** Whether no later record is certain: the rest of the file is not read. */
  isLast: boolean;
}

/** The most that a parser takes per call. */
const MOST = 2 ** 30;
/** CRAYON_RECORD_NO_HEADER: the name belongs to the previous record. */
const NO_HEADER = 1;
/** CRAYON_RECORD_TRUNCATED: nothing follows. */
const TRUNCATED = 11;

/**
 * The sequences of a file, or of standard input for `-`: FASTA or FASTQ, optionally compressed. Each group of parts must be
 * consumed before the next one is requested. Throws an InputError.
 */
export async function* sequencesOf(file: string, how: HowToRead): AsyncGenerator<Iterable<SequencePart>> {
  const source = await openFile(file, how);
  try {
    const bytes = new FileBytes(source);
    const format = formatOf(await firstLetterOf(bytes));
    how.onFormat?.(format === FASTA ? 'FASTA' : 'FASTQ');
    yield* parsed(await openParser(), format, bytes, how);
  } catch (error) {
    throw explained(error);
  } finally {
    source.cancel();
  }
}

async function openParser(): Promise<OpenParser> {
  if (!missing) return (await import('../../engine/record-calls.js')).recordsOn(() => addon);
  const [{ wasmRecords }, { dnaModule }] = await Promise.all([
    import('../../hosts/module/module-records.js'),
    import('../../hosts/module/module-dna-in-node.js'),
  ]);
  return wasmRecords(await dnaModule());
}

/** If `how` allows it, continues after damage with another parser, which counts from the next record on. */
async function* parsed(open: OpenParser, format: Format, bytes: FileBytes, how: HowToRead): AsyncGenerator<Iterable<SequencePart>> {
  for (let first = 0; ; ) {
    const start = bytes.position;
    const parts = new Parts(first, start);
    const begun = new EarlierBytes();
    const parser = open(format, OUTPUT_CAPACITY);
    let failure: RecordFailure | undefined;
    try {
      for (;;) {
        how.signal.throwIfAborted();
        const read = parser.read(bytes.chunk.subarray(0, MOST), bytes.isAtEnd);
        yield parts.of(read);
        bytes.take(read.consumed);
        failure = read.failure;
        if (failure) break;
        if (bytes.isAtEnd && !read.more) return;
        if (bytes.isAtEnd || bytes.chunk.length > 0) continue;
        if (how.onDamage && format === FASTQ) begun.keep(bytes, parts.position);
        await bytes.next();
      }
    } finally {
      parser.end();
    }
    const record = first + failure.record;
    const damage = damaged({ ...failure, record, position: start + failure.position }, parts.name);
    if (!how.onDamage) throw new InputError(damage.message);
    // A FASTQ record is examined again after its header: one of its lines may be missing.
    if (format === FASTQ && record === parts.record) begun.goBack(bytes, parts.position);
    const isFound = await findNext(format, bytes, how.signal);
    how.onDamage({ ...damage, isLast: format === FASTQ && failure.reason !== TRUNCATED && !isFound });
    if (!isFound) return;
    first = record + 1;
  }
}

/** The parts of sequences in the parser's output, with the names of their records. */
class Parts {
  /** The record's number in the file, from 0, and its position there. */
  record: number;
  position: number;
  readonly #start: number;
  /** Whether no part of the record has been yielded yet. */
  #begins = false;
  /** The header, which may also arrive in parts. */
  readonly #header = new ByteQueue();
  #name: string | undefined;

  /** `first`: the number of the first record; `start`: where the parser began in the file. */
  constructor(first: number, start: number) {
    this.record = first - 1;
    this.position = start;
    this.#start = start;
  }

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
      if (flags & BEGINS)
        this.#begin(this.#start + (parts[word + PART_POSITION_HIGH] as number) * 2 ** 32 + (parts[word + PART_POSITION] as number));
      if (sequenceAt > at) this.#addHeader(bytes.subarray(at, sequenceAt));
      if (ends || qualityAt > sequenceAt) {
        const { name } = this;
        yield { record: this.record, name, bytes: bytes.subarray(sequenceAt, qualityAt), begins: this.#begins, ends };
        this.#begins = false;
      }
      at = qualityAt + (parts[word + PART_QUALITY] as number);
    }
  }

  #begin(position: number): void {
    this.record++;
    this.position = position;
    this.#begins = true;
    this.#name = undefined;
    this.#header.clear();
  }

  #addHeader(bytes: Uint8Array): void {
    this.#header.add(bytes);
    this.#name = undefined;
  }
}

/** The bytes of a file, inflated if compressed. */
async function openFile(file: string, { signal, onRead }: HowToRead): Promise<ByteSource> {
  async function* chunks() {
    for await (const chunk of chunksOf(file, true, 0, signal)) {
      onRead(chunk.length);
      yield chunk;
    }
  }
  const { source } = await openSource(chunks(), refuseLocation);
  return inflated(source, nameOf(file), async () => gunzipInNode);
}

function refuseLocation(): never {
  throw new Error('a file is passed as its bytes');
}

/** Line ends, blanks, and the bytes of a byte order mark. */
const SKIPPED = new Set([0x0a, 0x0d, 0x20, 0x09, 0xef, 0xbb, 0xbf]);

/** The first byte of a file that parsers do not skip, as a letter; discards whole chunks before it. */
async function firstLetterOf(bytes: FileBytes): Promise<string | undefined> {
  for (;;) {
    const byte = bytes.chunk.find((each) => !SKIPPED.has(each));
    if (byte !== undefined || bytes.isAtEnd) return byte === undefined ? undefined : String.fromCharCode(byte);
    await bytes.next();
  }
}

function formatOf(letter: string | undefined): Format {
  switch (letter) {
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

function damaged({ reason, record, position }: RecordFailure, nameRead: string): Omit<Damage, 'isLast'> {
  const name = reason === NO_HEADER ? '' : nameRead;
  return {
    record: record + 1,
    name,
    byte: position,
    message: `${recordName(record, name)} ${REASONS[reason]}, at byte ${position} of the file`,
  };
}

/** A record's name in messages: its number, from 1, and its name. */
export function recordName(record: number, name: string): string {
  return `record ${record + 1}${name === '' ? '' : ` (${quoted(Buffer.from(name))})`}`;
}

/** An inflation failure, in the command's words. */
function explained(error: unknown): unknown {
  if (!(error instanceof TokenizerError)) return error;
  return new InputError(error.message.replace(/^cannot read .*: (?=its gzip|it is truncated)/, ''));
}
