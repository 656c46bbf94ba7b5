// Aborts promises by an AbortSignal.

/** What an abort calls; `forget` removes the listener. */
interface Calls extends Set<() => void> {
  forget(): void;
}

/** One listener per signal, however many promises depend on it: Node warns of more than ten. */
const waiting = new WeakMap<AbortSignal, Calls>();

/**
 * Settles like `work`, or rejects with the signal's reason as soon as it is aborted, and then calls `stop`. Once the last
 * promise that depends on a signal has settled, no listener remains. The signal must not be aborted yet.
 */
export function untilAborted<T>(signal: AbortSignal | undefined, work: Promise<T>, stop: () => void): Promise<T> {
  if (!signal) return work;
  const calls = waiting.get(signal) ?? listenTo(signal);
  return new Promise((resolve, reject) => {
    const abort = () => {
      reject(signal.reason);
      stop();
    };
    calls.add(abort);
    work.then(resolve, reject).then(() => {
      calls.delete(abort);
      if (calls.size === 0) calls.forget();
    });
  });
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
