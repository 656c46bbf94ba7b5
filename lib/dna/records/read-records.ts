// readFasta and readFastq, the same on every host. This folder names no engine and no entry: entries pass theirs.

import { atCaller, type FromCallSite, fromCallSite, TokenizerError } from '../../base/errors.js';
import type { UnsharedUint8Array } from '../../base/typed-arrays.js';
import { recordOptions, type RecordOptions, type WindowOptions } from './record-options.js';
import type { Format } from '../../engine/record-parser.js';
import type { Reading, RecordHost } from './reading.js';
import type { FastaRecord, FastqRecord, SequenceWindow } from './record.js';
import { type Rows, ROWS, type RowSource } from './record-rows.js';
import type { RecordSource } from './sources.js';

/**
 * The type of {@link readFasta}.
 *
 * @example
 * ```ts
 * const read: ReadFasta = readFasta;
 * for await (const { sequence } of read(['>a\nACGT\n'], { text: true })) sequence; // 'ACGT'
 * ```
 */
export interface ReadFasta {
  (source: RecordSource, options: WindowOptions & { text: true }): AsyncIterableIterator<SequenceWindow<string>>;
  (source: RecordSource, options: WindowOptions): AsyncIterableIterator<SequenceWindow>;
  (source: RecordSource, options: RecordOptions & { text: true }): AsyncIterableIterator<FastaRecord<string>>;
  (source: RecordSource, options?: RecordOptions): AsyncIterableIterator<FastaRecord>;
}

/**
 * The type of {@link readFastq}.
 *
 * @example
 * ```ts
 * const read: ReadFastq = readFastq;
 * for await (const { quality } of read(['@a\nACGT\n+\nIIII\n'], { text: true })) quality; // 'IIII'
 * ```
 */
export interface ReadFastq {
  (source: RecordSource, options: WindowOptions & { text: true }): AsyncIterableIterator<SequenceWindow<string>>;
  (source: RecordSource, options: WindowOptions): AsyncIterableIterator<SequenceWindow>;
  (source: RecordSource, options: RecordOptions & { text: true }): AsyncIterableIterator<FastqRecord<string>>;
  (source: RecordSource, options?: RecordOptions): AsyncIterableIterator<FastqRecord>;
}

/** What a host reads with, loaded for the first source: most programs read none. */
export type LoadRecords = () => Promise<{ Reading: typeof Reading; host: RecordHost }>;

type Item = FastaRecord<UnsharedUint8Array | string> | SequenceWindow<UnsharedUint8Array | string>;

/** The public function for a format and a host. `check`: throws for an invalid source. */
export function readRecordsOn<Read extends ReadFasta | ReadFastq>(
  format: Format,
  load: LoadRecords,
  check: (source: unknown) => void,
): Read {
  function read(source: RecordSource, options?: RecordOptions | WindowOptions): AsyncIterableIterator<Item> {
    const explained = fromCallSite(read);
    return atCaller(read, () => {
      const checked = recordOptions(options);
      check(source);
      return new Records(async () => {
        const { Reading, host } = await load();
        return new Reading<Item>(source, format, checked, host);
      }, explained);
    });
  }
  return read as unknown as Read;
}

/** Closes readings whose iterator is unreachable. */
const forgotten = new FinalizationRegistry<{ reading?: Reading<Item> | undefined }>(({ reading }) => reading?.end());
const END = { done: true, value: undefined } as const;

/** The iterator. Items that are already available take no turn of the event loop. */
class Records implements AsyncIterableIterator<Item> {
  readonly #begin: () => Promise<Reading<Item>>;
  /** Held separately, so that the iterator can be garbage-collected. */
  readonly #held: { reading?: Reading<Item> | undefined } = {};
  /** The last pending call of `next`, which later ones wait for. */
  #waiting: Promise<unknown> | undefined;
  readonly #explained: FromCallSite;
  #hasEnded = false;
  #isForRows = false;

  constructor(begin: () => Promise<Reading<Item>>, explained: FromCallSite) {
    this.#begin = begin;
    this.#explained = explained;
    forgotten.register(this, this.#held, this);
  }

  next(): Promise<IteratorResult<Item, undefined>> {
    if (this.#hasEnded || this.#isForRows) return Promise.resolve(END);
    if (!this.#waiting) {
      try {
        const item = this.#held.reading?.ready();
        if (item) return Promise.resolve(item);
      } catch (error) {
        return Promise.reject(this.#failed(error));
      }
    }
    return this.#inTurn(() => this.#read());
  }

  return(): Promise<IteratorResult<Item, undefined>> {
    return this.#inTurn(() => {
      this.#end();
      return END;
    });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** For matrices: sequences without objects. Afterwards there are no items. */
  [ROWS](): RowSource | undefined {
    if (this.#hasEnded || this.#isForRows || this.#waiting || this.#held.reading) return undefined;
    this.#isForRows = true;
    return { fill: (rows) => this.#fill(rows), end: () => this.#end() };
  }

  #fill(rows: Rows): boolean | Promise<boolean> {
    try {
      const filled = this.#held.reading?.fill(rows);
      if (typeof filled === 'boolean') return filled;
      return this.#fillLater(rows, filled);
    } catch (error) {
      throw this.#failed(error);
    }
  }

  async #fillLater(rows: Rows, filled: Promise<boolean> | undefined): Promise<boolean> {
    try {
      if (filled) return await filled;
      if (this.#hasEnded) return false;
      const reading = await this.#begin();
      if (this.#hasEnded) {
        reading.end();
        return false;
      }
      this.#held.reading = reading;
      return await reading.fill(rows);
    } catch (error) {
      throw this.#failed(error);
    }
  }

  #inTurn<T>(work: () => T | Promise<T>): Promise<T> {
    const before = this.#waiting;
    const turn = before ? before.then(work, work) : Promise.resolve().then(work);
    this.#waiting = turn;
    const leave = () => {
      if (this.#waiting === turn) this.#waiting = undefined;
    };
    turn.then(leave, leave);
    return turn;
  }

  async #read(): Promise<IteratorResult<Item, undefined>> {
    if (this.#hasEnded) return END;
    try {
      this.#held.reading ??= await this.#begin();
      const item = await this.#held.reading.next();
      if (item) return item;
    } catch (error) {
      throw this.#failed(error);
    }
    this.#end();
    return END;
  }

  /** Converts an error to the one to throw. */
  #failed(error: unknown): unknown {
    this.#end();
    return error instanceof TokenizerError ? this.#explained(error) : error;
  }

  #end(): void {
    this.#hasEnded = true;
    this.#held.reading?.end();
    this.#held.reading = undefined;
    forgotten.unregister(this);
  }
}
