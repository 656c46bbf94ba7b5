// The added tokens of a view in the form the compilers take: a few arrays, since a file may have a million tokens.

import { joinTokens, type TokenTable } from '../../base/token-table.js';
import type { CompilerTokens } from '../../engine/compiler.js';
import { unknownIdIn } from '../open/token-list.js';

/** An added token. */
export interface TokenToAdd {
  text: string | Uint8Array;
  id: number;
  special: boolean;
  /** Match in normalized text, between the other tokens. Default: no. */
  normalized?: boolean;
  /** Include the white space before it, after it. Default: no. */
  lstrip?: boolean;
  rstrip?: boolean;
  /** Do not match next to a word character. Default: do. */
  singleWord?: boolean;
}

const SPECIAL = 1;
const NORMALIZED = 2;
const LSTRIP = 4;
const RSTRIP = 8;
export const SINGLE_WORD = 16;

export function packTokens(tokens: readonly TokenToAdd[]): CompilerTokens {
  const ids = new Uint32Array(tokens.length);
  const flags = new Uint8Array(tokens.length);
  tokens.forEach(({ id, special, normalized, lstrip, rstrip, singleWord }, i) => {
    ids[i] = id;
    const around = (lstrip ? LSTRIP : 0) | (rstrip ? RSTRIP : 0) | (singleWord ? SINGLE_WORD : 0);
    flags[i] = (special ? SPECIAL : 0) | (normalized ? NORMALIZED : 0) | around;
  });
  return { ...joinTokens(tokens.map(({ text }) => text)), ids, flags };
}

// Tokens as plain data, which can be sent to other threads as it is.

/** Tokens, and the id of the unknown token among them. */
export type KnownTokens = TokenTable & { unknownId?: number | undefined };

/** Tokens in the form the engine takes them. */
export function knownTokens(tokens: readonly (string | Uint8Array | undefined)[]): KnownTokens {
  return { ...joinTokens(tokens), unknownId: unknownIdIn(tokens) };
}
