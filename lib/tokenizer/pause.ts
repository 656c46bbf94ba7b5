// Long work of the thread in slices, with pauses for other work.

/** UTF-16 units, bytes or ids that are worked at between two looks at the clock: some tenths of a millisecond. */
export const SLICE = 64 * 1024;
/** How long the thread is blocked at a time, in milliseconds: half of a frame. */
export const TURN = 8;

/** Lets other work of the thread go on. */
export function pause(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof setImmediate === 'function') setImmediate(resolve);
    else setTimeout(resolve);
  });
}
