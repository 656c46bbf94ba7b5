// Threads that run the package's scripts. The first one loads node:worker_threads, which takes a millisecond: programs that only count
// or decode never need it.

import type { Worker } from 'node:worker_threads';

import { ofThisContext } from '../../base/views.js';
import { packageFolder, requireIn, type ThreadScript, threadScript } from './package-files.js';

let threads: typeof import('node:worker_threads') | undefined;

function workerThreads(): typeof import('node:worker_threads') {
  return (threads ??= requireIn(packageFolder())('node:worker_threads') as typeof import('node:worker_threads'));
}

/**
 * Without the program's flags: some of them (--input-type) prevent running a file. Not by `new`: see package-files.ts. Throws a
 * TokenizerError if the script cannot be found.
 */
export function newThread(work: ThreadScript, workerData?: unknown): Worker {
  return Reflect.construct(workerThreads().Worker, [threadScript(work), { execArgv: [], workerData }]);
}

/** Keeps a buffer from being transferred: no message takes it away from its owner. */
export function markAsUntransferable(buffer: ArrayBuffer): void {
  workerThreads().markAsUntransferable(buffer);
}

/** What a thread of one piece of work says: first that its modules are loaded, then its answers. */
export type WorkMessage<Answer> = 'loaded' | Answer;

export interface WorkListener<Answer> {
  answer: (answer: Answer) => void;
  /** The thread ended without an answer. */
  lost: (error: Error) => void;
}

export interface WorkThread<Request> {
  post(request: Request, transfer?: readonly ArrayBuffer[]): void;
  /** Ends it immediately. */
  end(): void;
}

/**
 * Starts a thread for one piece of work; `what` it does, for errors. Node leaves a file open if a thread is terminated while it loads
 * its modules, so one that is to end that early ends once they are loaded.
 */
export function startWork<Request, Answer extends object | string>(
  work: ThreadScript,
  what: string,
  workerData: unknown,
  listener: WorkListener<Answer>,
): WorkThread<Request> {
  const worker = newThread(work, workerData);
  const held: (() => void)[] = [];
  let isLoaded = false;
  let hasEnded = false;
  worker.on('message', (message: WorkMessage<Answer>) => {
    if (message !== 'loaded') {
      if (!hasEnded) listener.answer(ofThisContext(message as Answer));
      return;
    }
    isLoaded = true;
    if (hasEnded) void worker.terminate();
    else for (const post of held.splice(0)) post();
  });
  const lose = (reason: Error) => {
    if (!hasEnded) listener.lost(new Error(`cannot ${what}: ${reason.message}`, { cause: reason }));
    hasEnded = true;
  };
  worker.once('error', lose);
  worker.once('exit', (code) => lose(new Error(`its thread ended with code ${code}`)));
  return {
    post(request, transfer = []) {
      const post = () => worker.postMessage(request, transfer);
      if (isLoaded) post();
      else held.push(post);
    },
    end() {
      hasEnded = true;
      if (isLoaded) void worker.terminate();
      else worker.unref();
    },
  };
}
