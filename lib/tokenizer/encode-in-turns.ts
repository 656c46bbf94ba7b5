// A long text encoded a slice at a time, so that the thread does other work in between: what `encodeAsync` does where
// there is no worker.

import type { EngineTokenizer, Policy } from './engine.js';
import type { UnsharedUint32Array } from './typed-arrays.js';

/** UTF-16 units or bytes that are encoded between two looks at the clock: some tenths of a millisecond. */
export const SLICE = 64 * 1024;
/** How long the thread is blocked at a time, in milliseconds: half of a frame. */
export const TURN = 8;

export async function encodeInTurns(engine: EngineTokenizer, text: string | Uint8Array, policy: Policy): Promise<UnsharedUint32Array> {
  const session = engine.begin(policy, false);
  try {
    let began = performance.now();
    for (let at = 0; ; at += SLICE) {
      const last = at + SLICE >= text.length;
      session.feed(text.slice(at, at + SLICE), last);
      if (last) return session.take();
      if (performance.now() - began < TURN) continue;
      await pause();
      began = performance.now();
    }
  } finally {
    session.end();
  }
}

/** Lets other work of the thread go on. */
export function pause(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof setImmediate === 'function') setImmediate(resolve);
    else setTimeout(resolve);
  });
}
