/** The most memory for remembered pieces: one table for all hosts. */

const MB = 1024 * 1024;

/** For each thread that encodes, unless the caller sets `cacheBytes`. The engine's own default is that of a thread of Node. */
export const CACHE_BYTES = {
  /** A page, and each of its workers, which may ask for less but not for more: WebAssembly never gives memory back. */
  page: 32 * MB,
  /** A thread of Node: the main thread, a worker, a thread of the pool. */
  thread: 16 * MB,
  /** The same for long texts and files at most, until it has been idle. */
  longText: 256 * MB,
};

/** A text may be remembered in so many bytes for each of its units or bytes. Chinese takes 30 of them for a unit, and most texts fewer. */
export const LONG_TEXT_SHARE = 32;

/** The share of the process's memory that the threads of all tokenizers may have for long texts. */
export const LONG_TEXTS_SHARE = 1 / 16;
