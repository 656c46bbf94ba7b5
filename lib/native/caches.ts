// The memory in which a tokenizer's encoders cache pieces: limits how much a job may use, and frees a large job's memory
// after a few idle seconds.

import { totalmem } from 'node:os';

import { CACHE_BYTES, LARGE_TEXT, LARGE_TEXTS_SHARE } from '../engine/cache-limits.js';
import type { MemoryUse } from '../engine/engine.js';
import { addon, failed, type Handle } from './addon.js';
import { IdleTimer } from './idle-timer.js';
import { threadCount } from './thread-count.js';

/** Milliseconds. */
const IDLE = 5000;

/** Bytes that the threads of all tokenizers may have grown to; each keeps its part until it has been idle. */
let promised = 0;

/** Includes the control group's limit. */
function usableMemory(): number {
  const limit = process.constrainedMemory?.() ?? 0;
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}

export class Caches {
  readonly #tokenizer: Handle;
  /** The tokenizer's limit. */
  readonly #limit: number;
  readonly #idle: IdleTimer;
  /** Its part of `promised`. */
  #promised = 0;

  /** `given`: the limit per thread. */
  constructor(tokenizer: Handle, given: number | undefined) {
    this.#tokenizer = tokenizer;
    this.#limit = Math.max(given ?? CACHE_BYTES.thread, 1);
    this.#idle = new IdleTimer(IDLE, () => {
      addon.trim(tokenizer, CACHE_BYTES.thread); // -1 if it has been closed
      this.#promise(0);
    });
    addon.limitCaches(tokenizer, this.#limit);
  }

  /**
   * The limit for a job on texts of this size; 0: the tokenizer's. `used` must be called after the job. A limit not
   * set by the caller stays within what other tokenizers leave.
   */
  limitFor(given: number | undefined, size: number): number {
    if (given !== undefined) return Math.max(given, 1);
    if (size < LARGE_TEXT) return 0;
    const threads = threadCount() + 1;
    const left = LARGE_TEXTS_SHARE * usableMemory() - (promised - this.#promised);
    const limit = Math.min(CACHE_BYTES.largeText, Math.floor(left / threads));
    if (limit <= CACHE_BYTES.thread) return 0;
    this.#promise(Math.max(this.#promised, limit * threads));
    return limit;
  }

  #promise(bytes: number): void {
    promised += bytes - this.#promised;
    this.#promised = bytes;
  }

  /** Records the end of a job with this limit. */
  used(limit: number): void {
    if (Math.max(limit, this.#limit) > CACHE_BYTES.thread) this.#idle.used();
  }

  /** Frees memory not in use. */
  trim(): void {
    this.#idle.stop();
    this.#promise(0);
    if (addon.trim(this.#tokenizer, 0) < 0) throw failed('cannot trim');
  }

  memory(): MemoryUse {
    const memory = addon.memory(this.#tokenizer);
    if (!memory) throw failed('cannot tell the memory');
    return memory;
  }
}
