// The ids around texts that a post-processor names, as a program may change it.

import type { Piece, Templates } from '../vocabulary/pieces.js';

interface Item {
  SpecialToken?: { id: string; type_id?: number };
  Sequence?: { id: string; type_id?: number };
}

type Config = Readonly<Record<string, unknown>>;

/** The templates of a post-processor. Only changes to a TemplateProcessing count. */
export class Processing {
  readonly #config: Config | undefined;
  readonly #idOf: (token: string) => number | undefined;
  #text: string;
  #templates: Templates;

  /** `templates`: those of the configuration as it is now. */
  constructor(config: Config | undefined, templates: Templates, idOf: (token: string) => number | undefined) {
    this.#config = config?.type === 'TemplateProcessing' ? config : undefined;
    this.#idOf = idOf;
    this.#text = this.#written();
    this.#templates = templates;
  }

  get templates(): Templates {
    const text = this.#written();
    if (text !== this.#text) {
      this.#templates = { single: this.#pieces(this.#config?.single), pair: this.#pieces(this.#config?.pair) };
      this.#text = text;
    }
    return this.#templates;
  }

  #written(): string {
    return this.#config ? JSON.stringify([this.#config.single, this.#config.pair]) : '';
  }

  #pieces(items: unknown): Piece[] {
    return (items as Item[]).map(({ SpecialToken, Sequence }): Piece => {
      if (Sequence) return { seq: Sequence.id as 'A' | 'B', type_id: Sequence.type_id ?? 0 };
      const { id: token = '', type_id = 0 } = SpecialToken ?? {};
      const id = this.#idOf(token);
      if (id === undefined) throw new TypeError(`expected a token of the vocabulary in post_processor but found ${JSON.stringify(token)}`);
      return { ids: [id], type_id };
    });
  }
}
