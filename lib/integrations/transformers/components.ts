// The parts of a Tokenizer in the shape of @huggingface/tokenizers, as far as programs read them.

import { encodeWithOffsets } from '../../api/encode-texts.js';
import { type Templates, templatesOf } from '../../vocabularies/metadata.js';
import type { Vocabulary as OpenVocabulary } from '../../vocabularies/vocabulary.js';
import { type TemplateItem, templateOf } from '../encodings/processors.js';
import type { TokenNames } from '../encodings/token-names.js';

/** `new` gives a function that calls the instance's own `_call`. */
export const Callable = class {
  constructor() {
    const self = (...args: unknown[]) => (self as unknown as { _call(...args: unknown[]): unknown })._call(...args);
    // biome-ignore lint/correctness/noConstructorReturn: the instance is this function.
    return Object.setPrototypeOf(self, new.target.prototype);
  }
};

type Config = Readonly<Record<string, unknown>>;

/** A normalizer, pretokenizer or post-processor: what tokenizer.json says of it. The engine does its work. */
export interface Component {
  readonly config: Record<string, unknown>;
}

export function componentOf(config: unknown): Component | null {
  return typeof config === 'object' && config !== null ? { config: config as Record<string, unknown> } : null;
}

/**
 * An added token, with its defaults.
 *
 * @example
 * ```ts
 * import { AddedToken } from 'crayon-tokenizer/transformers/tokenizers';
 *
 * new AddedToken({ id: 0, content: '<pad>', special: true }).normalized; // false
 * ```
 */
export class AddedToken {
  readonly id: number;
  readonly content: string;
  readonly single_word: boolean;
  readonly lstrip: boolean;
  readonly rstrip: boolean;
  readonly special: boolean;
  readonly normalized: boolean;

  /** @internal */
  constructor(config: Pick<AddedToken, 'id' | 'content'> & Partial<AddedToken>) {
    this.id = config.id;
    this.content = config.content;
    this.single_word = config.single_word ?? false;
    this.lstrip = config.lstrip ?? false;
    this.rstrip = config.rstrip ?? false;
    this.special = config.special ?? false;
    this.normalized = config.normalized ?? !this.special;
  }
}

type Decode = (tokens: string[]) => string;

export interface Decoder extends Decode {}

/**
 * The base of decoders of your own: assign one to `tokenizer.decoder`. transformers.js does so for VITS.
 *
 * @example
 * ```ts
 * import { Decoder, Tokenizer } from 'crayon-tokenizer/transformers/tokenizers';
 *
 * class Joining extends Decoder {
 *   decode_chain(tokens: string[]) {
 *     return [tokens.join('+')];
 *   }
 * }
 * const model = { type: 'WordLevel', unk_token: '?', vocab: { '?': 0, hello: 1, world: 2 } };
 * const tokenizer = new Tokenizer({ model, pre_tokenizer: { type: 'Whitespace' } }, {});
 * tokenizer.decoder = new Joining({ type: 'Joining' });
 * tokenizer.decode([1, 2]); // 'hello+world'
 * ```
 */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: Callable makes instances callable.
export abstract class Decoder extends Callable {
  readonly config: Readonly<Record<string, unknown>>;

  /** @internal */
  constructor(config: Readonly<Record<string, unknown>>) {
    super();
    this.config = config;
  }

  /**
   * The texts of tokens, each changed; joined, they are the text. Of your class.
   *
   * @example
   * ```ts
   * import { Decoder } from 'crayon-tokenizer/transformers/tokenizers';
   *
   * class Upper extends Decoder {
   *   decode_chain(tokens: string[]) {
   *     return tokens.map((token) => token.toUpperCase());
   *   }
   * }
   * new Upper({ type: 'Upper' }).decode_chain(['a', 'b']); // ['A', 'B']
   * ```
   */
  abstract decode_chain(tokens: string[]): string[];

  /**
   * The text of tokens.
   *
   * @example
   * ```ts
   * import { Decoder } from 'crayon-tokenizer/transformers/tokenizers';
   *
   * class Plain extends Decoder {
   *   decode_chain(tokens: string[]) {
   *     return tokens;
   *   }
   * }
   * new Plain({ type: 'Plain' }).decode(['a', 'b']); // 'ab'
   * ```
   */
  decode(tokens: string[]): string {
    return this.decode_chain(tokens).join('');
  }

  /** @internal */
  _call(tokens: string[]): string {
    return this.decode(tokens);
  }
}

/** The model: its configuration, and its tokens, which are read when they are first asked for. */
export class Vocabulary {
  readonly config: Config;
  readonly #names: () => TokenNames;

  constructor(config: Config, names: () => TokenNames) {
    this.config = config;
    this.#names = names;
  }

  /** The tokens by their ids. */
  get vocab(): readonly (string | undefined)[] {
    return this.#names().all;
  }

  get tokens_to_ids(): ReadonlyMap<string, number> {
    return this.#names().ids;
  }

  get unk_token(): string | undefined {
    const { unk_token, unk_id } = this.config;
    if (typeof unk_id === 'number') return this.#names().nameOf(unk_id);
    return typeof unk_token === 'string' ? unk_token : undefined;
  }

  get unk_token_id(): number | undefined {
    const { unk_token } = this;
    return unk_token === undefined ? undefined : this.#names().ids.get(unk_token);
  }

  get end_of_word_suffix(): unknown {
    return this.config.end_of_word_suffix;
  }
}

/** Has an id, and no space that offsets could leave out. */
const PROBE = 'a';

/** The templates of a vocabulary, by what it does to a text: `encodeWithOffsets` gives ids around a text no place in it. */
export function templatesIn(vocabulary: OpenVocabulary): Templates {
  const alone = encodeWithOffsets(vocabulary, PROBE);
  const { ids, offsets } = encodeWithOffsets(vocabulary, PROBE, { addSpecialTokens: true });
  const begins = (places: Uint32Array) => places.findIndex((place) => place > 0) >> 1;
  const before = begins(offsets) - begins(alone.offsets);
  const prefix = Array.from(ids.subarray(0, before));
  const suffix = Array.from(ids.subarray(before + alone.ids.length));
  const { description, metadata } = vocabulary;
  return templatesOf({ ...description, prefix, suffix }, metadata);
}

/** The templates of a post-processor. Only changes to a TemplateProcessing count. */
export class Processing {
  readonly #config: Config | undefined;
  readonly #idOf: (token: string) => number | undefined;
  #text: string;
  #templates: Templates;

  /** `templates`: the configuration's, as it is now. */
  constructor(config: Config | undefined, templates: Templates, idOf: (token: string) => number | undefined) {
    this.#config = config?.type === 'TemplateProcessing' ? config : undefined;
    this.#idOf = idOf;
    this.#text = this.#written();
    this.#templates = templates;
  }

  get templates(): Templates {
    const text = this.#written();
    if (text !== this.#text) {
      const template = (items: unknown) => templateOf(items as readonly TemplateItem[], (token) => [this.#knownId(token)]);
      this.#templates = { single: template(this.#config?.single), pair: template(this.#config?.pair) };
      this.#text = text;
    }
    return this.#templates;
  }

  #written(): string {
    return this.#config ? JSON.stringify([this.#config.single, this.#config.pair]) : '';
  }

  #knownId(token: string): number {
    const id = this.#idOf(token);
    if (id === undefined) throw new TypeError(`\`post_processor\` must name tokens of the vocabulary; ${JSON.stringify(token)} is none`);
    return id;
  }
}
