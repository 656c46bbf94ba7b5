// What has arrived from a source while its reader was busy: little from a slow source, which wants an answer at once, and much from
// a fast one, where work pays by the batch.

/** Bytes to read ahead. */
const MOST = 1024 * 1024;

export class Arrivals {
  #chunks: Uint8Array[] = [];
  #size = 0;
  /** Set at the end: why the source ended early, if it did. */
  #end: { error?: unknown } | undefined;
  #wakeReader: (() => void) | undefined;
  #wakeSource: (() => void) | undefined;

  /** Reads on its own, as long as less than a megabyte waits. To end that, end the source. */
  constructor(source: AsyncIterable<Uint8Array>) {
    void this.#readAhead(source);
  }

  /** All that waits; without that, what comes next. Undefined at the end. */
  async take(): Promise<Uint8Array[] | undefined> {
    while (this.#chunks.length === 0) {
      if (this.#end && 'error' in this.#end) throw this.#end.error;
      if (this.#end) return undefined;
      await new Promise<void>((wake) => {
        this.#wakeReader = wake;
      });
    }
    const taken = this.#chunks;
    this.#chunks = [];
    this.#size = 0;
    this.#wakeSource?.();
    return taken;
  }

  async #readAhead(source: AsyncIterable<Uint8Array>): Promise<void> {
    try {
      for await (const chunk of source) {
        this.#chunks.push(chunk);
        this.#size += chunk.length;
        this.#wakeReader?.();
        if (this.#size < MOST) continue;
        await new Promise<void>((wake) => {
          this.#wakeSource = wake;
        });
      }
      this.#end = {};
    } catch (error) {
      this.#end = { error };
    }
    this.#wakeReader?.();
  }
}
