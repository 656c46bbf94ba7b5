// The end of a promise by an AbortSignal.

/**
 * What `work` gives, or a rejection with the signal's reason as soon as it is aborted, when `stop` is called. No listener is
 * left. The signal is not aborted yet.
 */
export function untilAborted<T>(signal: AbortSignal | undefined, work: Promise<T>, stop: () => void): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const leave = () => signal.removeEventListener('abort', abort);
    const abort = () => {
      leave();
      reject(signal.reason);
      stop();
    };
    signal.addEventListener('abort', abort);
    work.then(resolve, reject).then(leave, leave);
  });
}
