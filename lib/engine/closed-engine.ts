// Replaces a tokenizer's engine once it is closed.

import type { EngineTokenizer } from './engine.js';
import { TokenizerError } from '../base/errors.js';

/** An engine that throws a `CLOSED` error with the given reason for every call, and that may be closed again. */
export function closedEngine(reason: string): EngineTokenizer {
  const nothing = () => undefined;
  return new Proxy({ close: nothing, retire: nothing } as unknown as EngineTokenizer, {
    get(engine, member) {
      if (member in engine) return engine[member as keyof EngineTokenizer];
      throw new TokenizerError(reason, { code: 'CLOSED' });
    },
  });
}
