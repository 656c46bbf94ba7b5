// The memory in which a tokenizer's encoders cache pieces: limits how much a job may use, and frees a large job's memory
// after a few idle seconds.

import { totalmem } from 'node:os';
import { clearTimeout, setTimeout } from 'node:timers'; // jsdom, as in Jest, removes the global ones

import { CACHE_BYTES, idleOf, LONG_TEXT_SHARE, LONG_TEXTS_SHARE, type Open, releaseEncoder } from '../../engine/host-tokenizer.js';
import type { MemoryUse } from '../../engine/engine.js';
import { unlessDenied } from '../../base/environment.js';
import { addon } from './addon.js';
import { threadCount } from './thread-count.js';

/** Milliseconds. */
const IDLE = 5000;

/** Bytes that the threads of all tokenizers may have grown to; each keeps its part until it has been idle. */
let promisedBytes = 0;

/** Includes the control group's limit; 0 if the host does not tell it, so that no text may remember more than usual. */
function usableMemory(): number {
  const total = unlessDenied(totalmem) ?? 0;
  const limit = unlessDenied(() => process.constrainedMemory?.()) ?? 0;
  return limit > 0 ? Math.min(limit, total) : total;
}

export class Caches {
  readonly #open: Open;
  readonly #idle: IdleTimer;
  readonly #limit: number | undefined;
  /** Its part of `promisedBytes`. */
  #promised = 0;
  /** The limit of the calling thread's encoder; 0: the tokenizer's. */
  #raised = 0;

  /** `limit`: in bytes per thread, if the caller has set one. */
  constructor(open: Open, limit: number | undefined) {
    this.#open = open;
    this.#limit = limit;
    this.#idle = new IdleTimer(IDLE, () => {
      this.#trim(CACHE_BYTES.thread);
      this.#promise(0);
    });
    addon.tokenizerCacheLimit(open.tokenizer, Math.max(limit ?? CACHE_BYTES.thread, 1));
  }

  /**
   * The limit for a job on texts of this size; 0: the tokenizer's. `used` must be called after the job. A limit not
   * set by the caller stays within what other tokenizers leave.
   */
  limitFor(jobLimit: number | undefined, size: number): number {
    if (jobLimit !== undefined) return Math.max(jobLimit, 1);
    if (this.#limit !== undefined) return 0;
    const wanted = Math.min(CACHE_BYTES.longText, LONG_TEXT_SHARE * size);
    if (wanted <= CACHE_BYTES.thread) return 0;
    const threads = threadCount() + 1;
    const left = LONG_TEXTS_SHARE * usableMemory() - (promisedBytes - this.#promised);
    const limit = Math.min(wanted, Math.floor(left / threads));
    if (limit <= CACHE_BYTES.thread) return 0;
    this.#promise(Math.max(this.#promised, limit * threads));
    return limit;
  }

  /** Lets the calling thread's encoder remember more for a text of this size. */
  prepare(size: number): void {
    const limit = this.limitFor(undefined, size);
    if (limit === 0) return;
    this.#raised = Math.max(this.#raised, limit);
    addon.encoderCacheLimit(idleOf(this.#open), this.#raised);
    this.used();
  }

  #promise(bytes: number): void {
    promisedBytes += bytes - this.#promised;
    this.#promised = bytes;
    if (bytes === 0) this.#raised = 0;
  }

  /** Records the end of a job. */
  used(): void {
    this.#idle.used();
  }

  /** Frees memory not in use. */
  trim(): void {
    this.#idle.stop();
    this.#promise(0);
    this.#trim(0);
  }

  /** Drops idle encoders whose caches exceed `maxBytes`; of a tokenizer that is open. */
  #trim(maxBytes: number): void {
    const open = this.#open;
    const { idle } = open;
    if (idle !== undefined && addon.encoderCacheBytes(idle) > maxBytes) {
      open.idle = undefined;
      releaseEncoder(open, idle);
    }
    addon.trim(open.tokenizer, maxBytes);
  }

  memory(): MemoryUse {
    const { tokenizer, encoders } = this.#open;
    const words = new Uint32Array(6);
    addon.tokenizerMemory(tokenizer, words);
    const bytes = (index: number) => (words[2 * index] as number) + (words[2 * index + 1] as number) * 2 ** 32;
    let caches = bytes(2);
    for (const encoder of encoders) caches += addon.encoderCacheBytes(encoder);
    return { mapped: bytes(0), private: bytes(1), caches };
  }
}

/** Runs a function once something has not been used for a while. Does not keep the process alive. */
export class IdleTimer {
  readonly #milliseconds: number;
  readonly #then: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(milliseconds: number, then: () => void) {
    this.#milliseconds = milliseconds;
    this.#then = then;
  }

  /** Restarts the timer. */
  used(): void {
    if (this.#timer) {
      this.#timer.refresh();
      return;
    }
    const done = () => {
      this.#timer = undefined;
      this.#then();
    };
    this.#timer = setTimeout(done, this.#milliseconds).unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
