// Starts threads that run the package's scripts. The first one loads node:worker_threads.

import type { Worker } from 'node:worker_threads';

import { packageFolder, requireIn, type ThreadScript, threadScript } from './package-files.js';

/**
 * Without the program's flags: some of them (--input-type) prevent running a file. Not by `new`: see package-files.ts. Throws a
 * TokenizerError if the script cannot be found.
 */
export function newThread(work: ThreadScript, workerData?: unknown): Worker {
  const threads = requireIn(packageFolder())('node:worker_threads') as typeof import('node:worker_threads');
  return Reflect.construct(threads.Worker, [threadScript(work), { execArgv: [], workerData }]);
}
