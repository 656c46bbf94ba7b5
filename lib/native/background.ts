// The threads of the process as the background of a tokenizer.
//
// Text goes to them in slices, with turns of the event loop in between; they begin with the first slice. They write the
// results too, into memory that is allocated here.

import type { Background, JobOptions, WindowEncoder, WindowJob } from '../tokenizer/background.js';
import type { BatchIds, EngineTokenizer, Policy } from '../tokenizer/engine.js';
import { textCount, type Texts } from '../tokenizer/text-rows.js';
import type { Work } from '../tokenizer/turns.js';
import { untilAborted } from '../tokenizer/abort.js';
import type { UnsharedUint32Array } from '../tokenizer/typed-arrays.js';
import { addon, failed, type Handle } from './addon.js';
import { Job, type JobDescription, mostBytes, mostBytesOf } from './job.js';

/** Shorter texts, in UTF-16 units or bytes, take less time than to hand them over: some microseconds. */
const AT_ONCE = 4 * 1024;
/** Milliseconds that all jobs together feed in one turn of the event loop: threads are fed faster than they eat. */
const TURN = 4;
/** So many ids are written by the calling thread. */
const TAKEN_AT_ONCE = 64 * 1024;

/** Its jobs keep the vocabulary: they end as they began, also after `close`. */
export class NativeBackground implements Background {
  readonly #engine: EngineTokenizer;
  readonly #handle: Handle;

  constructor(engine: EngineTokenizer, handle: Handle) {
    this.#engine = engine;
    this.#handle = handle;
  }

  async encode(text: string | Uint8Array, policy: Policy, options: JobOptions): Promise<UnsharedUint32Array> {
    if (text.length <= AT_ONCE) {
      return typeof text === 'string' ? this.#engine.encode(text, policy) : this.#engine.encodeBytes(text, policy);
    }
    const job = new Job(this.#handle, { policy, counting: false, threads: options.threads, bytes: mostBytes(text) });
    return finished(job, job.feed(text), options.signal, () => taken(job, job.count()));
  }

  async count(text: string | Uint8Array, policy: Policy, options: JobOptions): Promise<number> {
    if (text.length <= AT_ONCE) {
      return typeof text === 'string' ? this.#engine.count(text, policy) : this.#engine.countBytes(text, policy);
    }
    const job = new Job(this.#handle, { policy, counting: true, threads: options.threads, bytes: mostBytes(text) });
    return finished(job, job.feed(text), options.signal, () => job.count());
  }

  async encodeBatch(texts: Texts, policy: Policy, options: JobOptions): Promise<BatchIds> {
    const job = new Job(this.#handle, { policy, counting: false, threads: options.threads, bytes: mostBytesOf(texts) });
    return finished(job, job.feedTexts(texts), options.signal, async () => {
      const ids = await taken(job, job.batchCount());
      return { ids, totals: job.totals(textCount(texts)) };
    });
  }

  windows(policy: Policy, counting: boolean, threads: number | undefined): WindowEncoder {
    return new NativeWindows(this.#handle, { policy, counting, threads, bytes: 0 });
  }
}

class NativeWindows implements WindowEncoder {
  /** A handle of its own, so that nothing that becomes of the tokenizer matters. */
  readonly #tokenizer: Handle;
  readonly #description: JobDescription;
  readonly #jobs = new Set<Job>();

  constructor(tokenizer: Handle, description: JobDescription) {
    this.#tokenizer = addon.share(tokenizer);
    if (this.#tokenizer < 0) throw failed('cannot encode');
    this.#description = { ...description };
  }

  encode(window: Uint8Array, last: boolean): WindowJob {
    const job = new Job(this.#tokenizer, this.#description);
    this.#jobs.add(job);
    job.setText(window, last);
    return {
      encoded: job.submit().then(() => ({ tokens: job.count(), end: job.position() })),
      ids: async () => taken(job, job.count()),
      release: () => this.#release(job),
    };
  }

  end(): void {
    for (const job of this.#jobs) this.#release(job);
    addon.close(this.#tokenizer);
  }

  #release(job: Job): void {
    this.#jobs.delete(job);
    job.release();
  }
}

/** Feeds a job while the threads are at work on it, and returns its result. */
function finished<Result>(
  job: Job,
  feeding: Work<void>,
  signal: AbortSignal | undefined,
  result: () => Result | Promise<Result>,
): Promise<Result> {
  const work = async () => {
    try {
      const done = job.submit();
      await inTurns(feeding, signal);
      await done;
      return await result();
    } finally {
      job.release();
    }
  };
  return untilAborted(signal, work(), () => job.release());
}

function taken(job: Job, count: number): UnsharedUint32Array | Promise<UnsharedUint32Array> {
  return count <= TAKEN_AT_ONCE ? job.take(count) : job.takeLater(count);
}

/** Milliseconds of feeding in this turn of the event loop, and what waits for the next one. */
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

/** Does the work, and lets the event loop go on in between. An aborted job is not fed any more. */
async function inTurns(work: Work<void>, signal: AbortSignal | undefined): Promise<void> {
  for (let isDone = false; !isDone; ) {
    while (spent >= TURN) await nextTurn();
    if (signal?.aborted) return;
    const began = performance.now();
    isDone = work.next().done === true;
    spent += performance.now() - began;
  }
  // Without a turn that begins anew, what is spent now would count for ever.
  if (spent > 0) void nextTurn();
}
