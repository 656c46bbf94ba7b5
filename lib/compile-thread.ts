// Waits for a thread that compiles, on every host.

import type { CompileAnswer, CompileProgress } from './compile-job.js';
import { errorOf } from './compile-job.js';

/** What a thread tells. */
export interface CompileListener {
  answer: (answer: CompileAnswer) => void;
  /** It has ended without an answer. */
  lost: (error: Error) => void;
}

/** Starts a thread and waits for its answer. `start` returns what ends the thread, whatever it does. */
export function onThread(
  start: (listener: CompileListener) => () => void,
  { onProgress, signal }: { onProgress?: ((progress: CompileProgress) => void) | undefined; signal?: AbortSignal | undefined },
): Promise<Uint8Array> {
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
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort);
  });
}
