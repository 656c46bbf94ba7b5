// Waits for a compilation, on another thread or this one, on every host.

import { errorOf } from '../../base/errors.js';
import { answerTo, type CompileAnswer, type CompileJob, type CompileProgress } from './compile-job.js';
import type { WorkListener } from '../open/threads.js';
import type { UnsharedUint8Array } from '../../base/typed-arrays.js';
import type { Compiler } from '../../engine/compiler.js';

/** The waiting caller's callbacks. */
interface Waiting {
  onProgress?: ((progress: CompileProgress) => void) | undefined;
  signal?: AbortSignal | undefined;
}

/** Runs a job on this thread. */
export function onThisThread(compiler: () => Compiler | Promise<Compiler>, job: CompileJob, waiting: Waiting): Promise<UnsharedUint8Array> {
  return onThread((listener) => {
    const answer = answerTo(compiler, job, (progress) => listener.answer({ progress }));
    answer.then(listener.answer, listener.lost);
    return () => undefined;
  }, waiting);
}

/** Starts a thread and waits for its answer. `start` returns a function that ends the thread immediately. */
export function onThread(
  start: (listener: WorkListener<CompileAnswer>) => () => void,
  { onProgress, signal }: Waiting,
): Promise<UnsharedUint8Array> {
  if (signal?.aborted) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => {
    const abort = () => settle(() => reject(signal?.reason));
    const settle = (how: () => void) => {
      signal?.removeEventListener('abort', abort);
      how();
      end();
    };
    const end = start({
      answer(answer) {
        if ('progress' in answer) tell(answer.progress);
        else settle(() => ('bytes' in answer ? resolve(answer.bytes) : reject(errorOf(answer.failure))));
      },
      lost: (error) => settle(() => reject(error)),
    });
    const tell = (progress: CompileProgress) => {
      try {
        onProgress?.(progress);
      } catch (error) {
        settle(() => reject(error));
      }
    };
    signal?.addEventListener('abort', abort);
  });
}
