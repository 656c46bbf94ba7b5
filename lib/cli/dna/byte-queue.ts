// Bytes that are added behind and taken in front. Each byte is copied a few times at most.

export class ByteQueue {
  #bytes = new Uint8Array(64 * 1024);
  #begin = 0;
  #end = 0;

  get length(): number {
    return this.#end - this.#begin;
  }

  /** All of its bytes, valid until the next `add`. */
  get view(): Uint8Array {
    return this.#bytes.subarray(this.#begin, this.#end);
  }

  add(more: Uint8Array): void {
    if (this.#end + more.length > this.#bytes.length) this.#makeRoom(more.length);
    this.#bytes.set(more, this.#end);
    this.#end += more.length;
  }

  /** Removes the first bytes. */
  drop(count: number): void {
    this.#begin += Math.max(0, Math.min(count, this.length));
  }

  /** Removes all but the first bytes. */
  cut(length: number): void {
    this.#end = Math.min(this.#end, this.#begin + length);
  }

  clear(): void {
    this.#begin = this.#end = 0;
  }

  #makeRoom(count: number): void {
    const { view } = this;
    const needed = view.length + count;
    // If it is more than half empty, what is moved is less than what has been dropped.
    if (2 * needed > this.#bytes.length) this.#bytes = new Uint8Array(2 * needed);
    this.#bytes.set(view);
    this.#begin = 0;
    this.#end = view.length;
  }
}
