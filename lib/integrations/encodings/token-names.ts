// The tokens of a file by name and id, added tokens included, as Hugging Face numbers and looks them up.

import { decode } from '../../api/decode-ids.js';
import type { Vocabulary } from '../../vocabularies/vocabulary.js';

/** A token of `added_tokens` in a tokenizer.json, which is found in texts before anything else. */
export interface AddedTokenJson {
  id: number;
  content: string;
  single_word: boolean;
  lstrip: boolean;
  rstrip: boolean;
  normalized: boolean;
  special: boolean;
}

/** The ids of the tokens of a model in a tokenizer.json, which has them by token, or the tokens with their scores. */
export function idsInJson(vocabulary: Readonly<Record<string, number>> | readonly (readonly [string, number])[]): [string, number][] {
  if (!Array.isArray(vocabulary)) return Object.entries(vocabulary as Readonly<Record<string, number>>);
  return vocabulary.map(([name]: readonly [string, number], id) => [name, id]);
}

export class TokenNames {
  /** The model's. */
  readonly #ids: ReadonlyMap<string, number>;
  /** The number of its tokens, equal ones included. */
  readonly #count: number;
  readonly #names: ReadonlyMap<number, string>;
  readonly #spelled: ReadonlyMap<number, string>;
  readonly #added: Map<string, AddedTokenJson>;
  #byId: Map<number, AddedTokenJson> | undefined;
  #all: ReadonlyMap<string, number> | undefined;

  /** `ids`: of the model. `spelled`: how texts spell the added tokens that the normalizer changes, if `nameOf` is to say so. */
  constructor(ids: readonly [string, number][], added: readonly AddedTokenJson[] = [], spelled: ReadonlyMap<number, string> = new Map()) {
    this.#ids = new Map(ids);
    this.#count = ids.length;
    this.#names = new Map(ids.map(([name, id]) => [id, name]));
    this.#added = new Map(added.map((token) => [token.content, token]));
    this.#spelled = spelled;
  }

  /** Adds tokens, which get ids, and returns how many are new, or differ from before. */
  add(tokens: readonly Omit<AddedTokenJson, 'id'>[]): number {
    // Counted once, as in the reference: a token may get the id of one that has been added before.
    let highest = -1;
    for (const { id } of this.#added.values()) highest = Math.max(highest, id);
    let next = highest >= this.#count ? highest + 1 : this.#count;
    let count = 0;
    for (const token of tokens) {
      const known = this.#added.get(token.content);
      if (token.content === '' || (known && FLAGS.every((flag) => known[flag] === token[flag]))) continue;
      this.#added.set(token.content, { ...token, id: known?.id ?? this.#ids.get(token.content) ?? next++ });
      count++;
    }
    if (count > 0) this.#byId = this.#all = undefined;
    return count;
  }

  /** The added tokens in ascending order of id. */
  get added(): AddedTokenJson[] {
    return [...this.#added.values()].sort((a, b) => a.id - b.id);
  }

  /** All ids by name. */
  get ids(): ReadonlyMap<string, number> {
    this.#all ??= new Map([...this.#ids, ...[...this.#added.values()].map(({ content, id }): [string, number] => [content, id])]);
    return this.#all;
  }

  /** The same without added tokens. */
  get idsOfModel(): ReadonlyMap<string, number> {
    return this.#ids;
  }

  /** All names by id. */
  get all(): readonly (string | undefined)[] {
    const names: (string | undefined)[] = [];
    for (const id of this.ids.values()) names[id] ??= this.nameOf(id);
    return names;
  }

  idOf(name: string): number | undefined {
    return this.#added.get(name)?.id ?? this.#ids.get(name);
  }

  nameOf(id: number): string | undefined {
    return this.#spelled.get(id) ?? this.addedOf(id)?.content ?? this.#names.get(id);
  }

  /** Of the model's token, even if an added one has the id. */
  ofModel(id: number): string | undefined {
    return this.#names.get(id);
  }

  addedOf(id: number): AddedTokenJson | undefined {
    this.#byId ??= new Map([...this.#added.values()].map((token) => [token.id, token]));
    return this.#byId.get(id);
  }

  size(withAdded: boolean): number {
    if (!withAdded) return this.#count;
    return this.#count + [...this.#added.keys()].filter((name) => !this.#ids.has(name)).length;
  }
}

const FLAGS = ['single_word', 'lstrip', 'rstrip', 'normalized', 'special'] as const;

/** The same, of which some members may be missing. */
export type AddedToken = Readonly<Pick<AddedTokenJson, 'id' | 'content'> & Partial<Pick<AddedTokenJson, 'special' | 'normalized'>>>;

/**
 * Added tokens that a normalizer changes, as Hugging Face's tokenizers 0.23 have them: they are found in normalized text, named as
 * they are there, and left out of decoded text only where that is the text of a special token.
 */
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
    // A decoder that has all of their names leaves the special ones out itself.
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
