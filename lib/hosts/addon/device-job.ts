// An accelerator batch as an addon job.

import { TokenizerError } from '../../base/errors.js';
import type { AnyPaddedBatch, Padding, PadForm } from '../../engine/padding.js';
import type { UnsharedUint8Array, UnsharedUint32Array } from '../../base/typed-arrays.js';
import { addon, failed, type Handle } from './addon.js';
import { startThreads } from './pool-job.js';

/** A matrix that stays on a device, by its handle. */
export interface KeptMatrix {
  handle: Handle;
  /** The address of its ids. */
  address: bigint;
  /** Byte offset of its mask. */
  maskOffset: number;
  /** The index of the device within its kind. */
  device: number;
}

/** Stands for the longest row in place of a number of columns. */
const LONGEST = 2 ** 32 - 1;

/** Jobs running on a Node thread. */
const running = new Set<DeviceJob>();
let isExitWatched = false;

/** Cancels running jobs on exit, since Node waits for its threads. */
function watchExit(): void {
  if (isExitWatched) return;
  isExitWatched = true;
  process.on('exit', () => running.forEach((job) => job.release()));
}

/** Jobs of this thread take turns, so that waiting for the device occupies one Node thread rather than all. */
let before: Promise<unknown> = Promise.resolve();

/** A job. It must be released, which cancels it. */
export class DeviceJob {
  readonly #handle: Handle;
  readonly #what: string;
  #isReleased = false;

  /** `what`: the beginning of a failure message. */
  constructor(begin: () => Handle, what = 'cannot encode') {
    this.#what = what;
    this.#handle = begin();
    if (this.#handle < 0) throw failed(what);
  }

  /** Lets the process's threads help, at most that many of them. Call before it runs. */
  useThreads(count: number): void {
    startThreads();
    addon.deviceJobUseThreads(this.#handle, count);
  }

  /** Runs it on the calling thread. */
  run(): void {
    if (addon.deviceJobRun(this.#handle) < 0) throw failed(this.#what);
    this.tokens();
  }

  /** Runs it on another thread. */
  submit(): Promise<void> {
    const mine = before.then(() => this.#submit());
    before = mine.catch(() => undefined);
    return mine;
  }

  /** The number of tokens; throws if it failed. */
  tokens(): number {
    const count = addon.deviceJobResult(this.#handle);
    if (count < 0) throw failed(this.#what);
    return count;
  }

  take(): UnsharedUint32Array {
    const ids = addon.deviceJobTake(this.#handle);
    if (ids === undefined) throw failed(this.#what);
    return ids;
  }

  /** Pads rows, if the job can; otherwise ids are packed. Call before it runs. */
  pad(form: PadForm): void {
    addon.deviceJobPad(this.#handle, wordsOf(form));
  }

  /** Pads rows, and keeps the matrix and its mask on the device. Call before it runs. */
  keep(form: PadForm): void {
    const width = form.padding.type === 'int32' ? 4 : 8;
    if (addon.deviceJobKeep(this.#handle, width) < 0 || addon.deviceJobPad(this.#handle, wordsOf(form)) < 0) throw failed(this.#what);
  }

  /** The resident matrix, once. */
  residentMatrix(): KeptMatrix {
    const matrix = addon.deviceJobKept(this.#handle);
    if (!matrix) throw failed(this.#what);
    return matrix;
  }

  /** The rows, if they were padded. */
  padded(rows: number, type: Padding['type']): AnyPaddedBatch | undefined {
    const columns = addon.deviceJobColumns(this.#handle);
    if (columns < 0) return undefined;
    const words = addon.deviceJobMatrix(this.#handle);
    if (!words) throw failed(this.#what);
    const [ids, mask] = words;
    const shape: [number, number] = [rows, columns];
    return type === 'int32'
      ? { ids: new Int32Array(ids.buffer), mask: new Int32Array(mask.buffer), shape }
      : { ids: new BigInt64Array(ids.buffer), mask: new BigInt64Array(mask.buffer), shape };
  }

  totals(rows: number): UnsharedUint32Array {
    const totals = new Uint32Array(rows + 1);
    if (addon.deviceJobTotals(this.#handle, totals) < 0) throw failed(this.#what);
    return totals;
  }

  /** The decoded bytes, once. */
  bytes(): UnsharedUint8Array {
    const found = addon.deviceJobBytes(this.#handle);
    if (!found) throw failed(this.#what);
    const [words, count] = found;
    return new Uint8Array(words.buffer, 0, count);
  }

  /** The numbers of crayon_device_job_progress. */
  progress(): number[] {
    return addon.deviceJobProgress(this.#handle) ?? [];
  }

  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    addon.deviceJobRelease(this.#handle);
  }

  async #submit(): Promise<void> {
    if (this.#isReleased) throw new TokenizerError('the job was cancelled', { code: 'CANCELLED' });
    watchExit();
    running.add(this);
    try {
      const done = addon.deviceJobSubmit(this.#handle);
      if (done === undefined) throw failed(this.#what);
      await done;
    } finally {
      running.delete(this);
    }
    if (this.#isReleased) throw new TokenizerError('the job was cancelled', { code: 'CANCELLED' });
    this.tokens();
  }
}

/** The words of crayon_device_job_pad. */
function wordsOf({ template: { prefix, suffix }, padding }: PadForm): Uint32Array {
  const { length = LONGEST, side, padId, type, truncate } = padding;
  const flags = (side === 'left' ? 1 : 0) | (truncate ? 2 : 0);
  return Uint32Array.of(length, type === 'int32' ? 4 : 8, flags, padId, prefix.length, suffix.length, ...prefix, ...suffix);
}
