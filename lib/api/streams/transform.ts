// A transform stream that consists of a readable and a writable one, like `TextDecoderStream`. A `TransformStream` does not suffice:
// browsers do not tell its transformer that the stream was cancelled or aborted (Chromium 156), so that it could release nothing, and a
// transformer cannot wait for the reader within a chunk.

import type { FromCallSite } from '../../base/errors.js';
import { pause, SLICE, TIME_SLICE } from '../../base/time-slices.js';

/** The most milliseconds between two steps in the same turn of the event loop. */
const BETWEEN_STEPS = 1;

/** Processes the chunks. Steps run one after another, and none after `release`. */
export interface Steps<Input, Output> {
  /** Starts when the outlet is ready, and waits for it again before more work, unless that is short. */
  write(chunk: Input, outlet: Outlet<Output>): void | Promise<void>;
  /**
   * The source pauses: the event loop has turned since the last chunk, and the reader is still waiting. Emits what `write`
   * held back to emit more at a time; a step that holds something back has emitted nothing since the reader asked.
   */
  flush?(outlet: Outlet<Output>): void;
  /** The end of the input. */
  close(outlet: Outlet<Output>): void | Promise<void>;
  /** Called once: at the end, after a failure, when the input is aborted, or when the output is cancelled. */
  release(): void;
}

/** Where the results go. */
export class Outlet<Output> {
  /** Whether the stream has ended: nothing more can be emitted. */
  #isOver = false;
  /** Why it ended before its input. */
  #reason: unknown;
  /** Whether the reader wants more: it has asked since the last `put`. */
  #isWanted = false;
  /** Milliseconds of work since the event loop last turned, and when the last of it ended. */
  #spent = 0;
  #last = 0;
  #hasBegun = false;
  readonly #steps: Steps<never, Output>;
  #readable: ReadableStreamDefaultController<Output> | undefined;
  #writable: WritableStreamDefaultController | undefined;
  #wake: (() => void) | undefined;

  constructor(
    steps: Steps<never, Output>,
    private readonly explained: FromCallSite,
  ) {
    this.#steps = steps;
  }

  /** Whether work may continue: the reader wants more, and the thread's other work has had its turn. */
  get isReady(): boolean {
    return this.#isWanted && !this.#isTimeSliceOver;
  }

  /** Resolves when it is ready; rejects with the reason if the stream ends first. */
  async ready(): Promise<void> {
    for (;;) {
      if (this.#isOver) throw this.#reason;
      if (this.isReady) return;
      if (this.#isTimeSliceOver) await pause();
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  /**
   * Runs a step and counts its time, including the time between two short steps, which then dominates. When the event loop has
   * turned, the steps are flushed.
   */
  work<Result>(step: () => Result): Result {
    this.#count(BETWEEN_STEPS);
    if (!this.#hasBegun) this.#begin();
    try {
      return step();
    } finally {
      this.#count(Infinity);
    }
  }

  /** Works on a large chunk in slices, each when the reader wants more. */
  async inSlices(length: number, step: (from: number, to: number) => void): Promise<void> {
    for (let at = 0; at < length && !this.#isOver; at += SLICE) {
      if (!this.isReady) await this.ready();
      this.work(() => step(at, at + SLICE));
    }
  }

  put(result: Output): void {
    if (this.#isOver) return;
    this.#isWanted = false; // before enqueue, which may ask for the next
    this.#readable?.enqueue(result);
  }

  /** Ends both sides with an error. */
  fail(reason: unknown): void {
    this.explained(reason);
    if (!this.#end(reason)) return;
    this.#readable?.error(reason);
    this.#writable?.error(reason);
  }

  /** Ends the output. */
  close(): void {
    if (this.#end()) this.#readable?.close();
  }

  /** Ends the output before the input, which is refused from now on; a pipe cancels its source. */
  finish(reason: unknown): void {
    this.explained(reason);
    if (!this.#end(reason)) return;
    this.#readable?.close();
    this.#writable?.error(reason);
  }

  /** Cancels the output, and with it the input. */
  cancel(reason: unknown): void {
    if (this.#end(reason)) this.#writable?.error(reason);
  }

  /** Aborts the input, and with it the output. */
  abort(reason: unknown): void {
    if (this.#end(reason)) this.#readable?.error(reason);
  }

  ask(): void {
    this.#isWanted = true;
    this.#wake?.();
  }

  reads(controller: ReadableStreamDefaultController<Output>): void {
    this.#readable = controller;
  }

  writes(controller: WritableStreamDefaultController): void {
    this.#writable = controller;
    // The sink's `abort` is called only after the current write, which may be waiting for the reader.
    const { signal } = controller as { signal?: AbortSignal };
    signal?.addEventListener('abort', () => this.abort(signal.reason));
  }

  get #isTimeSliceOver(): boolean {
    return this.#spent >= TIME_SLICE;
  }

  /** Counts the time since the last call if it is at most `limit` milliseconds. */
  #count(limit: number): void {
    const now = performance.now();
    const since = now - this.#last;
    if (since <= limit) this.#spent += since;
    this.#last = now;
  }

  #begin(): void {
    this.#hasBegun = true;
    void pause().then(() => {
      this.#hasBegun = false;
      this.#spent = 0;
      if (this.#isOver || !this.#isWanted) return;
      try {
        this.#steps.flush?.(this as Outlet<never>);
      } catch (error) {
        this.fail(error);
      }
    });
  }

  /** Returns true for the first end. */
  #end(reason?: unknown): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.#reason = reason;
    this.#steps.release();
    this.#wake?.();
    return true;
  }
}

/** Throws if there are no web streams. `name`: the public function, for the error. */
export function checkWebStreams(name: string): void {
  if (typeof ReadableStream === 'function' && typeof WritableStream === 'function') return;
  throw new Error(`${name} needs web streams (ReadableStream, WritableStream), which this host does not have`);
}

/**
 * Creates the stream. A step waits until the reader wants something, as in a `TransformStream` with the usual high-water
 * marks. `explained`: starts an error's stack where the stream was created, since a pipe calls the steps from outside the
 * user's program.
 */
export function transformStream<Input, Output>(steps: Steps<Input, Output>, explained: FromCallSite): TransformStream<Input, Output> {
  const outlet = new Outlet<Output>(steps, explained);
  const failed = (error: unknown): never => {
    outlet.fail(error);
    throw error;
  };
  const guarded = <Result>(work: () => Result): Result => {
    try {
      return work();
    } catch (error) {
      return failed(error);
    }
  };
  // Returns no promise if nothing has to wait: for short chunks that is most of the cost.
  const write = (chunk: Input) => guarded(() => outlet.work(() => steps.write(chunk, outlet)))?.catch(failed);
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
    write: (chunk) => (outlet.isReady ? write(chunk) : outlet.ready().then(() => write(chunk))),
    close: async () => {
      await guarded(() => steps.close(outlet))?.catch(failed);
      outlet.close();
    },
    abort: (reason) => outlet.abort(reason),
  });
  return { readable, writable };
}
