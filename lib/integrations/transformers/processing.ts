// The ids around texts that a post-processor names, as a program may change it.

import { type Templates, templatesOf } from '../../vocabularies/metadata.js';
import { piecesIn, type TemplatePiece } from '../encodings/processors.js';
import { encodeWithOffsets } from '../../api/encode-texts.js';
import type { Vocabulary } from '../../vocabularies/vocabulary.js';

/** Has an id, and no space that offsets could leave out. */
const PROBE = 'a';

/** The templates of a vocabulary, by what it does to a text: `encodeWithOffsets` gives ids around a text no place in it. */
export function templatesIn(vocabulary: Vocabulary): Templates {
  const alone = encodeWithOffsets(vocabulary, PROBE);
  const { ids, offsets } = encodeWithOffsets(vocabulary, PROBE, { addSpecialTokens: true });
  const begins = (places: Uint32Array) => places.findIndex((place) => place > 0) >> 1;
  const before = begins(offsets) - begins(alone.offsets);
  const prefix = Array.from(ids.subarray(0, before));
  const suffix = Array.from(ids.subarray(before + alone.ids.length));
  const { description, metadata } = vocabulary;
  return templatesOf({ ...description, prefix, suffix }, metadata);
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
