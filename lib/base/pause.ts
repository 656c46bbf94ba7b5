// Long work of the thread in slices, with pauses for other work.

/** UTF-16 units, bytes or ids that are worked at between two looks at the clock: some tenths of a millisecond. */
export const SLICE = 64 * 1024;
/** How long the thread is blocked at a time, in milliseconds: half of a frame. */
export const TIME_SLICE = 8;

/** Lets other work of the thread go on. */
export function pause(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof setImmediate === 'function') setImmediate(resolve);
    else if (isBrowser && typeof MessageChannel === 'function') onMessage(resolve);
    else setTimeout(resolve);
  });
}

const isBrowser = 'document' in globalThis || 'importScripts' in globalThis;

/** Calls back in a turn of its own. Browsers delay timers of hidden pages by a second, and messages by nothing. */
function onMessage(callback: () => void): void {
  const { port1, port2 } = new MessageChannel();
  port1.addEventListener('message', () => {
    port1.close();
    callback();
  });
  port1.start();
  port2.postMessage(undefined);
}
