// Tasks at once, each on a thread of its own that reads, encodes, hashes and writes: what one thread does for all, threads that only
// encode would wait for. A compressed file is inflated by one thread, so several are read at once.

import { threadCount } from '../../native/thread-count.js';
import { isThreadScript } from '../../open/package-files.js';
import type { DatasetTask } from '../manifest.js';
import type { TaskSums } from '../receipts.js';
import type { BatchAmounts } from '../run-task.js';
import type { ThreadData } from './messages.js';
import { TaskThread } from './task-thread.js';

/** Bytes of input that are worth the start of a thread, which takes as long as encoding a quarter of that. */
const WORTH_A_THREAD = 64 * 1024 * 1024;

/** The threads for tasks: with 1, they are better run by the calling thread. */
export function threadsFor(tasks: readonly DatasetTask[], threads: number | undefined): number {
  const bytes = tasks.reduce((sum, task) => sum + task.bytes, 0);
  const count = Math.min(threads ?? threadCount(), tasks.length, Math.floor(bytes / WORTH_A_THREAD));
  return count > 1 && isThreadScript('dataset') ? count : 1;
}

/** How tasks are run. */
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
    await using thread = new TaskThread({ manifest, folder, cacheBytes, skipDamaged });
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
