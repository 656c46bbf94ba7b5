// Engines that are in use beyond the calls of their tokenizer, by its streams and by jobs that wait. A tokenizer that takes another engine
// retires the former one, which stays open as long as something holds it.

import type { EngineTokenizer } from './engine.js';

const holds = new WeakMap<EngineTokenizer, { count: number; isRetired: boolean }>();

/** Keeps an engine open until it is released as often as it is held, or closed. */
export function hold(engine: EngineTokenizer): void {
  const held = holds.get(engine);
  if (held) held.count++;
  else holds.set(engine, { count: 1, isRetired: false });
}

export function release(engine: EngineTokenizer): void {
  const held = holds.get(engine);
  if (!held || --held.count > 0) return;
  holds.delete(engine);
  if (held.isRetired) engine.retire();
}

/** Releases an engine that a tokenizer takes back: it is retired no more. */
export function readmit(engine: EngineTokenizer): void {
  const held = holds.get(engine);
  if (held) held.isRetired = false;
  release(engine);
}

/** Retires an engine once nothing holds it. */
export function retireUnheld(engine: EngineTokenizer): void {
  const held = holds.get(engine);
  if (held) held.isRetired = true;
  else engine.retire();
}
