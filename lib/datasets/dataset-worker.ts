// The script of the threads started by datasets/task-threads.ts.

import { parentPort, workerData } from 'node:worker_threads';

import { type BatchAmounts, runTask } from './run-task.js';
import { asMessage, type ThreadAnswer, type ThreadData, type ThreadRequest } from './task-threads.js';
import { sumsOf } from './receipts.js';
import { plannedTokenizer } from './planned-tokenizer.js';
import type { Tokenizer } from '../index.js';

const { manifest, folder, cacheBytes, skipDamaged } = workerData as ThreadData;
const aborting = new AbortController();
let tokenizer: Promise<Tokenizer> | undefined;

function send(answer: ThreadAnswer): void {
  parentPort?.postMessage(answer);
}

async function run(task: number, threads: number): Promise<void> {
  try {
    const { signal } = aborting;
    tokenizer ??= plannedTokenizer(manifest, cacheBytes);
    const onBatch = (batch: BatchAmounts) => send({ batch });
    send({ done: sumsOf(await runTask(manifest, folder, task, await tokenizer, { threads, skipDamaged, signal, onBatch })) });
  } catch (error) {
    send({ failure: asMessage(error) });
  }
}

async function end(): Promise<void> {
  (await tokenizer?.catch(() => undefined))?.close();
  parentPort?.close(); // nothing is left that keeps the thread alive
}

parentPort?.on('message', (request: ThreadRequest) => {
  if (request === 'abort') aborting.abort();
  else if (request === 'end') void end();
  else void run(request.task, request.threads);
});
