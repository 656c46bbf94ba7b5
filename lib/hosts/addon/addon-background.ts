// The process's threads as the background of a tokenizer.
//
// They receive text in slices, with turns of the event loop in between, and start with the first slice. They also write
// the results, into memory allocated here.

import { setImmediate } from 'node:timers'; // jsdom, as in Jest, removes the global one

import type { Background, JobOptions, MappedPart, Overlap, RowJob, WindowEncoder, WindowJob } from '../../engine/background.js';
import type { DeviceBatch } from '../../engine/device-batch.js';
import type { BatchIds, EngineTokenizer, PartForm, Policy } from '../../engine/engine.js';
import type { AnyPaddedBatch, PadForm } from '../../engine/padding.js';
import { textCount, type TextRows, type Texts } from '../../engine/text-rows.js';
import type { Work } from '../../base/time-slices.js';
import { untilAborted } from '../../base/abort.js';
import type { UnsharedUint32Array } from '../../base/typed-arrays.js';
import { addon, failed, type Handle } from './addon.js';
import { type DeviceTexts, IDS, type Wanted } from './device-texts.js';
import type { Caches } from './caches.js';
import { isShared, Job, type JobDescription, mostBytes, mostBytesOf, sizeOf } from './addon-job.js';
import { threadCount } from './thread-count.js';

/**
 * Text sizes, in UTF-16 units or bytes. Short texts take less time than handing them over, a few microseconds. Medium
 * ones, a millisecond of most texts, are also encoded immediately if nothing else is running. On larger ones, up to the
 * last size, the calling thread works together with the others.
 */
const SHORT = 4 * 1024;
const MEDIUM = 192 * 1024;
const LONG = 1024 * 1024;
/** Milliseconds that all jobs together may feed per turn of the event loop: feeding is faster than encoding. */
const TIME_SLICE = 4;

/** Its jobs keep the vocabulary and run to their end, even after `close`. */
export class NativeBackground implements Background {
  readonly #engine: EngineTokenizer;
  readonly #handle: Handle;
  readonly #devices: DeviceTexts;
  readonly #caches: Caches;

  constructor(engine: EngineTokenizer, handle: Handle, devices: DeviceTexts, caches: Caches) {
    this.#engine = engine;
    this.#handle = handle;
    this.#devices = devices;
    this.#caches = caches;
  }

  encode(text: string | Uint8Array, policy: Policy, options: JobOptions): Promise<UnsharedUint32Array> | UnsharedUint32Array {
    if (isDoneAtOnce(text)) return timed(() => this.#engine.encode(text, policy));
    const job = this.#job(policy, false, text, options);
    return finished(job, job.feed(text), text.length, options, () => {
      job.count();
      return job.take();
    });
  }

  count(text: string | Uint8Array, policy: Policy, options: JobOptions): Promise<number> | number {
    if (isDoneAtOnce(text)) return timed(() => this.#engine.count(text, policy));
    const job = this.#job(policy, true, text, options);
    return finished(job, job.feed(text), text.length, options, () => job.count());
  }

  encodeBatch(texts: Texts, policy: Policy, options: JobOptions): Promise<BatchIds> {
    return this.#batch(texts, policy, options, IDS);
  }

  split(texts: Texts, form: PartForm, policy: Policy, options: JobOptions): Promise<BatchIds> {
    const bytes = mostBytesOf(texts);
    const cacheLimit = this.#caches.limitFor(options.cacheBytes, sizeOf(texts));
    const job = new Job(this.#handle, { ...this.#described(policy, false, options), form, bytes, cacheLimit });
    // The calling thread takes no part: one text can take it longer than a turn of the event loop.
    return finished(job, job.feedTexts(texts), Infinity, options, () => {
      job.batchCount();
      return { ids: job.take(), totals: job.totals(textCount(texts)) };
    });
  }

  encodePadded(texts: Texts, policy: Policy, form: PadForm, options: JobOptions): Promise<AnyPaddedBatch | BatchIds> {
    return this.#batch(texts, policy, options, this.#devices.padded(form));
  }

  async encodeKept(texts: Texts, policy: Policy, form: PadForm, options: JobOptions): Promise<DeviceBatch> {
    const tokenizer = addon.share(this.#handle); // the tokenizer may be closed meanwhile
    if (tokenizer < 0) throw failed('cannot encode');
    try {
      const onCpu = (rows: Texts) => this.#batchHere(tokenizer, rows, policy, options);
      return await this.#devices.keepLater(tokenizer, texts, form, options.device, {
        policy,
        threads: options.threads,
        signal: options.signal,
        inTimeSlices,
        onCpu,
      });
    } finally {
      addon.tokenizerRelease(tokenizer);
    }
  }

  async #batch<Result>(texts: Texts, policy: Policy, options: JobOptions, wanted: Wanted<Result>): Promise<Result | BatchIds> {
    const choice = this.#devices.choose(texts, options.device, false);
    if (!choice) return this.#batchHere(this.#handle, texts, policy, options);
    // A separate handle: the tokenizer may be closed before the CPU takes over the work.
    const tokenizer = addon.share(this.#handle);
    if (tokenizer < 0) throw failed('cannot encode');
    try {
      const onCpu = (rows: Texts) => this.#batchHere(tokenizer, rows, policy, options);
      const batch = await this.#devices.submit(choice, tokenizer, texts, wanted, {
        policy,
        threads: options.threads,
        signal: options.signal,
        inTimeSlices,
        onCpu,
      });
      return batch ?? (await onCpu(texts));
    } finally {
      addon.tokenizerRelease(tokenizer);
    }
  }

  #batchHere(tokenizer: Handle, texts: Texts, policy: Policy, options: JobOptions): Promise<BatchIds> {
    const bytes = mostBytesOf(texts);
    const cacheLimit = this.#caches.limitFor(options.cacheBytes, sizeOf(texts));
    const job = new Job(tokenizer, { ...this.#described(policy, false, options), bytes, cacheLimit });
    return finished(job, job.feedTexts(texts), bytes, options, () => {
      job.batchCount();
      return { ids: job.take(), totals: job.totals(textCount(texts)) };
    });
  }

  encodeRows(rows: TextRows, policy: Policy, options: JobOptions, size: number): RowJob | undefined {
    if (isShared(rows.bytes) || this.#devices.choose(rows, options.device, false)) return undefined;
    const cacheLimit = this.#caches.limitFor(options.cacheBytes, size);
    const job = new Job(this.#handle, { ...this.#described(policy, false, options), apart: true, bytes: 0, cacheLimit });
    const encode = async () => {
      job.setRows(rows);
      if (options.threads === 1) return job.runRows();
      await job.submit();
      return job.batchCount();
    };
    return {
      encoded: encode(),
      write: (form, memory) => job.writeRows(form, memory, textCount(rows)),
      release: () => job.release(),
    };
  }

  windows(policy: Policy, counting: boolean, options: JobOptions): WindowEncoder {
    return new NativeWindows(this.#handle, this.#described(policy, counting, options), options.cacheBytes);
  }

  #job(policy: Policy, counting: boolean, text: string | Uint8Array, options: JobOptions): Job {
    const cacheLimit = this.#caches.limitFor(options.cacheBytes, text.length);
    return new Job(this.#handle, { ...this.#described(policy, counting, options), bytes: mostBytes(text), cacheLimit });
  }

  #described(policy: Policy, counting: boolean, { threads, strategy }: JobOptions): Omit<JobDescription, 'bytes' | 'cacheLimit'> {
    return { policy, counting, threads, overlap: overlapOf(strategy), caches: this.#caches };
  }
}

function overlapOf(strategy: JobOptions['strategy']): Overlap | undefined {
  return typeof strategy === 'object' ? strategy.overlap : strategy === 'overlap' ? {} : undefined;
}

class NativeWindows implements WindowEncoder {
  /** A separate handle, so that closing the tokenizer does not matter. */
  readonly #tokenizer: Handle;
  readonly #description: Omit<JobDescription, 'bytes' | 'cacheLimit'>;
  readonly #cacheBytes: number | undefined;
  readonly #jobs = new Set<Job>();
  /** Bytes of the text so far: a lower bound of its size. */
  #size = 0;

  constructor(tokenizer: Handle, description: Omit<JobDescription, 'bytes' | 'cacheLimit'>, cacheBytes: number | undefined) {
    this.#tokenizer = addon.share(tokenizer);
    if (this.#tokenizer < 0) throw failed('cannot encode');
    this.#description = description;
    this.#cacheBytes = cacheBytes;
  }

  canMap(descriptor: number): number {
    return addon.jobCanMap(descriptor);
  }

  encode(window: Uint8Array | MappedPart, last: boolean): WindowJob {
    this.#size += window.length;
    const cacheLimit = this.#description.caches.limitFor(this.#cacheBytes, this.#size);
    const job = new Job(this.#tokenizer, { ...this.#description, bytes: 0, cacheLimit });
    this.#jobs.add(job);
    job.setText(window, last);
    return {
      encoded: job.submit().then(() => ({ tokens: job.count(), end: job.position() })),
      ids: () => job.take(),
      release: () => this.#release(job),
    };
  }

  end(): void {
    for (const job of this.#jobs) this.#release(job);
    addon.tokenizerRelease(this.#tokenizer);
  }

  #release(job: Job): void {
    this.#jobs.delete(job);
    job.release();
  }
}

/** Feeds a job while the threads work on it, and returns its result. */
function finished<Result>(
  job: Job,
  feeding: Work<void>,
  size: number,
  { threads, signal }: JobOptions,
  result: () => Result,
): Promise<Result> {
  const end = () => {
    if (shared === job) shared = undefined;
    job.release();
  };
  const work = async () => {
    try {
      if (mayShare(size, threads)) {
        shared = job;
        await beginning();
        job.start();
        await inTimeSlices(feeding, signal);
        await timed(() => job.runFor(TIME_SLICE - spent));
      } else {
        const done = job.submit();
        await inTimeSlices(feeding, signal);
        await done;
      }
      return result();
    } finally {
      end();
    }
  };
  return untilAborted(signal, work(), end);
}

function isDoneAtOnce({ length }: string | Uint8Array): boolean {
  return length <= SHORT || (length <= MEDIUM && spent < TIME_SLICE / 2 && !shared && !Job.areAny);
}

/** The job that the calling thread is also working on. */
let shared: Job | undefined;

/**
 * Whether the calling thread also works on a job of this size instead of sleeping until it is done, which saves waking
 * it. Not if there are other jobs, which would have to wait.
 */
function mayShare(size: number, threads: number = threadCount()): boolean {
  return threads > 1 && size > MEDIUM && size <= LONG && !shared && !Job.areAny;
}

/** Milliseconds of work in this turn of the event loop, and the promise of the next turn. */
let spent = 0;
let next: Promise<void> | undefined;

function nextTurn(): Promise<void> {
  next ??= new Promise((resolve) => {
    setImmediate(() => {
      next = undefined;
      spent = 0;
      resolve();
    });
  });
  return next;
}

/** Waits until a good part of an event loop turn is available. */
async function beginning(): Promise<void> {
  while (spent >= TIME_SLICE / 2) await nextTurn();
}

/** Does part of this turn's work. */
function timed<Result>(work: () => Result): Result {
  const began = process.uptime(); // `performance` takes a millisecond to load
  try {
    return work();
  } finally {
    spent += 1000 * (process.uptime() - began);
    void nextTurn(); // otherwise the time spent now would count forever
  }
}

/** Does the work with turns of the event loop in between. An aborted job is not fed further. */
async function inTimeSlices(work: Work<void>, signal: AbortSignal | undefined): Promise<void> {
  for (let isDone = false; !isDone; ) {
    while (spent >= TIME_SLICE) await nextTurn();
    if (signal?.aborted) return;
    isDone = timed(() => work.next().done === true);
  }
}
