// Makes `loadSync` synchronous: handles results that may be promises.

import { isPromise } from '../base/promise.js';

interface Closable {
  close(): void;
}

/** The opened result; throws if a module must be waited for. `load`: what waits. */
export function atOnce<Opened extends Closable | { engine: Closable }>(
  opened: Opened | Promise<Opened>,
  load = 'Tokenizer.load()',
): Opened {
  if (!isPromise(opened)) return opened;
  // Nobody waits for it, so its failure would be an unhandled rejection.
  const close = (late: Closable | { engine: Closable }) => ('engine' in late ? late.engine : late).close();
  opened.then(close).catch(() => undefined);
  throw new TypeError(`expected a WebAssembly module that needs no waiting for with loadSync; await ${load} for one that does`);
}
