// A job for the workers of worker-pool.ts, and the strands that it is cut into.

import type { PartForm, Policy } from '../../engine/engine.js';
import { TokenizerError } from '../../base/errors.js';
import { joined, type UnsharedUint32Array } from '../../base/typed-arrays.js';
import { partOf } from '../../base/views.js';
import { checkedTotal, type RowRange, rowRangesOf, textAt, textCount, type Texts } from '../../engine/text-rows.js';
import { inTimeSlices } from '../../base/time-slices.js';
import type { StatusCode } from '../../base/errors.js';
import type { LoadOptions } from '../../vocabularies/open/load-options.js';
import type { WasmModule } from '../../vocabularies/open/source.js';

/** UTF-16 units or bytes per message: a few milliseconds of work. */
const MESSAGE = 256 * 1024;

/** A message, and the buffers it transfers. */
interface Parcel {
  message: WorkerTexts;
  transfer: ArrayBuffer[];
}

/** The work to do. */
export interface Order {
  texts: Texts;
  policy: Policy;
  /** Count without ids. Default false. */
  counting?: boolean;
  /** Numbers of parts instead of ids. */
  form?: PartForm;
  /** A single text rather than a batch. Default false. */
  isOne?: boolean;
}

interface Ending {
  finish(): void;
  doHere(): void;
  fail(error: unknown): void;
}

export class WorkerJob {
  readonly order: Order;
  /** totals[i + 1]: the number of tokens of text i; in the end, of all texts up to and including i. */
  readonly totals: UnsharedUint32Array;
  readonly #threads: number;
  readonly #ranges: Iterator<RowRange, undefined>;
  /** The next portion, not begun. */
  #next: RowRange | undefined;
  readonly #strands: Strand[] = [];
  /** Strands returned because their worker did not start. */
  readonly #returned: Strand[] = [];
  #running = 0;
  readonly #ending: Ending;

  private constructor(order: Order, threads: number, ending: Ending) {
    const { texts } = order;
    this.order = order;
    this.totals = new Uint32Array(textCount(texts) + 1);
    this.#threads = threads;
    this.#ranges = rowRangesOf(texts, MESSAGE);
    this.#next = this.#ranges.next().value;
    this.#ending = ending;
  }

  /**
   * A job and its promise: the result of the workers' work, or of `onThisThread` if they cannot do it. `threads`: the most strands
   * that workers may have at a time.
   */
  static of<T>(
    order: Order,
    threads: number,
    onThisThread: () => Promise<T>,
    result: (job: WorkerJob) => T | Promise<T>,
  ): { job: WorkerJob; promise: Promise<T> } {
    let job!: WorkerJob;
    const promise = new Promise<T>((resolve, reject) => {
      const settle = (give: () => T | Promise<T>) => () => {
        try {
          resolve(give());
        } catch (error) {
          reject(error);
        }
      };
      job = new WorkerJob(order, threads, { finish: settle(() => result(job)), doHere: settle(onThisThread), fail: reject });
    });
    return { job, promise };
  }

  /** Whether a worker may begin the next strand. `takesLong`: whether it may be a long text. */
  canBegin(takesLong: boolean): boolean {
    if (this.#running >= this.#threads) return false;
    const [returned] = this.#returned;
    if (returned) return takesLong || !returned.isLong;
    return this.#next !== undefined && (takesLong || this.#next.size <= MESSAGE);
  }

  /** The next strand, for a worker that may begin it. */
  begin(): Strand {
    this.#running++;
    const returned = this.#returned.shift();
    if (returned) return returned;
    const strand = new Strand(this, this.#next as RowRange);
    this.#strands.push(strand);
    this.#next = this.#ranges.next().value;
    return strand;
  }

  /** Takes back a strand on which no work has been done. */
  giveBack(strand: Strand): void {
    this.#running--;
    this.#returned.push(strand);
  }

  /** Records that a strand is done. */
  end(): void {
    this.#running--;
  }

  isDone(): boolean {
    return this.#running === 0 && this.#next === undefined && this.#returned.length === 0;
  }

  finish(): void {
    this.#ending.finish();
  }

  doHere(): void {
    this.#ending.doHere();
  }

  fail(error: unknown): void {
    this.#ending.fail(error);
  }

  /** All ids. */
  ids(): Promise<UnsharedUint32Array> {
    return inTimeSlices(joined(this.#strands.flatMap(({ ids }) => ids)));
  }

  /** The number of tokens of the single text. */
  count(): number {
    return this.#strands.reduce((sum, { count }) => sum + count, 0);
  }

  /** Turns the numbers of tokens into totals. */
  sumUp(): UnsharedUint32Array {
    checkedTotal(this.count());
    const { totals } = this;
    for (let row = 1; row < totals.length; row++) (totals[row] as number) += totals[row - 1] as number;
    return totals;
  }
}

/** A worker's share of a job: some short texts, or one text that may be long. */
export class Strand {
  readonly job: WorkerJob;
  readonly ids: UnsharedUint32Array[] = [];
  count = 0;
  readonly #range: RowRange;
  /** Where the next part begins. */
  #at = 0;

  constructor(job: WorkerJob, range: RowRange) {
    this.job = job;
    this.#range = range;
  }

  get isLong(): boolean {
    return this.#range.size > MESSAGE;
  }

  /** The next message. */
  next(): Parcel {
    const { first, end, size } = this.#range;
    const { texts } = this.job.order;
    const from = this.#at;
    this.#at += MESSAGE;
    if (end - first > 1) return rowsOf(texts, first, end);
    const { value, transfer } = copied(partOf(textAt(texts, first), from, this.#at));
    return { message: { part: value, isFirst: from === 0, isLast: this.#at >= size }, transfer };
  }

  /** Takes an answer; returns whether it was the last. */
  take({ ids, totals }: Extract<WorkerAnswer, { ids: unknown }>): boolean {
    const { first, end, size } = this.#range;
    this.ids.push(ids);
    this.count += totals[totals.length - 1] as number;
    const isLast = this.#at >= size;
    if (end - first > 1) {
      for (let row = 0; row < end - first; row++) {
        this.job.totals[first + row + 1] = (totals[row + 1] as number) - (totals[row] as number);
      }
    } else if (isLast) this.job.totals[end] = this.count;
    if (isLast) this.job.end();
    return isLast;
  }

  errorOf({ message, code, position = 0, row = 0 }: Extract<WorkerAnswer, { failure: unknown }>['failure']): Error {
    if (code === undefined) return new Error(message);
    if (this.job.order.isOne) return new TokenizerError(message, { code, position });
    const index = this.#range.first + row;
    // The worker counts rows within its own texts, and names none for a single text.
    const sentence = message.replace(/^cannot encode texts\[\d+\]: /, '');
    return new TokenizerError(`cannot encode texts[${index}]: ${sentence}`, { code, position, row: index });
  }
}

function rowsOf(texts: Texts, first: number, end: number): Parcel {
  if (!('offsets' in texts)) {
    return { message: { texts: texts.slice(first, end).map((text) => copied(text).value) }, transfer: [] };
  }
  const offsets = texts.offsets.slice(first, end + 1);
  const start = offsets[0] as number;
  const bytes = (partOf(texts.bytes, start, offsets[end - first] as number) as Uint8Array).slice();
  return {
    message: { texts: { bytes, offsets: offsets.map((offset) => offset - start) } },
    transfer: [bytes.buffer],
  };
}

/** A string, or bytes that own their buffer: a message would send the whole buffer of a view. */
function copied(text: string | Uint8Array): { value: string | Uint8Array; transfer: ArrayBuffer[] } {
  if (typeof text === 'string') return { value: text, transfer: [] };
  const value = new Uint8Array(text);
  return { value, transfer: [value.buffer] };
}

// The messages between a page and its workers.

/** How a worker opens the same tokenizer as the page. */
export interface WorkerRecipe {
  module: WasmModule;
  /** The cartridge as it was passed, so a slim one stays slim. */
  bytes: Uint8Array;
  options: Pick<LoadOptions, 'view' | 'kernel' | 'verify' | 'cacheBytes'>;
  /** For a version 2 file: the unknown id with its unit. */
  unknown: number | undefined;
}

/** Texts for a worker: separate ones, or a part of one that may be too long for a message. */
export type WorkerTexts = { texts: Texts } | { part: string | Uint8Array; isFirst: boolean; isLast: boolean };

/** Messages to the worker: first what to open, then texts. `forget` refers to the long text whose parts have been sent so far. */
export type WorkerRequest =
  | { recipe: WorkerRecipe }
  | (WorkerTexts & { policy: Policy; counting: boolean; form: PartForm | undefined })
  | { forget: true };

/** Messages from the worker, one per request, except none for `forget`. For a part, totals are 0 and the number it added. */
export type WorkerAnswer =
  | { ready: true }
  | { ids: UnsharedUint32Array; totals: UnsharedUint32Array }
  | { failure: { message: string; code?: StatusCode; position?: number; row?: number | undefined } };
