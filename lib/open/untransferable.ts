// Memory that no message takes away from its owner. Node marks it by node:worker_threads, which takes a millisecond to load and which
// many programs never need: those that only count, or decode. So the first call loads it.

import { packageFolder, requireIn } from './package-files.js';

let threads: typeof import('node:worker_threads') | undefined;

/** Keeps a buffer from being transferred. */
export function markAsUntransferable(buffer: ArrayBuffer): void {
  threads ??= requireIn(packageFolder())('node:worker_threads') as typeof import('node:worker_threads');
  threads.markAsUntransferable(buffer);
}
