// Trains on hosts without files: in a worker, or on this thread if no worker can start. Names no engine: the entry passes
// its trainer.

import { run, type WebCompiler } from '../vocabularies/import/compile-in-page.js';
import { pause } from '../base/time-slices.js';
import { tagOf } from '../base/views.js';
import { buffersOf, conduct, startHere, type StartTraining, type TrainListener, type TrainThread } from './conduct.js';
import type { CheckedOptions } from './train-options.js';
import type { TrainerFactory } from '../engine/trainer.js';
import type { TrainAnswer, TrainRequest } from './train-session.js';
import { textsOf } from './training-texts.js';
import { TrainedVocabulary } from './trained.js';

/** The parts of Worker used here: TypeScript declares it only with the DOM's types. */
interface TrainWorker {
  postMessage(request: TrainRequest, transfer: ArrayBufferLike[]): void;
  terminate(): void;
  onmessage: ((event: { data: TrainAnswer | 'loaded' }) => void) | null;
  onerror: ((event: { message?: string; preventDefault?(): void }) => void) | null;
}

declare const Worker: new (script: URL, options: { type: 'module' }) => TrainWorker;

/** What a browser entry trains with. */
export interface WebTrainer extends Pick<WebCompiler, 'compiler'> {
  /** The trainer for this thread. */
  trainer: () => Promise<TrainerFactory>;
}

/** Implements `trainBpe`, without adjusting errors. */
export async function trainOnWeb(source: unknown, options: CheckedOptions, { compiler, trainer }: WebTrainer) {
  const { backend, checkpoint, signal } = options;
  if (backend === 'native') throw new TypeError("`backend` must be 'wasm' where there is no addon; received 'native'");
  if (checkpoint !== undefined) throw new TypeError('`checkpoint` must be left out: there are no files here');
  const texts = textsOf(tagOf(source) === 'URL' ? await fetched(source as URL, signal) : source);
  signal?.throwIfAborted();
  const start = (listener: TrainListener) => startInWorker(listener, startHere({ factory: trainer, pause }));
  const learned = await conduct(texts, options, start, 1);
  return new TrainedVocabulary(learned, options, (job) => run(job, {}, compiler));
}

async function fetched(url: URL, signal: AbortSignal | undefined): Promise<unknown> {
  const response = await fetch(url.href, signal ? { signal } : {});
  if (!response.ok) throw new Error(`cannot load ${url.href}: ${response.status} ${response.statusText}`);
  return response.body ?? '';
}

/** Starts a worker. If that fails or its script cannot be loaded, `onThisThread` does the work. */
function startInWorker(listener: TrainListener, onThisThread: StartTraining): TrainThread {
  const worker = newWorker();
  if (!worker) return onThisThread(listener);
  const held: TrainRequest[] = [];
  let thread: TrainThread | undefined;
  let hasEnded = false;
  const begin = (started: TrainThread) => {
    thread = started;
    for (const request of held.splice(0)) started.post(request);
  };
  worker.onmessage = ({ data }) => {
    if (data === 'loaded') begin({ post: (request) => worker.postMessage(request, buffersOf(request)), end() {} });
    else listener.answer(data);
  };
  worker.onerror = (event) => {
    event.preventDefault?.();
    if (hasEnded) return;
    if (!thread) begin(onThisThread(listener));
    else listener.lost(new Error(`cannot train: the worker has stopped (${event.message ?? 'no reason given'})`));
  };
  return {
    post: (request) => void (thread ? thread.post(request) : held.push(request)),
    end() {
      hasEnded = true;
      worker.terminate();
      thread?.end();
    },
  };
}

/** Undefined if the host has no workers. */
function newWorker(): TrainWorker | undefined {
  if (typeof Worker === 'undefined') return undefined;
  try {
    // Bundlers look for exactly this expression.
    return new Worker(new URL('./web-train-worker.js', import.meta.url), { type: 'module' });
  } catch {
    return undefined;
  }
}
