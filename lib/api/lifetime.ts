// The ends of stream encoders, decoders and documents, and the release of what they hold.

import { fromCaller, TokenizerError } from '../base/errors.js';

/** Releases what belongs to objects that became unreachable. Some edge workers have no registry. */
const forgotten = typeof FinalizationRegistry === 'function' ? new FinalizationRegistry<() => void>((release) => release()) : undefined;

/**
 * A function that calls `release` the first time it is called. If `owner` becomes unreachable before, `release` is called then, so it
 * must not refer to it.
 */
export function releasedWith(owner: object, release: () => void): () => void {
  let isReleased = false;
  forgotten?.register(owner, release, release);
  return () => {
    if (isReleased) return;
    isReleased = true;
    forgotten?.unregister(release);
    release();
  };
}

/** Tracks why an object accepts no more calls. */
export class Lifetime {
  readonly #name: string;
  readonly #release: () => void;
  /** Undefined while calls are accepted. */
  #over: { why: string; cause?: unknown } | undefined;

  /** `release` is called once, at the end. */
  constructor(name: string, release: () => void) {
    this.#name = name;
    this.#release = release;
  }

  /** Throws after the end. */
  check(call: string): void {
    if (this.#over === undefined) return;
    const { why, cause } = this.#over;
    throw new TokenizerError(`cannot ${call}: the ${this.#name} ${why}`, { code: 'CLOSED' }, { cause });
  }

  end(why: string, cause?: unknown): void {
    if (this.#over !== undefined) return;
    this.#over = { why, cause };
    this.#release();
  }

  /** Ends with an error, unless it has already ended. Returns the error, whose stack then begins at the call of `entry`. */
  failed(error: unknown, entry: (...args: never[]) => unknown): unknown {
    this.end(`has failed before (${error instanceof Error ? error.message : String(error)})`, error);
    return fromCaller(error, entry);
  }
}
