// Reads one source: bytes, inflated if compressed, pass through the parser and become items. It reads on demand, a
// chunk or 4 KB of short ones at a time, so memory does not depend on the length of the source.

import { untilAborted } from '../../base/abort.js';
import { TokenizerError } from '../../base/errors.js';
import { Copies, type Items, RecordItems, WindowItems } from './records-of-parts.js';
import { type Inflate, inflated } from '../../io/gzip.js';
import type { CheckedOptions } from './record-options.js';
import {
  FASTA,
  type Format,
  type OpenParser,
  type RecordFailure,
  type RecordParser,
  OUTPUT_CAPACITY,
  SEQUENCES_APART,
} from '../../engine/record-parser.js';
import { RecordRows, type Rows } from './record-rows.js';
import type { ByteSource } from '../../io/gzip.js';
import { explainText, type NamedSource, type OpenLocation, openSource } from './sources.js';

export interface RecordHost {
  /** The parser, or a promise of it. */
  parser(options: CheckedOptions): OpenParser | Promise<OpenParser>;
  open: OpenLocation;
  /** Loaded for the first compressed source. */
  inflate(): Promise<Inflate>;
  /** Makes a buffer untransferable. */
  protect?(buffer: ArrayBuffer): void;
}

const NOTHING = new Uint8Array(0);
/** The most to parse at a time: the parser may take less. */
const MOST = 2 ** 30;

/** Indexed by the numbers of crayon.h. */
export const REASONS: readonly string[] = [
  'is not as it should be',
  'does not begin with its header',
  'has a NUL in its header',
  'has a header of more than 16 MiB',
  'has a CR that no LF follows',
  'has a byte in its sequence that is none of letters, *, - and .',
  "has no line with '+' after its sequence",
  "has another header after '+'",
  'has a byte in its qualities that is none of ! to ~',
  'has fewer qualities than bases',
  'has more qualities than bases',
  'is not complete: the file ends within it',
];

export class Reading<Item> {
  readonly #input: unknown;
  readonly #format: Format;
  readonly #options: CheckedOptions;
  readonly #host: RecordHost;
  #opened: NamedSource | undefined;
  #source: ByteSource | undefined;
  #parser: RecordParser | undefined;
  #items: Items<Item> | undefined;
  /** Used instead of items. */
  #rows: RecordRows | undefined;
  #isForRows = false;
  /** The items of the last parser call. */
  #current: Iterator<Item> | undefined;
  #failure: RecordFailure | undefined;
  #chunk: Uint8Array = NOTHING;
  #isLast = false;
  #isDone = false;
  #hasEnded = false;

  constructor(input: unknown, format: Format, options: CheckedOptions, host: RecordHost) {
    this.#input = input;
    this.#format = format;
    this.#options = options;
    this.#host = host;
  }

  /** An item, if one is already available. */
  ready(): IteratorYieldResult<Item> | undefined {
    const item = this.#current?.next();
    if (item && !item.done) return item;
    this.#current = undefined;
    return undefined;
  }

  /** The next item; undefined at the end. */
  async next(): Promise<IteratorYieldResult<Item> | undefined> {
    const { signal } = this.#options;
    for (;;) {
      signal?.throwIfAborted();
      const item = this.ready();
      if (item) return item;
      if (this.#failure) throw this.#explained(this.#failure);
      if (this.#isDone) return undefined;
      if (!this.#parser) await this.#wait(this.#open());
      if (this.#chunk.length === 0 && !this.#isLast) await this.#wait(this.#fill());
      this.#parse();
    }
  }

  /** Instead of items, fills rows; false at the end. Returns a promise only if it must wait for bytes. */
  fill(rows: Rows): boolean | Promise<boolean> {
    this.#isForRows = true;
    return this.#filled(rows) ?? this.#fillLater(rows);
  }

  async #fillLater(rows: Rows): Promise<boolean> {
    for (;;) {
      await this.#wait(this.#parser ? this.#fill() : this.#open());
      const filled = this.#filled(rows);
      if (filled !== undefined) return filled;
    }
  }

  /** Undefined if it must wait for bytes. */
  #filled(rows: Rows): boolean | undefined {
    for (;;) {
      this.#options.signal?.throwIfAborted();
      if (this.#rows?.take(rows)) return true;
      if (this.#failure) throw this.#explained(this.#failure);
      if (this.#isDone) return false;
      if (!this.#parser || (this.#chunk.length === 0 && !this.#isLast)) return undefined;
      this.#parse();
    }
  }

  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#isDone = true;
    this.#current = undefined;
    this.#parser?.end();
    (this.#source ?? this.#opened?.source)?.cancel();
  }

  async #open(): Promise<void> {
    const options = this.#options;
    const { open, parser, inflate, protect } = this.#host;
    const openParser = await parser(options);
    try {
      this.#opened = await openSource(this.#input, open);
      if (this.#hasEnded) return this.#opened.source.cancel();
      const { source, name } = this.#opened;
      this.#source = await inflated(source, name, inflate);
      if (this.#hasEnded) return this.#source.cancel();
    } catch (error) {
      throw explainText(error, this.#input);
    }
    const { name } = this.#opened;
    if (this.#isForRows) {
      this.#rows = new RecordRows(options, name);
      this.#parser = openParser(this.#format | SEQUENCES_APART, OUTPUT_CAPACITY);
      return;
    }
    const { window } = options;
    const copies = new Copies(protect);
    const items = window ? new WindowItems(window, options, copies) : new RecordItems(this.#format, options, name, copies);
    this.#items = items as unknown as Items<Item>;
    this.#parser = openParser(this.#format, OUTPUT_CAPACITY);
  }

  async #fill(): Promise<void> {
    const bytes = await (this.#source as ByteSource).next();
    if (bytes) this.#chunk = bytes;
    else this.#isLast = true;
  }

  #parse(): void {
    const input = this.#chunk.length > MOST ? this.#chunk.subarray(0, MOST) : this.#chunk;
    const read = (this.#parser as RecordParser).read(input, this.#isLast);
    this.#chunk = this.#chunk.subarray(read.consumed);
    this.#failure = read.failure;
    this.#isDone = this.#isLast && !read.more && !read.failure;
    if (this.#rows) this.#rows.of(read);
    else this.#current = (this.#items as Items<Item>).of(read);
  }

  #explained({ reason, record, position }: RecordFailure): TokenizerError {
    const format = this.#format === FASTA ? 'FASTA' : 'FASTQ';
    const about = reason === 1 ? '' : ` (${JSON.stringify((this.#rows ?? (this.#items as Items<Item>)).name)})`;
    const why = REASONS[reason] ?? REASONS[0];
    return new TokenizerError(`cannot read ${this.#opened?.name} as ${format}: records[${record}]${about} ${why}, at byte ${position}`, {
      code: 'INVALID_RECORD',
      position,
      row: record,
    });
  }

  /** The consumer calls `end`. */
  #wait(work: Promise<void>): Promise<void> {
    work.catch(() => undefined); // nobody waits for it after an abort
    return untilAborted(this.#options.signal, work, () => undefined);
  }
}
