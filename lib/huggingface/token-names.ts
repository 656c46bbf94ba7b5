// The tokens of a file by name and id, added tokens included, as Hugging Face numbers and looks them up.

import type { AddedTokenJson, ModelJson } from './json.js';

export class TokenNames {
  /** The model's. */
  readonly #ids: ReadonlyMap<string, number>;
  /** The number of its tokens, equal ones included. */
  readonly #count: number;
  readonly #names: ReadonlyMap<number, string>;
  readonly #added = new Map<string, AddedTokenJson>();
  #byId: Map<number, AddedTokenJson> | undefined;

  constructor(model: ModelJson, added: readonly Omit<AddedTokenJson, 'id'>[]) {
    const entries = Array.isArray(model.vocab)
      ? model.vocab.map(([name], id): [string, number] => [name, id])
      : Object.entries(model.vocab);
    this.#ids = new Map(entries);
    this.#count = entries.length;
    this.#names = new Map(entries.map(([name, id]) => [id, name]));
    this.add(added);
  }

  /** Adds tokens and returns how many are new, or differ from before. */
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
    return count;
  }

  /** The added tokens in ascending order of id. */
  get added(): AddedTokenJson[] {
    return [...this.#added.values()].sort((a, b) => a.id - b.id);
  }

  idOf(name: string): number | undefined {
    return this.#added.get(name)?.id ?? this.#ids.get(name);
  }

  nameOf(id: number): string | undefined {
    return this.addedOf(id)?.content ?? this.#names.get(id);
  }

  /** Of the model's token, even if an added one has the id. */
  ofModel(id: number): string | undefined {
    return this.#names.get(id);
  }

  addedOf(id: number): AddedTokenJson | undefined {
    if (this.#byId?.size !== this.#added.size) this.#byId = new Map([...this.#added.values()].map((token) => [token.id, token]));
    return this.#byId.get(id);
  }

  /** Whether the model has a token, whatever has been added. */
  isOfModel(name: string): boolean {
    return this.#ids.has(name);
  }

  entries(withAdded: boolean): Map<string, number> {
    const all = new Map(this.#ids);
    if (withAdded) for (const { content, id } of this.#added.values()) all.set(content, id);
    return all;
  }

  size(withAdded: boolean): number {
    if (!withAdded) return this.#count;
    return this.#count + [...this.#added.keys()].filter((name) => !this.#ids.has(name)).length;
  }
}

const FLAGS = ['single_word', 'lstrip', 'rstrip', 'normalized', 'special'] as const;
