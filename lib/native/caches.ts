// The memory in which the encoders of a tokenizer remember pieces of texts: how much of it a job may have, and that what a
// large one has grown is given back when nothing has used it for some seconds.

import { totalmem } from 'node:os';

import type { MemoryUse } from '../engine/engine.js';
import { addon, failed, type Handle } from './addon.js';
import { IdleTimer } from './idle-timer.js';
import { threadCount } from './thread-count.js';

const MB = 1024 * 1024;
/** Units or bytes of texts from which on more memory pays: there are more pieces than a service has room for. */
const LARGE = 32 * MB;
/** Of a thread, at most, unless the caller says how much. */
const MOST = 256 * MB;
/** Of a thread that a service keeps; the engine has 13 MiB by default, and does not grow beyond that under a limit of less. */
const KEPT = 16 * MB;
const LEAST_TO_GROW = 26 * MB;
/** Of the memory that the process may use, for all threads of all tokenizers together. */
const SHARE = 1 / 16;
/** Milliseconds. */
const IDLE = 5000;

/** Bytes that the threads of all tokenizers may have grown to: each has its part until it has been idle. */
let promised = 0;

/** By the control group, too. */
function usableMemory(): number {
  const limit = process.constrainedMemory?.() ?? 0;
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}

export class Caches {
  readonly #tokenizer: Handle;
  /** Of the tokenizer. */
  readonly #limit: number;
  readonly #idle: IdleTimer;
  /** Its part of what is promised. */
  #promised = 0;

  /** `given`: the limit of each thread; undefined leaves it to the engine. */
  constructor(tokenizer: Handle, given: number | undefined) {
    this.#tokenizer = tokenizer;
    this.#limit = this.limitFor(given, 0);
    this.#idle = new IdleTimer(IDLE, () => {
      addon.trim(tokenizer, KEPT); // -1 if it has been closed
      this.#promise(0);
    });
    if (this.#limit > 0) addon.limitCaches(tokenizer, this.#limit);
  }

  /**
   * The limit for a job on texts of that size, after which `used` has to be called; 0 leaves it to the engine. One that the
   * caller has not given is within what other tokenizers leave.
   */
  limitFor(given: number | undefined, size: number): number {
    if (given !== undefined) return Math.max(given, 1);
    if (size < LARGE) return 0;
    const threads = threadCount() + 1;
    const left = SHARE * usableMemory() - (promised - this.#promised);
    const limit = Math.min(MOST, Math.floor(left / threads));
    if (limit < LEAST_TO_GROW) return 0;
    this.#promise(Math.max(this.#promised, limit * threads));
    return limit;
  }

  #promise(bytes: number): void {
    promised += bytes - this.#promised;
    this.#promised = bytes;
  }

  /** A job with that limit has ended. */
  used(limit: number): void {
    if (Math.max(limit, this.#limit) > KEPT) this.#idle.used();
  }

  /** Gives back what is not in use. */
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
