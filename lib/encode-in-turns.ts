// A long text encoded a slice at a time, with room for other work of the thread in between: what `encodeAsync` does where
// there is no worker to do it.

import type { EngineTokenizer, Policy } from './backend.js';

/** UTF-16 units or bytes that are encoded without a look at the clock: some tenths of a millisecond. */
const SLICE = 64 * 1024;
/** How long the thread is kept at a time, in milliseconds: half of a frame. */
const TURN = 8;

export async function encodeInTurns(engine: EngineTokenizer, text: string | Uint8Array, policy: Policy): Promise<Uint32Array> {
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

function pause(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof setImmediate === 'function') setImmediate(resolve);
    else setTimeout(resolve);
  });
}
