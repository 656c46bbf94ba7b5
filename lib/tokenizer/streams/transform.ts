// A transform stream from a readable and a writable one, as `TextDecoderStream` is. `TransformStream` would not do:
// browsers do not tell its transformer that the stream was cancelled or aborted (Chromium 156), so that nothing could be
// released, and a transformer cannot wait for the reader within a chunk.

/** What happens to the chunks. Steps follow one another; after `release` there is none. */
export interface Steps<Input, Output> {
  write(chunk: Input, outlet: Outlet<Output>): Promise<void>;
  /** The end of the input. */
  close(outlet: Outlet<Output>): void | Promise<void>;
  /** Called once: at the end, after a failure, when the input is aborted, or when the output is cancelled. */
  release(): void;
}

/** Where the results go. */
export class Outlet<Output> {
  /** Whether the reader wants more: it has asked since the last `put`. */
  isWanted = false;
  /** Whether the stream has ended: nothing can be put any more. */
  isOver = false;
  readonly #steps: Steps<never, Output>;
  #readable: ReadableStreamDefaultController<Output> | undefined;
  #writable: WritableStreamDefaultController | undefined;
  #wake: (() => void) | undefined;

  constructor(steps: Steps<never, Output>) {
    this.#steps = steps;
  }

  /** Resolves when the reader wants more, or the stream has ended. */
  async wanted(): Promise<void> {
    while (!this.isWanted && !this.isOver) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  put(result: Output): void {
    if (this.isOver) return;
    this.isWanted = false; // before enqueue, which may ask for the next
    this.#readable?.enqueue(result);
  }

  /** Ends both sides with an error. */
  fail(reason: unknown): void {
    if (!this.#end()) return;
    this.#readable?.error(reason);
    this.#writable?.error(reason);
  }

  /** Ends the output. */
  close(): void {
    if (this.#end()) this.#readable?.close();
  }

  /** The output is cancelled, and with it the input. */
  cancel(reason: unknown): void {
    if (this.#end()) this.#writable?.error(reason);
  }

  /** The input is aborted, and with it the output. */
  abort(reason: unknown): void {
    if (this.#end()) this.#readable?.error(reason);
  }

  ask(): void {
    this.isWanted = true;
    this.#wake?.();
  }

  reads(controller: ReadableStreamDefaultController<Output>): void {
    this.#readable = controller;
  }

  writes(controller: WritableStreamDefaultController): void {
    this.#writable = controller;
    // `abort` of the sink is called only when the current write has ended, which may be waiting for the reader.
    const { signal } = controller as { signal?: AbortSignal };
    signal?.addEventListener('abort', () => this.abort(signal.reason));
  }

  /** Whether it had not ended before. */
  #end(): boolean {
    if (this.isOver) return false;
    this.isOver = true;
    this.#steps.release();
    this.#wake?.();
    return true;
  }
}

/** `name`: the public function, for the error where there are no web streams. */
export function checkWebStreams(name: string): void {
  if (typeof ReadableStream === 'function' && typeof WritableStream === 'function') return;
  throw new Error(`${name} needs web streams (ReadableStream, WritableStream), which this host does not have`);
}

/** The stream. A step waits until the reader wants something, as in a `TransformStream` with its usual marks. */
export function transformStream<Input, Output>(steps: Steps<Input, Output>): TransformStream<Input, Output> {
  const outlet = new Outlet<Output>(steps);
  const step = async (work: () => void | Promise<void>) => {
    try {
      await work();
    } catch (error) {
      outlet.fail(error);
      throw error;
    }
  };
  const readable = new ReadableStream<Output>(
    {
      start: (controller) => outlet.reads(controller),
      pull: () => outlet.ask(),
      cancel: (reason) => outlet.cancel(reason),
    },
    { highWaterMark: 0 },
  );
  const writable = new WritableStream<Input>({
    start: (controller) => outlet.writes(controller),
    write: (chunk) => step(() => steps.write(chunk, outlet)),
    close: () =>
      step(async () => {
        await steps.close(outlet);
        outlet.close();
      }),
    abort: (reason) => outlet.abort(reason),
  });
  return { readable, writable };
}
