/** The most memory for remembered pieces: one table for all hosts. */

const MB = 1024 * 1024;

/** For each thread that encodes, unless the caller sets `cacheBytes`. The engine's own default is that of a thread of Node. */
export const CACHE_BYTES = {
  /** A page, and each of its workers, which may ask for less but not for more: WebAssembly never gives memory back. */
  page: 12 * MB,
  /** A thread of Node: the main thread, a worker, a thread of the pool. */
  thread: 16 * MB,
  /** The same for texts and files of LARGE_TEXT and more, until it has been idle. */
  largeText: 256 * MB,
};

/** In units or bytes: there are more pieces than a service remembers. */
export const LARGE_TEXT = 32 * MB;

/** The share of the process's memory that the threads of all tokenizers may have for large texts. */
export const LARGE_TEXTS_SHARE = 1 / 16;
