// Added tokens that a normalizer changes, as Hugging Face's tokenizers 0.23 have them: they are found in normalized text, named as
// they are there, and left out of decoded text only where that is the text of a special token.

import type { Vocabulary } from '../vocabulary/vocabulary.js';
import { decode } from './decoding.js';

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
  readonly #vocabulary: Vocabulary;
  /** The ids that decoding leaves out; undefined if the vocabulary does that. */
  readonly #skipped: ReadonlySet<number> | undefined;

  /** `added`: all added tokens of the vocabulary. */
  constructor(vocabulary: Vocabulary, added: readonly AddedToken[]) {
    const { texts } = Object(vocabulary.metadata.decoder) as { texts?: Readonly<Record<string, string>> };
    const found = new Map(vocabulary.description.addedTokens.map(({ id, text }) => [id, text]));
    const names = new Map<number, string>();
    for (const { id, content, normalized } of added) {
      const name = normalized ? (texts?.[id] ?? found.get(id) ?? content) : content;
      if (name !== content) names.set(id, name);
    }
    const special = new Set(added.flatMap((token) => (token.special ? [token.content] : [])));
    // Where the decoder has their names, it knows.
    const isKnown = [...names.keys()].every((id) => texts?.[id] !== undefined);
    this.#skipped = isKnown ? undefined : new Set(added.flatMap(({ id, content }) => (special.has(names.get(id) ?? content) ? [id] : [])));
    this.#vocabulary = vocabulary;
    this.names = names;
  }

  decode(ids: number[], skipSpecialTokens: boolean): string {
    const skipped = this.#skipped;
    if (!skipSpecialTokens || !skipped) return decode(this.#vocabulary, ids, { skipSpecialTokens });
    return decode(
      this.#vocabulary,
      ids.filter((id) => !skipped.has(id)),
    );
  }
}
