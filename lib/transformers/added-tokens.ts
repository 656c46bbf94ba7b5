// The added tokens of a model, as its tokenizer.json has them and as texts spell them.

import type { Tokenizer } from '../tokenizer/tokenizer.js';
import type { AddedToken, ModelConfig } from './config.js';

export interface AddedTokens {
  /** The special ones. */
  special: readonly AddedToken[];
  specialIds: ReadonlySet<number>;
  /** The texts of those that the normalizer changes, by their ids. Python does not leave them out with `skip_special_tokens`. */
  normalized: ReadonlyMap<number, string>;
}

export function addedTokensOf(tokenizer: Tokenizer, added: readonly AddedToken[]): AddedTokens {
  const special = added.filter((token) => token.special);
  const normalized = new Map<number, string>();
  for (const token of added) {
    if (!token.normalized) continue;
    const text = new TextDecoder().decode(tokenizer.tokenBytes(token.id));
    if (text !== token.content) normalized.set(token.id, text);
  }
  return { special, specialIds: new Set(special.map(({ id }) => id)), normalized };
}

/** What a cartridge keeps of the file that it was made of. */
export function ownOfCartridge(tokenizer: Tokenizer): ModelConfig['own'] {
  const { padding, truncation } = tokenizer.metadata as Pick<ModelConfig['own'], 'padding' | 'truncation'>;
  const added = [...tokenizer.specialTokens].map(([content, id]) => ({ id, content, special: true }));
  return { padding: padding ?? undefined, truncation: truncation ?? undefined, added };
}
