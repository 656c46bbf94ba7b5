// How many rows a model gets at once: half as many when its memory runs out, and more again after a while.

/** Calls without a failure, after which twice as many rows are tried again; and the most that failures make of it. */
const PATIENCE = 16;
const MOST_PATIENCE = 1024;

/** A limit of ids, since memory depends on these, but of one row at least. */
export class BatchLimit {
  #ids = Number.POSITIVE_INFINITY;
  #patience = PATIENCE;
  /** Calls at the limit since it changed. */
  #calls = 0;
  /** Whether the limit has been raised since the last failure. */
  #isRaised = false;

  /** How many of `rows` rows with `length` ids each. */
  rowsOf(rows: number, length: number): number {
    return Math.min(rows, Math.max(1, Math.floor(this.#ids / Math.max(1, length))));
  }

  succeeded(): void {
    if (this.#ids === Number.POSITIVE_INFINITY || ++this.#calls < this.#patience) return;
    this.#calls = 0;
    this.#ids *= 2;
    this.#isRaised = true;
  }

  /** False if fewer rows than these cannot be had. */
  failed(rows: number, length: number): boolean {
    if (rows <= 1) return false;
    // Raised in vain: each failure costs a call, so that the next attempt is later.
    if (this.#isRaised) this.#patience = Math.min(2 * this.#patience, MOST_PATIENCE);
    this.#isRaised = false;
    this.#calls = 0;
    this.#ids = Math.floor(rows / 2) * Math.max(1, length);
    return true;
  }
}
