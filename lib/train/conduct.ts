// Passes texts to a training, wherever that runs, and waits for it, on every host.

import { errorOf } from '../compile/job.js';
import type { CheckedOptions } from './options.js';
import { type TrainAnswer, type TrainHost, type TrainRequest, TrainSession } from './session.js';
import type { Texts } from './texts.js';
import type { Learned } from './trainer.js';

/** A training that has been started. */
export interface TrainThread {
  post(request: TrainRequest): void;
  /** Ends it, whatever it does. */
  end(): void;
}

/** What it tells. */
export interface TrainListener {
  answer: (answer: TrainAnswer) => void;
  /** It has ended without an answer. */
  lost: (error: Error) => void;
}

export type StartTraining = (listener: TrainListener) => TrainThread;

/** How many requests with texts may be on their way: enough to keep the other thread busy. */
const MOST_ON_THEIR_WAY = 4;

/** What has been learned. `about`: what makes checkpoints one training's. */
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

/** Trains in this thread, with pauses. */
export function startHere(host: TrainHost): StartTraining {
  return (listener) => {
    const session = new TrainSession(host, listener.answer);
    return { post: (request) => session.request(request), end: () => session.end() };
  };
}
