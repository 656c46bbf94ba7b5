// When a tokenizer swaps its engine, the old one is retired: it closes once no stream and no waiting job refers to it any more.

import { TokenizerError } from '../base/errors.js';
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

/** The engine of a closed tokenizer: every call throws a `CLOSED` error with this reason, except that it may be closed again. */
export function closedEngine(reason: string): EngineTokenizer {
  const nothing = () => undefined;
  return new Proxy({ close: nothing, retire: nothing } as unknown as EngineTokenizer, {
    get(engine, member) {
      if (member in engine) return engine[member as keyof EngineTokenizer];
      throw new TokenizerError(reason, { code: 'CLOSED' });
    },
  });
}
