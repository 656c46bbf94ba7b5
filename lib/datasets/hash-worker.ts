// The script of the threads started by datasets/hash-thread.ts.

import { createHash, type Hash } from 'node:crypto';
import { parentPort } from 'node:worker_threads';

import type { HashRequest } from './hash-thread.js';

const hashes = new Map<number, Hash>();

parentPort?.on('message', (request: HashRequest) => {
  if (!request) return parentPort?.close();
  const { hash: number, bytes } = request;
  const hash = hashes.get(number) ?? createHash('sha256');
  if (bytes) hashes.set(number, hash.update(bytes));
  else hashes.delete(number);
  parentPort?.postMessage(bytes ? null : hash.digest('hex'));
});
