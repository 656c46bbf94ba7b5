// What encodes for a tokenizer while the calling thread does other work: threads of the process, workers, or the calling
// thread itself, in turns. Types only.

import type { Policy } from './engine.js';
import type { Texts } from './text-rows.js';
import type { UnsharedUint32Array } from './typed-arrays.js';

/** What a call asks of the background: how many threads at most, and a signal that ends it. */
export interface JobOptions {
  threads?: number | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Encodes for one engine while the calling thread does other work. Texts are checked; bytes are the caller's, and read in
 * the course of the call.
 */
export interface Background {
  encode(text: string | Uint8Array, policy: Policy, options: JobOptions): Promise<UnsharedUint32Array>;
  count(text: string | Uint8Array, policy: Policy, options: JobOptions): Promise<number>;
  /** ids of all texts, and totals[i + 1] = number of ids up to the end of text i. */
  encodeBatch(
    texts: Texts,
    policy: Policy,
    options: JobOptions,
  ): Promise<{ ids: UnsharedUint32Array; totals: UnsharedUint32Array }>;
}
