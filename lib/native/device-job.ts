// A batch on an accelerator, as a job of the addon.

import { TokenizerError } from '../base/errors.js';
import type { AnyPaddedBatch, Padding, PadForm } from '../engine/padding.js';
import type { UnsharedUint8Array, UnsharedUint32Array } from '../base/typed-arrays.js';
import { addon, failed, type Handle } from './addon.js';

/** A matrix that stays on a device, by its handle. */
export interface KeptMatrix {
  handle: Handle;
  /** Of its ids. */
  address: bigint;
  /** Where its mask begins, in bytes. */
  maskOffset: number;
  /** Which device of its kind. */
  device: number;
}

/** In place of a number of columns. */
const LONGEST = 2 ** 32 - 1;

/** Those that a thread of Node is at. */
const running = new Set<DeviceJob>();
let isExitWatched = false;

/** Node waits for its threads before it exits. */
function watchExit(): void {
  if (isExitWatched) return;
  isExitWatched = true;
  process.on('exit', () => running.forEach((job) => job.release()));
}

/** Jobs of this thread take turns, so that waiting for the device occupies one thread of Node, not all of them. */
let before: Promise<unknown> = Promise.resolve();

/** One job. It has to be released, which cancels it. */
export class DeviceJob {
  readonly #handle: Handle;
  readonly #what: string;
  #isReleased = false;

  /** `what`: how the message of a failure begins. */
  constructor(begin: () => Handle, what = 'cannot encode') {
    this.#what = what;
    this.#handle = begin();
    if (this.#handle < 0) throw failed(what);
  }

  /** Runs it, in the calling thread. */
  run(): void {
    if (addon.deviceJobRun(this.#handle) < 0) throw failed(this.#what);
    this.tokens();
  }

  /** The same in another thread. */
  submit(): Promise<void> {
    const mine = before.then(() => this.#submit());
    before = mine.catch(() => undefined);
    return mine;
  }

  /** How many tokens there are; throws what went wrong. */
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

  /** Has rows padded, if the job can: ids of which it cannot are packed. Before it runs. */
  pad(form: PadForm): void {
    addon.deviceJobPad(this.#handle, wordsOf(form));
  }

  /** Has rows padded, and the matrix and its mask stay on the device. Before it runs. */
  keep(form: PadForm): void {
    const width = form.padding.type === 'int32' ? 4 : 8;
    if (addon.deviceJobKeep(this.#handle, width) < 0 || addon.deviceJobPad(this.#handle, wordsOf(form)) < 0) throw failed(this.#what);
  }

  /** What has stayed there, once. */
  kept(): KeptMatrix {
    const kept = addon.deviceJobKept(this.#handle);
    if (!kept) throw failed(this.#what);
    return kept;
  }

  /** The rows, if they have been padded. */
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

  /** What it has decoded, once. */
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

/** Of crayon_device_job_pad. */
function wordsOf({ template: { prefix, suffix }, padding }: PadForm): Uint32Array {
  const { length = LONGEST, side, padId, type, truncate } = padding;
  const flags = (side === 'left' ? 1 : 0) | (truncate ? 2 : 0);
  return Uint32Array.of(length, type === 'int32' ? 4 : 8, flags, padId, prefix.length, suffix.length, ...prefix, ...suffix);
}
