// Tracks why a stream encoder or decoder accepts no more calls.

import { fromCaller, TokenizerError } from '../../base/errors.js';

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
