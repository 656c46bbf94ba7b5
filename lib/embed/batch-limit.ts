// How many rows a model gets at a time: halved when its memory runs out, and raised again after a while.

/** Successful calls before doubling the rows again; failures raise this number up to the second one. */
const PATIENCE = 16;
const MOST_PATIENCE = 1024;

/** A limit in ids, which determine the memory, but at least one row. */
export class BatchLimit {
  #ids = Number.POSITIVE_INFINITY;
  #patience = PATIENCE;
  /** Calls at the limit since it changed. */
  #calls = 0;
  /** Whether the limit has been raised since the last failure. */
  #isRaised = false;

  /** How many of `rows` rows with `length` ids each to pass. */
  rowsOf(rows: number, length: number): number {
    return Math.min(rows, Math.max(1, Math.floor(this.#ids / Math.max(1, length))));
  }

  succeeded(): void {
    if (this.#ids === Number.POSITIVE_INFINITY || ++this.#calls < this.#patience) return;
    this.#calls = 0;
    this.#ids *= 2;
    this.#isRaised = true;
  }

  /** False if the number of rows cannot be reduced. */
  failed(rows: number, length: number): boolean {
    if (rows <= 1) return false;
    // The raise failed: each failure costs a call, so try again later next time.
    if (this.#isRaised) this.#patience = Math.min(2 * this.#patience, MOST_PATIENCE);
    this.#isRaised = false;
    this.#calls = 0;
    this.#ids = Math.floor(rows / 2) * Math.max(1, length);
    return true;
  }
}
