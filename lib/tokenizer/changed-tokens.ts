// Added tokens that a normalizer changes, as Hugging Face's tokenizers 0.23 have them: they are found in normalized text, and named as
// they are there.

import { engineOf, type Tokenizer } from './tokenizer.js';

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

  /** `added`: all added tokens of the vocabulary. */
  constructor(tokenizer: Tokenizer, added: readonly AddedToken[]) {
    const { texts } = Object(Object(tokenizer.metadata).decoder) as { texts?: Readonly<Record<string, string>> };
    const found = new Map(engineOf(tokenizer).describe().addedTokens.map(({ id, text }): [number, string] => [id, text]).reverse());
    const names = new Map<number, string>();
    for (const { id, content, normalized } of added) {
      const name = normalized ? (texts?.[id] ?? found.get(id) ?? content) : content;
      if (name !== content) names.set(id, name);
    }
    this.#tokenizer = tokenizer;
    this.names = names;
  }

  decode(ids: number[], skipSpecialTokens: boolean): string {
    return this.#tokenizer.decode(ids, { skipSpecialTokens });
  }
}
