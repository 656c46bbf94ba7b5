// The parts of a Tokenizer in the shape of @huggingface/tokenizers, as far as programs read them.

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
