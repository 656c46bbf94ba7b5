// The ids around texts that a post-processor names, as a program may change it.

import { piecesIn, type TemplatePiece } from '../encodings/processors.js';
import type { Templates } from '../vocabulary/metadata.js';

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
      const pieces = (items: unknown) => piecesIn(items as readonly TemplatePiece[], (token) => [this.#knownId(token)]);
      this.#templates = { single: pieces(this.#config?.single), pair: pieces(this.#config?.pair) };
      this.#text = text;
    }
    return this.#templates;
  }

  #written(): string {
    return this.#config ? JSON.stringify([this.#config.single, this.#config.pair]) : '';
  }

  #knownId(token: string): number {
    const id = this.#idOf(token);
    if (id === undefined) throw new TypeError(`expected a token of the vocabulary in post_processor but found ${JSON.stringify(token)}`);
    return id;
  }
}
