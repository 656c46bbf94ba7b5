// Training threads in Node, one per training.
//
// Node leaves a file open if a thread is terminated while it loads its modules, so a thread to be stopped that early stops
// once they are loaded.

import { ofThisContext } from '../base/this-context.js';
import { newThread } from '../open/new-thread.js';
import type { TrainListener, TrainThread } from './conduct.js';
import type { TrainAnswer, TrainRequest } from './session.js';

/** The bytes of the WebAssembly module; if undefined, the addon trains. */
export interface TrainThreadData {
  module: Uint8Array | undefined;
}

/** A thread's messages: first that its modules are loaded, then the answers. */
export type TrainThreadMessage = 'loaded' | TrainAnswer;

export function startThread(data: TrainThreadData, listener: TrainListener): TrainThread {
  const worker = newThread('train', data);
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
