// The end of promises by an AbortSignal.

/** What is to be called when a signal is aborted. */
interface Calls extends Set<() => void> {
  /** Removes the listener. */
  forget(): void;
}

/** A signal has one listener of ours, however many promises depend on it: of more than ten, Node warns. */
const waiting = new WeakMap<AbortSignal, Calls>();

/**
 * What `work` gives, or a rejection with the signal's reason as soon as it is aborted, when `stop` is called. When the last
 * promise that depends on a signal is settled, no listener is left. The signal is not aborted yet.
 */
export function untilAborted<T>(signal: AbortSignal | undefined, work: Promise<T>, stop: () => void): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const leave = onAbort(signal, () => {
      reject(signal.reason);
      stop();
    });
    work.then(resolve, reject).then(leave);
  });
}

/** Calls `abort` when the signal is aborted, unless the function that this returns has been called before. */
function onAbort(signal: AbortSignal, abort: () => void): () => void {
  const calls = waiting.get(signal) ?? listenTo(signal);
  calls.add(abort);
  return () => {
    calls.delete(abort);
    if (calls.size === 0) calls.forget();
  };
}

function listenTo(signal: AbortSignal): Calls {
  const abort = () => {
    calls.forget();
    for (const call of calls) call();
  };
  const calls = Object.assign(new Set<() => void>(), {
    forget() {
      signal.removeEventListener('abort', abort);
      if (waiting.get(signal) === calls) waiting.delete(signal);
    },
  });
  waiting.set(signal, calls);
  signal.addEventListener('abort', abort);
  return calls;
}
