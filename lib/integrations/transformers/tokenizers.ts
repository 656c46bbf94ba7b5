// A drop-in replacement: this file names no backend and loads vocabularies only through #host.

/**
 * `Tokenizer` in the shape of `@huggingface/tokenizers`, the package under transformers.js 4. Let a bundler use this module in its
 * place, and transformers.js encodes with this package's engine. Examples without imports continue this one.
 *
 * @example
 * ```ts
 * import { Tokenizer } from 'crayon-tokenizer/transformers/tokenizers';
 *
 * const model = { type: 'WordLevel', unk_token: '?', vocab: { '?': 0, hello: 1, world: 2 } };
 * const tokenizer = new Tokenizer({ model, pre_tokenizer: { type: 'Whitespace' } }, {});
 * tokenizer.encode('hello world').ids; // [1, 2]
 * ```
 *
 * @module crayon-tokenizer/transformers/tokenizers
 */

import { fromCaller, unexpected } from '../../base/errors.js';
import { checkOptionNames, optionNames } from '../../base/option-objects.js';
import { textOfTokens } from '../../vocabularies/decode/decoder.js';
import { type AddedToken as PlainToken, ChangedTokens, type TokenNames } from '../encodings/token-names.js';
import { idOf } from '../../api/decode-ids.js';
import { importedNow } from '#host';
import { encodeCall, type Model, spellTokens } from './call.js';
import { DECODE_OPTIONS, type DecodeOptions, WHOLE } from './call-options.js';
import { cleanUp, idsOf } from './call-decoding.js';
import { AddedToken, componentOf, type Component, Decoder, Processing, templatesIn, Vocabulary } from './components.js';
import { namesInJson, settingsOf } from './config.js';

export { AddedToken, Decoder };
export type { DecodeOptions };

/**
 * What `encode` returns.
 *
 * @example
 * ```ts
 * import type { EncodeOptions, Encoding } from 'crayon-tokenizer/transformers/tokenizers';
 *
 * const options: EncodeOptions = { text_pair: 'world', return_token_type_ids: true };
 * const encoding: Encoding = { ids: [1, 2], tokens: ['hello', 'world'], attention_mask: [1, 1] };
 * ```
 */
export interface Encoding {
  ids: number[];
  /** As the vocabulary spells them. */
  tokens: string[];
  /** 1 for each id. */
  attention_mask: number[];
  /** In most models 0 for the first text, 1 for the second. */
  token_type_ids?: number[];
}

/** Options of `tokenize`, of which `encode` has one more. */
export interface EncodeOptions {
  /** A second text. */
  text_pair?: string | null | undefined;
  /** Add the vocabulary's ids around the texts. Default: true in `encode`, false in `tokenize`. */
  add_special_tokens?: boolean | undefined;
  /** Of `encode`. Default false. */
  return_token_type_ids?: boolean | null | undefined;
}

const ENCODE_OPTIONS = optionNames<EncodeOptions>({ text_pair: true, add_special_tokens: true, return_token_type_ids: true });

/**
 * A tokenizer made of the contents of a model's `tokenizer.json` and `tokenizer_config.json`, at once.
 *
 * @example
 * ```ts
 * tokenizer.tokenize('hello world'); // ['hello', 'world']
 * tokenizer.token_to_id('world'); // 2
 * ```
 */
export class Tokenizer {
  /** What the files say. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly normalizer: Component | null;
  readonly pre_tokenizer: Component | null;
  readonly model: Vocabulary;
  /** A change to the ids in `single` or `pair` of a TemplateProcessing counts for later calls. */
  readonly post_processor: Component | null;
  /** Assign a {@link Decoder} of your own to decode with it, or null to join tokens by spaces. */
  decoder: Component | Decoder | null;

  readonly #names: () => TokenNames;
  readonly #tokens: readonly AddedToken[];
  readonly #ownDecoder: Component | Decoder | null;
  readonly #processing: Processing;
  #model: Model;

  /**
   * Compiles the vocabulary on this thread. Throws a TokenizerError for one that this package does not support.
   *
   * @example
   * ```ts
   * const model = { type: 'WordLevel', unk_token: '?', vocab: { '?': 0, hello: 1 } };
   * new Tokenizer({ model }, { model_max_length: 512 }).config; // { model_max_length: 512 }
   * ```
   */
  constructor(tokenizer: object, config: object) {
    try {
      checkObject(tokenizer, 'tokenizer');
      checkObject(config, 'config');
      if (config.do_lowercase_and_remove_accent) {
        throw new TypeError('do_lowercase_and_remove_accent in config is not supported: only the normalizer of a tokenizer.json is');
      }
      const json = JSON.stringify(tokenizer);
      const added = (tokenizer.added_tokens ?? []) as readonly PlainToken[];
      // A file has all flags; what is given here need not.
      this.#tokens = added.map((token) => new AddedToken(token));
      const vocabulary = importedNow(added.length > 0 ? JSON.stringify({ ...tokenizer, added_tokens: this.#tokens }) : json);
      this.config = config;
      let names: TokenNames | undefined;
      this.#names = () => (names ??= namesInJson(json));
      this.normalizer = componentOf(tokenizer.normalizer);
      this.pre_tokenizer = componentOf(tokenizer.pre_tokenizer);
      this.post_processor = componentOf(tokenizer.post_processor);
      this.decoder = this.#ownDecoder = componentOf(tokenizer.decoder);
      this.model = new Vocabulary(tokenizer.model as Record<string, unknown>, this.#names);
      const file = { added: this.#tokens };
      const settings = settingsOf({ config, map: undefined, file, template: undefined }, (token) => idOf(vocabulary, token) !== undefined);
      const templates = templatesIn(vocabulary);
      this.#processing = new Processing(this.post_processor?.config, templates, (token) => this.token_to_id(token));
      this.#model = {
        vocabulary,
        templates,
        settings,
        added: this.#tokens,
        changed: new ChangedTokens(vocabulary, this.#tokens),
        names: this.#names,
        Tensor: undefined,
      };
    } catch (error) {
      throw fromCaller(error, Tokenizer);
    }
  }

  /**
   * The ids of a text, or of two.
   *
   * @example
   * ```ts
   * tokenizer.encode('hello', { text_pair: 'world' }).ids; // [1, 2]
   * ```
   */
  encode(text: string, options: EncodeOptions & { return_token_type_ids: true }): Encoding & { token_type_ids: number[] };
  encode(text: string, options?: EncodeOptions): Encoding;
  encode(text: string, options: EncodeOptions = {}): Encoding {
    checkOptionNames(options, ENCODE_OPTIONS);
    if (typeof text !== 'string') throw unexpected('a string', 'text', text);
    const { text_pair, add_special_tokens = true, return_token_type_ids = false } = options;
    const asked = { text_pair, add_special_tokens, return_token_type_ids: return_token_type_ids === true, return_tensor: false };
    const model = this.#current();
    const { input_ids, attention_mask, ...types } = encodeCall(model, WHOLE, text, asked) as Record<string, number[]>;
    let tokens: string[] | undefined;
    // transformers.js never reads them.
    const spell = () => (tokens ??= spellTokens(model, text, text_pair, add_special_tokens));
    return {
      ids: input_ids as number[],
      get tokens() {
        return spell();
      },
      attention_mask: attention_mask as number[],
      ...types,
    };
  }

  /**
   * The text of ids.
   *
   * @example
   * ```ts
   * tokenizer.decode([1, 2]); // 'hello world'
   * ```
   */
  decode(token_ids: readonly number[] | readonly bigint[], options: DecodeOptions = {}): string {
    checkOptionNames(options, DECODE_OPTIONS);
    const skips = options.skip_special_tokens === true;
    const { changed } = this.#model;
    // The engine decodes to what the normalizer makes of added tokens.
    const isEngines = this.decoder === this.#ownDecoder && changed.names.size === 0;
    const ids = idsOf(token_ids);
    const decoded = isEngines ? changed.decode(ids, skips) : this.#decodedByNames(ids, skips);
    const text = this.decoder ? withoutSuffixes(decoded, this.model.end_of_word_suffix, skips) : decoded;
    // As in the package that has this shape: also for BPE, and unless something says no.
    const cleans = options.clean_up_tokenization_spaces ?? this.config.clean_up_tokenization_spaces ?? true;
    return cleans ? cleanUp(text) : text;
  }

  /**
   * The tokens of a text, or of two, as the vocabulary spells them.
   *
   * @example
   * ```ts
   * tokenizer.tokenize('hello you'); // ['hello', '?']
   * ```
   */
  tokenize(text: string, options: Omit<EncodeOptions, 'return_token_type_ids'> = {}): string[] {
    checkOptionNames(options, ENCODE_OPTIONS);
    if (typeof text !== 'string') throw unexpected('a string', 'text', text);
    return spellTokens(this.#current(), text, options.text_pair, options.add_special_tokens ?? false);
  }

  /**
   * The id of a token; undefined if there is none.
   *
   * @example
   * ```ts
   * tokenizer.token_to_id('hello'); // 1
   * ```
   */
  token_to_id(token: string): number | undefined {
    return this.#names().ids.get(token);
  }

  /**
   * The token of an id; undefined if there is none.
   *
   * @example
   * ```ts
   * tokenizer.id_to_token(1); // 'hello'
   * ```
   */
  id_to_token(id: number): string | undefined {
    return this.#names().nameOf(id);
  }

  /**
   * The added tokens by their ids.
   *
   * @example
   * ```ts
   * tokenizer.get_added_tokens_decoder().size; // 0
   * ```
   */
  get_added_tokens_decoder(): Map<number, AddedToken> {
    return new Map(this.#tokens.map((token) => [token.id, token]));
  }

  /**
   * All tokens and their ids; without the added ones if that is false.
   *
   * @example
   * ```ts
   * tokenizer.get_vocab().get('world'); // 2
   * ```
   */
  get_vocab(with_added_tokens = true): Map<string, number> {
    const all = new Map(this.#names().ids);
    if (!with_added_tokens) for (const { content } of this.#tokens) all.delete(content);
    return all;
  }

  /** With the templates as `post_processor` has them now: transformers.js writes the language of a translation there. */
  #current(): Model {
    const { templates } = this.#processing;
    if (templates !== this.#model.templates) this.#model = { ...this.#model, templates };
    return this.#model;
  }

  #decodedByNames(ids: readonly number[], skips: boolean): string {
    const special = new Set(this.#tokens.flatMap((token) => (skips && token.special ? [token.id] : [])));
    const shown = ids.filter((id) => !special.has(id));
    const tokens = shown.map((id) => this.id_to_token(id) ?? this.model.unk_token ?? '');
    if (typeof this.decoder === 'function') return this.decoder(tokens);
    const { engine, metadata } = this.#model.vocabulary;
    return this.decoder ? textOfTokens(metadata.decoder, tokens, engine) : tokens.join(' ');
  }
}

/** What Python leaves in texts of CLIP, the package that has this shape makes spaces of. */
function withoutSuffixes(text: string, suffix: unknown, skips: boolean): string {
  if (typeof suffix !== 'string' || suffix === '') return text;
  const spaced = text.replaceAll(suffix, ' ');
  return skips ? spaced.trim() : spaced;
}

function checkObject(value: unknown, name: string): asserts value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw unexpected('an object', name, value);
}
