// What `loadSync` does with what may have to be waited for.

import { isPromise } from '../base/promise.js';

interface Closable {
  close(): void;
}

/** What `loadSync` has opened; throws where a module has to be waited for. */
export function atOnce<Opened extends Closable | { engine: Closable }>(opened: Opened | Promise<Opened>): Opened {
  if (!isPromise(opened)) return opened;
  // Its failure would go unhandled, since nobody waits for it.
  const close = (late: Closable | { engine: Closable }) => ('engine' in late ? late.engine : late).close();
  opened.then(close).catch(() => undefined);
  throw new TypeError('expected a WebAssembly module that needs no waiting for with loadSync; await Tokenizer.load() for one that does');
}
