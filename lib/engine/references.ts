// Reference counts of engines that are used beyond the calls of their tokenizer: by its streams and by jobs that wait. When a
// tokenizer swaps its engine, the former one is retired, and closes once nothing refers to it.

import type { EngineTokenizer } from './engine.js';

const references = new WeakMap<EngineTokenizer, { count: number; isRetired: boolean }>();

/** Keeps an engine open until it is released as often as it was retained, or closed. */
export function retain(engine: EngineTokenizer): void {
  const entry = references.get(engine);
  if (entry) entry.count++;
  else references.set(engine, { count: 1, isRetired: false });
}

export function release(engine: EngineTokenizer): void {
  const entry = references.get(engine);
  if (!entry || --entry.count > 0) return;
  references.delete(engine);
  if (entry.isRetired) engine.retire();
}

/** Releases an engine that a tokenizer takes back: it is no longer retired. */
export function readmit(engine: EngineTokenizer): void {
  const entry = references.get(engine);
  if (entry) entry.isRetired = false;
  release(engine);
}

/** Retires an engine, at once or when it is released for the last time. */
export function retireUnused(engine: EngineTokenizer): void {
  const entry = references.get(engine);
  if (entry) entry.isRetired = true;
  else engine.retire();
}
