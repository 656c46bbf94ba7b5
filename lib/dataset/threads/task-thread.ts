// A thread that runs tasks of a dataset, one at a time.

import type { Worker } from 'node:worker_threads';

import { ofThisContext } from '../../base/views.js';
import { newThread } from '../../open/threads.js';
import type { TaskSums } from '../receipts.js';
import type { BatchAmounts } from '../run-task.js';
import { asError, type ThreadAnswer, type ThreadData, type ThreadRequest } from './messages.js';

interface Running {
  resolve: (sums: TaskSums) => void;
  reject: (reason: Error) => void;
  onBatch: (batch: BatchAmounts) => void;
}

export class TaskThread implements AsyncDisposable {
  readonly #worker: Worker;
  readonly #ended: Promise<void>;
  #running: Running | undefined;
  /** Why it cannot run anything any more. */
  #lost: Error | undefined;

  constructor(data: ThreadData) {
    this.#worker = newThread('dataset', data);
    this.#worker.on('message', (message: ThreadAnswer) => this.#answered(ofThisContext(message)));
    this.#worker.on('error', (error: Error) => this.#lose(error));
    this.#ended = new Promise((resolve) => {
      this.#worker.once('exit', (code: number) => {
        this.#lose(new Error(`a thread ended with code ${code}`));
        resolve();
      });
    });
  }

  /** Runs what is left of a task with so many threads, when the one before has ended. */
  run(task: number, threads: number, onBatch: Running['onBatch']): Promise<TaskSums> {
    return new Promise((resolve, reject) => {
      if (this.#lost) return reject(this.#lost);
      this.#running = { resolve, reject, onBatch };
      this.#post({ task, threads });
    });
  }

  /** Ends the task that is running, which then rejects; nothing unfinished stays. */
  abort(): void {
    this.#post('abort');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#post('end');
    await this.#ended;
  }

  #post(request: ThreadRequest): void {
    this.#worker.postMessage(request);
  }

  #answered(answer: ThreadAnswer): void {
    if ('batch' in answer) return this.#running?.onBatch(answer.batch);
    const running = this.#running;
    this.#running = undefined;
    if ('done' in answer) running?.resolve(answer.done);
    else running?.reject(asError(answer.failure));
  }

  #lose(reason: Error): void {
    this.#lost ??= reason;
    this.#running?.reject(this.#lost);
    this.#running = undefined;
  }
}
