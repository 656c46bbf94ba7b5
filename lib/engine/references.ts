// Counts references to engines that are used beyond their tokenizer's calls: by its streams and by waiting jobs. When a
// tokenizer swaps its engine, the old one is retired, and closes once nothing refers to it.

import type { EngineTokenizer } from './engine.js';

const references = new WeakMap<EngineTokenizer, { count: number; isRetired: boolean }>();

/** Keeps an engine open until every `retain` is matched by a release, or it is closed. */
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

/** Un-retires an engine that a tokenizer takes back. */
export function readmit(engine: EngineTokenizer): void {
  const entry = references.get(engine);
  if (entry) entry.isRetired = false;
  release(engine);
}

/** Retires an engine, immediately or after its last release. */
export function retireUnused(engine: EngineTokenizer): void {
  const entry = references.get(engine);
  if (entry) entry.isRetired = true;
  else engine.retire();
}
