// What encodes while the calling thread does other work: a pool of threads or workers, or the thread itself in turns. Types
// only.

import type { BatchIds, EngineTokenizer, Policy } from './engine.js';
import type { Texts } from './text-rows.js';
import type { UnsharedUint32Array } from './typed-arrays.js';

/** How a long text is divided among threads. */
export type Strategy = 'cuts' | 'overlap';

/** What a call asks of the background. */
export interface JobOptions {
  /** Undefined: cuts. It changes no result; a background may leave it out of account. */
  strategy?: Strategy | undefined;
  /** How many threads at most, 1 or more; undefined leaves it to the background. */
  threads?: number | undefined;
  /**
   * Ends the job. It is not aborted when the call is made. When it is, the promise is rejected at once with its reason, and
   * the work stops soon. However the job ends, no listener is left.
   */
  signal?: AbortSignal | undefined;
}

/**
 * Encodes for one engine. Texts are checked and plain; their bytes are the caller's, who leaves them alone until the promise
 * is settled, and are read in the course of the call. Failures are those of the engine, with positions in bytes and the row
 * of a batch; a call may also throw them at once. A job that has begun keeps its engine through `retire`, and is rejected
 * with `CLOSED` by `close`.
 */
export interface Background {
  encode(text: string | Uint8Array, policy: Policy, options: JobOptions): Promise<UnsharedUint32Array>;
  count(text: string | Uint8Array, policy: Policy, options: JobOptions): Promise<number>;
  encodeBatch(texts: Texts, policy: Policy, options: JobOptions): Promise<BatchIds>;
}

/** The backgrounds of the engines that an entry has opened. */
export interface Backgrounds {
  /** That of an engine; undefined if it has none, and the thread encodes in turns. */
  backgroundOf(engine: EngineTokenizer): Background | undefined;
  /** Releases it: its jobs are rejected. */
  end(engine: EngineTokenizer): void;
}
