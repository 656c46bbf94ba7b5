// The threads of the process as the background of a tokenizer.
//
// Text goes to them step by step, and the event loop goes on in between; they begin with the first step. Results are
// written by them too, into memory that is allocated here.

import type { Background, JobOptions } from '../tokenizer/background.js';
import type { EngineTokenizer, Policy } from '../tokenizer/engine.js';
import { textCount, type Texts } from '../tokenizer/text-rows.js';
import type { UnsharedUint32Array } from '../tokenizer/typed-arrays.js';
import type { Handle } from './addon.js';
import { Job, mostBytes, mostBytesOf } from './job.js';

/** Shorter texts, in UTF-16 units or bytes, take less time than to hand them over. */
const AT_ONCE = 4 * 1024;
/** How long the thread is blocked at a time, in milliseconds. */
const TURN = 4;
/** So many ids are written at once by the calling thread. */
const TAKEN_AT_ONCE = 64 * 1024;

export class NativeBackground implements Background {
  readonly #engine: EngineTokenizer;
  readonly #handle: Handle;

  constructor(engine: EngineTokenizer, handle: Handle) {
    this.#engine = engine;
    this.#handle = handle;
  }

  async encode(text: string | Uint8Array, policy: Policy, options: JobOptions): Promise<UnsharedUint32Array> {
    if (text.length <= AT_ONCE) {
      options.signal?.throwIfAborted();
      return typeof text === 'string' ? this.#engine.encode(text, policy) : this.#engine.encodeBytes(text, policy);
    }
    const job = this.#begin(policy, false, mostBytes(text), options);
    return finished(job, job.feed(text), options.signal, () => taken(job));
  }

  async count(text: string | Uint8Array, policy: Policy, options: JobOptions): Promise<number> {
    if (text.length <= AT_ONCE) {
      options.signal?.throwIfAborted();
      return typeof text === 'string' ? this.#engine.count(text, policy) : this.#engine.countBytes(text, policy);
    }
    const job = this.#begin(policy, true, mostBytes(text), options);
    return finished(job, job.feed(text), options.signal, () => job.count());
  }

  async encodeBatch(
    texts: Texts,
    policy: Policy,
    options: JobOptions,
  ): Promise<{ ids: UnsharedUint32Array; totals: UnsharedUint32Array }> {
    const job = this.#begin(policy, false, mostBytesOf(texts), options);
    return finished(job, job.feedTexts(texts), options.signal, async () => {
      const ids = await taken(job);
      return { ids, totals: job.totals(textCount(texts)) };
    });
  }

  #begin(policy: Policy, counting: boolean, bytes: number, { threads, signal }: JobOptions): Job {
    signal?.throwIfAborted();
    return new Job(this.#handle, policy, counting, threads ?? 0, bytes);
  }
}

/** Feeds a job while the threads are at work on it, and returns its result. */
async function finished<Result>(
  job: Job,
  feeding: Generator<void, void>,
  signal: AbortSignal | undefined,
  result: () => Result | Promise<Result>,
): Promise<Result> {
  const aborted = abortOf(signal);
  try {
    const done = job.submit();
    await aborted.or(inTurns(feeding, signal));
    await aborted.or(done);
    return await aborted.or(result());
  } finally {
    aborted.forget();
    job.release();
  }
}

function taken(job: Job): UnsharedUint32Array | Promise<UnsharedUint32Array> {
  const count = job.count();
  return count <= TAKEN_AT_ONCE ? job.take(count) : job.takeLater(count);
}

/** Runs the steps, and lets the event loop go on every few milliseconds. */
async function inTurns(steps: Generator<void, void>, signal: AbortSignal | undefined): Promise<void> {
  let began = performance.now();
  while (!steps.next().done) {
    if (signal?.aborted) return;
    if (performance.now() - began < TURN) continue;
    await new Promise((resolve) => setImmediate(resolve));
    began = performance.now();
  }
}

/** Waits for a promise, or for the signal if that is first. */
function abortOf(signal: AbortSignal | undefined): {
  or<Result>(result: Result | Promise<Result>): Promise<Result>;
  forget(): void;
} {
  if (!signal) return { or: async (result) => result, forget() {} };
  let abort: (reason: unknown) => void = () => {};
  const aborted = new Promise<never>((_, reject) => {
    abort = reject;
  });
  aborted.catch(() => {}); // it may come when nobody waits
  const listener = () => abort(signal.reason);
  signal.addEventListener('abort', listener);
  return {
    or: (result) => Promise.race([result, aborted]),
    forget: () => signal.removeEventListener('abort', listener),
  };
}
