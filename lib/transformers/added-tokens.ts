// The added tokens of a model, as its tokenizer.json has them and as texts spell them.

import { engineOf, type Tokenizer } from '../tokenizer/tokenizer.js';
import type { AddedToken, ModelConfig } from './config.js';

export interface AddedTokens {
  all: readonly AddedToken[];
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
    const text = utf8.decode(tokenizer.tokenBytes(token.id));
    if (text !== token.content) normalized.set(token.id, text);
  }
  return { all: added, special, specialIds: new Set(special.map(({ id }) => id)), normalized };
}

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** What a cartridge keeps of the file that it was made of. */
export function ownOfCartridge(tokenizer: Tokenizer): ModelConfig['own'] {
  const { padding, truncation } = tokenizer.metadata as Pick<ModelConfig['own'], 'padding' | 'truncation'>;
  const added = engineOf(tokenizer).describe().addedTokens.map(({ id, text, special }) => ({ id, content: text, special }));
  return { padding: padding ?? undefined, truncation: truncation ?? undefined, added };
}
