// Added tokens that a normalizer changes, as Hugging Face's tokenizers 0.23 have them: they are found in normalized text, named as
// they are there, and left out of decoded text only where that is the text of a special token.

import type { Tokenizer } from './tokenizer.js';

/** A token of `added_tokens` in a tokenizer.json. */
export interface AddedToken {
  readonly id: number;
  readonly content: string;
  readonly special?: boolean;
  readonly normalized?: boolean;
}

export class ChangedTokens {
  /** Their names by their ids. */
  readonly names: ReadonlyMap<number, string>;
  readonly #tokenizer: Tokenizer;
  /** The ids that decoding leaves out. */
  readonly #skipped: ReadonlySet<number>;

  /** `added`: all added tokens of the vocabulary. */
  constructor(tokenizer: Tokenizer, added: readonly AddedToken[]) {
    const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
    const names = new Map<number, string>();
    for (const { id, content, normalized } of added) {
      const name = normalized ? utf8.decode(tokenizer.tokenBytes(id)) : content;
      if (name !== content) names.set(id, name);
    }
    const special = new Set(added.flatMap((token) => (token.special ? [token.content] : [])));
    this.#skipped = new Set(added.flatMap(({ id, content }) => (special.has(names.get(id) ?? content) ? [id] : [])));
    this.#tokenizer = tokenizer;
    this.names = names;
  }

  decode(ids: number[], skipSpecialTokens: boolean): string {
    if (!skipSpecialTokens || this.names.size === 0) return this.#tokenizer.decode(ids, { skipSpecialTokens });
    return this.#tokenizer.decode(ids.filter((id) => !this.#skipped.has(id)));
  }
}
