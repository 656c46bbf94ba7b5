// How the commands on text read it: as one text per input, fed to the engine in parts, with what the options say of
// special tokens.

import { policyOf } from '../arguments.js';
import type { TextSession } from '../backend.js';
import type { Tokenizer } from '../index.js';
import { engineOf } from '../tokenizer.js';

/** Options that the commands on text share. */
export interface TextOptions {
  source: string;
  special: 'text' | 'allow' | 'forbid' | string[];
  json: boolean;
}

/** `counting`: the totals count tokens and no ids are kept. */
export function begin(tokenizer: Tokenizer, options: TextOptions, counting: boolean): TextSession {
  return engineOf(tokenizer).begin(policyOf({ special: options.special }, tokenizer), counting);
}

/** What ends a text. */
export const NOTHING = new Uint8Array(0);
