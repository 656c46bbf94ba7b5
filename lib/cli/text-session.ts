// How the commands on text read it: one text per input, fed to the engine in parts, with --special applied.

import { policyOf } from '../tokenizer/arguments.js';
import type { Policy, TextSession } from '../tokenizer/engine.js';
import { TokenizerError } from '../tokenizer/errors.js';
import type { Tokenizer } from '../index.js';
import { engineOf, vocabularyOf } from '../tokenizer/tokenizer.js';
import { InputError } from './streams.js';

/** Options that the commands on text share. */
export interface TextOptions {
  source: string;
  special: 'text' | 'allow' | 'forbid' | string[];
  json: boolean;
}

const LISTED = 12;

/** The policy that --special names. */
export function specialPolicy(tokenizer: Tokenizer, { special }: TextOptions): Policy {
  try {
    return policyOf({ special }, vocabularyOf(tokenizer));
  } catch (error) {
    if (!(error instanceof TokenizerError && error.code === 'UNKNOWN_SPECIAL')) throw error;
    const known = [...tokenizer.specialTokens.keys()];
    const more = known.length > LISTED ? ` and ${known.length - LISTED} more` : '';
    const has = known.length > 0 ? `has ${known.slice(0, LISTED).join(', ')}${more}` : 'has none';
    const wrong = JSON.stringify(special[error.position]);
    throw new InputError(
      `--special: expected text, allow, forbid or a list of special tokens but ${wrong} is no special token of ` +
        `${tokenizer.name}, which ${has}`,
    );
  }
}

/** `counting`: the totals count tokens and no ids are kept. */
export function begin(tokenizer: Tokenizer, policy: Policy, counting: boolean): TextSession {
  return engineOf(tokenizer).begin(policy, counting);
}

/** The end of a text. */
export const NOTHING = new Uint8Array(0);
