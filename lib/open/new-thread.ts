// Starts threads that run the package's scripts.

import { Worker } from 'node:worker_threads';

import { type ThreadScript, threadScript } from './package-files.js';

/**
 * Without the program's flags: some of them (--input-type) prevent running a file. Not by `new`: see package-files.ts. Throws a
 * TokenizerError if the script cannot be found.
 */
export function newThread(work: ThreadScript, workerData?: unknown): Worker {
  return Reflect.construct(Worker, [threadScript(work), { execArgv: [], workerData }]);
}
