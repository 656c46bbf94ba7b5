// Passes texts to a training, wherever it runs, and waits for it; the same on every host.

import { errorOf } from '../base/errors.js';
import type { WorkListener } from '../vocabularies/open/threads.js';
import type { CheckedOptions } from './train-options.js';
import type { Learned } from '../engine/trainer.js';
import { type TrainAnswer, type TrainHost, type TrainRequest, TrainSession } from './train-session.js';
import type { Texts } from './training-texts.js';

export interface TrainThread {
  post(request: TrainRequest): void;
  /** Stops it immediately. */
  end(): void;
}

export type TrainListener = WorkListener<TrainAnswer>;

export type StartTraining = (listener: TrainListener) => TrainThread;

/** The most requests with texts in flight: enough to keep the other thread busy. */
const MOST_ON_THEIR_WAY = 4;

/** Conducts a training to its result. `about`: identifies the training that checkpoints belong to. */
export function conduct(texts: Texts, options: CheckedOptions, start: StartTraining, threads: number, about?: string): Promise<Learned> {
  const { settings, signal, onProgress, mostMerges, checkpoint } = options;
  if (signal?.aborted) {
    texts.cancel();
    return Promise.reject(signal.reason);
  }
  return new Promise((resolve, reject) => {
    let onTheirWay = 0;
    let wake: (() => void) | undefined;
    let isSettled = false;
    const abort = () => settle(() => reject(signal?.reason));
    const settle = (how: () => void) => {
      if (isSettled) return;
      isSettled = true;
      signal?.removeEventListener('abort', abort);
      how();
      thread.end();
      texts.cancel();
      wake?.();
    };
    const thread = start({
      answer(answer) {
        if (isSettled) return;
        if (answer === 'taken') {
          onTheirWay--;
          wake?.();
        } else if ('progress' in answer) {
          try {
            onProgress?.(answer.progress);
          } catch (error) {
            settle(() => reject(error));
          }
        } else if ('learned' in answer) settle(() => resolve(answer.learned));
        else settle(() => reject(errorOf(answer.failure)));
      },
      lost: (error) => settle(() => reject(error)),
    });
    signal?.addEventListener('abort', abort);
    const pass = async () => {
      const { total: bytes } = texts;
      const state = checkpoint === undefined || about === undefined ? undefined : { path: checkpoint, about };
      thread.post({ begin: { settings, threads, bytes, merges: mostMerges, checkpoint: state } });
      for await (const request of texts.requests) {
        while (onTheirWay === MOST_ON_THEIR_WAY && !isSettled) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
        if (isSettled) return;
        onTheirWay++;
        thread.post(request);
      }
      if (!isSettled) thread.post('finish');
    };
    pass().catch((error: unknown) => settle(() => reject(error)));
  });
}

/** Trains on this thread, with pauses. */
export function startHere(host: TrainHost): StartTraining {
  return (listener) => {
    const session = new TrainSession(host, listener.answer);
    return { post: (request) => session.request(request), end: () => session.end() };
  };
}

/** Buffers that a request passes on instead of copying them. */
export function buffersOf(request: TrainRequest): ArrayBuffer[] {
  const chunk = typeof request === 'object' && 'chunk' in request ? request.chunk : undefined;
  return chunk ? [chunk.bytes.buffer as ArrayBuffer, chunk.ends.buffer as ArrayBuffer] : [];
}
