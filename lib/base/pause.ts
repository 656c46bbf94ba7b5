// Long work on this thread in slices, with pauses for other work.

/** UTF-16 units, bytes or ids to process between two checks of the clock: a few tenths of a millisecond. */
export const SLICE = 64 * 1024;
/** How long to block the thread at a time, in milliseconds: half a frame. */
export const TIME_SLICE = 8;

/** Lets the thread's other work proceed. */
export function pause(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof setImmediate === 'function') setImmediate(resolve);
    else if (isBrowser && typeof MessageChannel === 'function') onMessage(resolve);
    else setTimeout(resolve);
  });
}

const isBrowser = 'document' in globalThis || 'importScripts' in globalThis;

/** Calls back in a new turn of the event loop. Browsers delay the timers of hidden pages by a second, but not messages. */
function onMessage(callback: () => void): void {
  const { port1, port2 } = new MessageChannel();
  port1.addEventListener('message', () => {
    port1.close();
    callback();
  });
  port1.start();
  port2.postMessage(undefined);
}
