// Tokens as plain data, which goes to other threads as it is.

import { unknownIdIn } from '../open/token-list.js';
import { joinTokens, type TokenTable } from '../open/token-table.js';

/** Tokens, and the id of the one among them that stands for what is unknown. */
export type KnownTokens = TokenTable & { unknownId?: number | undefined };

/** Tokens as the engine takes them. */
export function knownTokens(tokens: readonly (string | Uint8Array | undefined)[]): KnownTokens {
  return { ...joinTokens(tokens), unknownId: unknownIdIn(tokens) };
}
