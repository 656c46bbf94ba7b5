// The threads that train in Node, one for each training.
//
// Node leaves a file open if a thread is terminated while it reads its modules, so one that is to end that early ends when
// it has read them.

import { Worker } from 'node:worker_threads';

import { ofThisContext } from '../base/this-context.js';
import { threadScript } from '../open/package-files.js';
import type { TrainListener, TrainThread } from './conduct.js';
import type { TrainAnswer, TrainRequest } from './session.js';

/** The bytes of the WebAssembly module; undefined: the addon trains. */
export interface TrainThreadData {
  module: Uint8Array | undefined;
}

/** What a thread says: that it has read its modules, then the answers. */
export type TrainThreadMessage = 'loaded' | TrainAnswer;

export function startThread(data: TrainThreadData, listener: TrainListener): TrainThread {
  // Without the program's flags: with some of them (--input-type) no file can be run. Not by `new`: see package-files.ts.
  const worker = Reflect.construct(Worker, [threadScript('train'), { execArgv: [], workerData: data }]);
  let isLoaded = false;
  let hasEnded = false;
  worker.on('message', (message: TrainThreadMessage) => {
    if (message !== 'loaded') {
      if (!hasEnded) listener.answer(ofThisContext(message));
      return;
    }
    isLoaded = true;
    if (hasEnded) void worker.terminate();
  });
  const lose = (reason: Error) => {
    if (!hasEnded) listener.lost(new Error(`cannot train: ${reason.message}`, { cause: reason }));
    hasEnded = true;
  };
  worker.once('error', lose);
  worker.once('exit', (code) => lose(new Error(`its thread ended with code ${code}`)));
  return {
    post(request: TrainRequest) {
      const chunk = typeof request === 'object' && 'chunk' in request ? request.chunk : undefined;
      worker.postMessage(request, chunk ? [chunk.bytes.buffer as ArrayBuffer, chunk.ends.buffer as ArrayBuffer] : []);
    },
    end() {
      hasEnded = true;
      if (isLoaded) void worker.terminate();
      else worker.unref();
    },
  };
}
