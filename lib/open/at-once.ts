// What `loadSync` does with an engine that may have to be waited for.

import type { EngineTokenizer } from '../tokenizer/engine.js';
import { isPromise } from '../tokenizer/promise.js';

/** The engine that `loadSync` has opened; throws where a module has to be waited for. */
export function atOnce(engine: EngineTokenizer | Promise<EngineTokenizer>): EngineTokenizer {
  if (!isPromise(engine)) return engine;
  // Its failure would go unhandled, since nobody waits for it.
  engine.then((engine) => engine.close()).catch(() => undefined);
  throw new TypeError(
    'expected a WebAssembly module that needs no waiting for with loadSync; await Tokenizer.load() for one that does',
  );
}
