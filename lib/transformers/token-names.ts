// The texts of tokens as a tokenizer.json spells them: `Ġworld`, `▁world`, `##ing`. Read when they are first asked for.

interface Parsed {
  added_tokens?: { id: number; content: string }[];
  model?: { vocab?: Record<string, number> | [string, number][] };
}

export class TokenNames {
  readonly #text: () => string;
  readonly #normalized: ReadonlyMap<number, string>;
  #ids: Map<string, number> | undefined;
  #names: string[] | undefined;

  /** `normalized`: how texts spell the added tokens that the normalizer changes. Python names these tokens so. */
  constructor(text: () => string, normalized: ReadonlyMap<number, string>) {
    this.#text = text;
    this.#normalized = normalized;
  }

  /** Undefined for an id that no token has. */
  nameOf(id: number): string | undefined {
    return this.all[id];
  }

  /** By their ids. */
  get all(): readonly (string | undefined)[] {
    if (!this.#names) {
      this.#names = [];
      for (const [name, each] of this.ids) this.#names[each] = name;
      for (const [each, name] of this.#normalized) this.#names[each] = name;
    }
    return this.#names;
  }

  get ids(): ReadonlyMap<string, number> {
    if (!this.#ids) {
      const { added_tokens = [], model } = JSON.parse(this.#text().replace(/^\ufeff/, '')) as Parsed;
      const vocabulary = model?.vocab ?? {};
      const own = Array.isArray(vocabulary) ? vocabulary.map(([name], id) => [name, id] as const) : Object.entries(vocabulary);
      this.#ids = new Map([...own, ...added_tokens.map(({ content, id }) => [content, id] as const)]);
    }
    return this.#ids;
  }
}
