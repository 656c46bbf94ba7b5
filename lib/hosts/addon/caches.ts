// The memory in which a tokenizer's encoders cache pieces: limits how much a job may use, and frees a large job's memory
// after a few idle seconds.

import { totalmem } from 'node:os';

import { CACHE_BYTES, idleOf, LONG_TEXT_SHARE, LONG_TEXTS_SHARE, type Open, releaseEncoder } from '../../engine/host-tokenizer.js';
import type { MemoryUse } from '../../engine/engine.js';
import { addon } from './addon.js';
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
  readonly #open: Open;
  readonly #idle: IdleTimer;
  readonly #given: number | undefined;
  /** Its part of `promised`. */
  #promised = 0;
  /** The limit of the calling thread's encoder; 0: the tokenizer's. */
  #raised = 0;

  /** `given`: the limit per thread. */
  constructor(open: Open, given: number | undefined) {
    this.#open = open;
    this.#given = given;
    this.#idle = new IdleTimer(IDLE, () => {
      this.#trim(CACHE_BYTES.thread);
      this.#promise(0);
    });
    addon.tokenizerCacheLimit(open.tokenizer, Math.max(given ?? CACHE_BYTES.thread, 1));
  }

  /**
   * The limit for a job on texts of this size; 0: the tokenizer's. `used` must be called after the job. A limit not
   * set by the caller stays within what other tokenizers leave.
   */
  limitFor(given: number | undefined, size: number): number {
    if (given !== undefined) return Math.max(given, 1);
    if (this.#given !== undefined) return 0;
    const wanted = Math.min(CACHE_BYTES.longText, LONG_TEXT_SHARE * size);
    if (wanted <= CACHE_BYTES.thread) return 0;
    const threads = threadCount() + 1;
    const left = LONG_TEXTS_SHARE * usableMemory() - (promised - this.#promised);
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
    promised += bytes - this.#promised;
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

  /** Drops idle encoders whose caches exceed `most` bytes; nothing of a tokenizer that has been closed. */
  #trim(most: number): void {
    const open = this.#open;
    const { idle } = open;
    if (idle !== undefined && addon.encoderCacheBytes(idle) > most) {
      open.idle = undefined;
      releaseEncoder(open, idle);
    }
    addon.trim(open.tokenizer, most);
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
