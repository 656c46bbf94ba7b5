// Tasks at once, each on a thread of its own that reads, encodes, hashes and writes: what one thread does for all, threads that only
// encode would wait for. A compressed file is inflated by one thread, so several are read at once.

import { newThread } from '../vocabularies/open/threads.js';
import { ofThisContext } from '../base/views.js';
import { errorOf, failureOf, type PlainFailure } from '../base/errors.js';
import { threadCount } from '../hosts/addon/thread-count.js';
import { isThreadScript } from '../vocabularies/open/package-files.js';
import { DatasetError } from './dataset-error.js';
import { endOf } from './hash-thread.js';
import type { DatasetManifest, DatasetTask } from './manifest.js';
import type { TaskSums } from './receipts.js';
import type { BatchAmounts } from './run-task.js';

export interface ThreadData {
  manifest: DatasetManifest;
  folder: string;
  cacheBytes: number | undefined;
  skipDamaged: boolean;
}

/** To a thread: a task and the threads to encode it with; to end the task that is running; to end. */
export type ThreadRequest = { task: number; threads: number } | 'abort' | 'end';

/** From a thread: a batch that has been encoded; or how its task ended. */
export type ThreadAnswer = { batch: BatchAmounts } | { done: TaskSums } | { failure: Failure };

/** An error as a message: `postMessage` would drop its class and its properties. */
export type Failure =
  | PlainFailure
  | { message: string; dataset: ConstructorParameters<typeof DatasetError>[1]; cause: PlainFailure | undefined };

export function asMessage(error: unknown): Failure {
  if (!(error instanceof DatasetError)) return failureOf(error);
  const { message, code, file, line, byte, worthAnotherTry, cause } = error;
  return { message, dataset: { code, file, line, byte, worthAnotherTry }, cause: cause === undefined ? undefined : failureOf(cause) };
}

function asError(failure: Failure): Error {
  if (!('dataset' in failure)) return errorOf(failure);
  const { message, dataset, cause } = failure;
  return new DatasetError(message, dataset, cause && { cause: errorOf(cause) });
}

interface TaskThread extends AsyncDisposable {
  /** Runs what is left of a task with this many threads, when the task before has ended. */
  run(task: number, threads: number, onBatch: (batch: BatchAmounts) => void): Promise<TaskSums>;
  /** Ends the task that is running, which then rejects; nothing unfinished stays. */
  abort(): void;
}

function taskThread(data: ThreadData): TaskThread {
  const worker = newThread('dataset', data);
  let running: { resolve: (sums: TaskSums) => void; reject: (reason: Error) => void; onBatch: (batch: BatchAmounts) => void } | undefined;
  /** Why it cannot run anything any more. */
  let lost: Error | undefined;
  const post = (request: ThreadRequest) => worker.postMessage(request);
  worker.on('message', (message: ThreadAnswer) => {
    const answer = ofThisContext(message);
    if ('batch' in answer) return running?.onBatch(answer.batch);
    const ended = running;
    running = undefined;
    if ('done' in answer) ended?.resolve(answer.done);
    else ended?.reject(asError(answer.failure));
  });
  const ended = endOf(worker, (reason) => {
    lost ??= reason;
    running?.reject(lost);
    running = undefined;
  });
  return {
    run: (task, threads, onBatch) =>
      new Promise((resolve, reject) => {
        if (lost) return reject(lost);
        running = { resolve, reject, onBatch };
        post({ task, threads });
      }),
    abort: () => post('abort'),
    async [Symbol.asyncDispose]() {
      post('end');
      await ended;
    },
  };
}

/** Bytes of input that are worth the start of a thread, which takes as long as encoding a quarter of that. */
const WORTH_A_THREAD = 64 * 1024 * 1024;

/** The threads for tasks: with 1, they are better run by the calling thread. */
export function threadsFor(tasks: readonly DatasetTask[], threads: number | undefined): number {
  const bytes = tasks.reduce((sum, task) => sum + task.bytes, 0);
  const count = Math.min(threads ?? threadCount(), tasks.length, Math.floor(bytes / WORTH_A_THREAD));
  return count > 1 && isThreadScript('dataset') ? count : 1;
}

export interface TasksOptions extends ThreadData {
  /** For all tasks; by default as many as the process may use. */
  threads: number | undefined;
  signal: AbortSignal | undefined;
  onBatch: (task: number, batch: BatchAmounts) => void;
  onDone: (task: number, sums: TaskSums) => void;
  /** Throws the error of a task, unless the others are to be done. */
  onFailure: (task: number, error: unknown) => void;
}

/**
 * Runs what is left of tasks, `count` at a time, which share the threads that encode. If one fails in a way that
 * concerns all, the others are ended, and it rejects with the reason of the first.
 */
export async function runInThreads(tasks: readonly number[], count: number, options: TasksOptions): Promise<void> {
  const { threads: all = threadCount(), signal, manifest, folder, cacheBytes, skipDamaged, onBatch, onDone, onFailure } = options;
  signal?.throwIfAborted();
  const left = [...tasks];
  const threads: TaskThread[] = [];
  let failure: { reason: unknown } | undefined;
  const end = (reason: unknown) => {
    failure ??= { reason };
    for (const thread of threads) thread.abort();
  };
  const aborted = () => end(signal?.reason);
  signal?.addEventListener('abort', aborted, { once: true });
  const work = async (index: number) => {
    await using thread = taskThread({ manifest, folder, cacheBytes, skipDamaged });
    threads.push(thread);
    const encoding = Math.max(1, Math.floor(all / count) + (index < all % count ? 1 : 0));
    for (let task = left.shift(); task !== undefined && !failure; task = left.shift()) {
      const current = task;
      const counted = (batch: BatchAmounts) => {
        try {
          onBatch(current, batch);
        } catch (error) {
          end(error); // of the caller's callback
        }
      };
      try {
        onDone(current, await thread.run(current, encoding, counted));
      } catch (error) {
        onFailure(current, error);
      }
    }
  };
  try {
    await Promise.all(Array.from({ length: count }, (_, index) => work(index).catch(end)));
  } finally {
    signal?.removeEventListener('abort', aborted);
  }
  if (failure) throw (failure as { reason: unknown }).reason;
}
