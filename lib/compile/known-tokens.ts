// Tokens as plain data, which can be sent to other threads as it is.

import { unknownIdIn } from '../open/token-list.js';
import { joinTokens, type TokenTable } from '../open/token-table.js';

/** Tokens, and the id of the unknown token among them. */
export type KnownTokens = TokenTable & { unknownId?: number | undefined };

/** Tokens in the form the engine takes them. */
export function knownTokens(tokens: readonly (string | Uint8Array | undefined)[]): KnownTokens {
  return { ...joinTokens(tokens), unknownId: unknownIdIn(tokens) };
}
