// A tokenizer in the shape of transformers.js, with what Python's has and it lacks.

import type { Tokenizer } from '../../api/tokenizer.js';
import { checkOptionNames } from '../../base/option-objects.js';
import { countAdded, encodeCall, spellTokens } from './call.js';
import { Callable } from './components.js';
import {
  type ApplyChatTemplateOptions,
  type CallOptions,
  DECODE_OPTIONS,
  type DecodeOptions,
  type Encoded,
  type Item,
  TOKENIZE_OPTIONS,
  type TokenizeOptions,
} from './call-options.js';
import { applyTemplate, type ChatModel } from './chats.js';
import { decodeIds, rowsIn, type TokenIds } from './call-decoding.js';
import type { Role } from './config.js';
import type { TensorClass } from './encoded.js';
import type { Side } from '../encodings/encoding-rows.js';

/** What a tokenizer is made of. */
export interface Parts<Tensor> extends ChatModel {
  tokenizer: Tokenizer;
  Tensor: TensorClass<Tensor> | undefined;
}

type Call<Tensor> = <Text extends string | readonly string[], Options extends CallOptions = CallOptions>(
  text: Text,
  options?: Options,
) => Encoded<Text, Options, Tensor>;

export interface PreTrainedTokenizer<Tensor = never> extends Call<Tensor> {}

/**
 * A model's tokenizer, which is also a function: `tokenizer(text, options)` is `tokenizer._call(text, options)`. The examples of its
 * members continue this one.
 *
 * @example
 * ```ts
 * import { AutoTokenizer } from 'crayon-tokenizer/transformers';
 *
 * const model = { type: 'WordLevel', unk_token: '[PAD]', vocab: { '[PAD]': 0, hello: 1, world: 2 } };
 * const file = { model, pre_tokenizer: { type: 'Whitespace' } };
 * const words = await AutoTokenizer.from_pretrained({ 'tokenizer.json': file });
 * words('hello world').input_ids; // [1, 2]
 * words.tokenize('hello you'); // ['hello', '[PAD]']
 * ```
 */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: Callable makes instances callable.
export class PreTrainedTokenizer<Tensor = never> extends Callable {
  /** The token that begins a text; null if the model has none. */
  bos_token: string | null = null;
  bos_token_id: number | undefined;
  /** The token that ends a text. */
  eos_token: string | null = null;
  eos_token_id: number | undefined;
  /** The token for what is unknown. */
  unk_token: string | null = null;
  unk_token_id: number | undefined;
  /** The token between two texts. */
  sep_token: string | null = null;
  sep_token_id: number | undefined;
  /** The token for padding. To choose another, set its id, too: `tokenizer.pad_token_id`. */
  pad_token: string | null = null;
  pad_token_id: number | undefined;
  /** The token that stands for a whole text. */
  cls_token: string | null = null;
  cls_token_id: number | undefined;
  /** The token that models fill in. */
  mask_token: string | null = null;
  mask_token_id: number | undefined;
  /** The side of padding. */
  padding_side: Side;
  /** The side that truncation cuts. */
  truncation_side: Side;
  /** The most ids that the model takes; Infinity if its configuration does not say. */
  model_max_length: number;
  /** Whether calls return `token_type_ids` if nothing else is asked. */
  return_token_type_ids: boolean;
  /** The contents of tokenizer_config.json; empty if the model has none. */
  readonly config: Readonly<Record<string, unknown>>;
  /** What the configuration says of a token at the beginning. Pipelines of transformers.js read it; the ids around texts are the file's. */
  readonly add_bos_token: boolean | undefined;
  readonly add_eos_token: boolean | undefined;
  /** The model's template for chats, or several by their names; null if it has none. */
  readonly chat_template: string | Readonly<Record<string, string>> | null;
  /** The texts of all special tokens. */
  readonly all_special_tokens: string[];
  readonly all_special_ids: number[];

  readonly #parts: Parts<Tensor>;

  /** @internal */
  constructor(parts: Parts<Tensor>) {
    super();
    const { tokenizer, settings, added } = parts;
    this.#parts = parts;
    const special = added.filter((token) => token.special);
    for (const [role, token] of Object.entries(settings.roles) as [Role, string | undefined][]) {
      if (token === undefined) continue;
      this[role] = token;
      this[`${role}_id`] = special.find(({ content }) => content === token)?.id ?? tokenizer.idOf(token);
    }
    this.padding_side = settings.paddingSide;
    this.truncation_side = settings.truncationSide;
    this.model_max_length = settings.maxLength;
    this.return_token_type_ids = settings.returnsTypeIds;
    const { config, templates } = settings;
    this.config = config;
    const flag = (name: string) => (typeof config[name] === 'boolean' ? config[name] : undefined);
    this.add_bos_token = flag('add_bos_token');
    this.add_eos_token = flag('add_eos_token');
    const named = Object.keys(templates);
    this.chat_template = named.length === 0 ? null : named.length === 1 && templates.default !== undefined ? templates.default : templates;
    this.all_special_tokens = special.map(({ content }) => content);
    this.all_special_ids = special.map(({ id }) => id);
  }

  /**
   * The engine under it: streams, splitting, counting and everything else that `Tokenizer` has.
   *
   * @example
   * ```ts
   * words.tokenizer.count('hello world'); // 2
   * ```
   */
  get tokenizer(): Tokenizer {
    return this.#parts.tokenizer;
  }

  /**
   * Encodes a text, or a list of texts, for a model.
   *
   * @example
   * ```ts
   * words._call(['hello', 'hello world'], { padding: true }).input_ids; // [[1, 0], [1, 2]]
   * ```
   */
  _call<Text extends string | readonly string[], Options extends CallOptions = CallOptions>(
    text: Text,
    options?: Options,
  ): Encoded<Text, Options, Tensor> {
    return encodeCall(this.#parts, this, text, options) as unknown as Encoded<Text, Options, Tensor>;
  }

  /**
   * The ids of a text, or of two.
   *
   * @example
   * ```ts
   * words.encode('hello world'); // [1, 2]
   * ```
   */
  encode(text: string, options?: Omit<CallOptions, 'text_pair' | 'return_tensor'> & { text_pair?: string | null | undefined }): number[] {
    const { input_ids } = this._call(text, { ...options, return_tensor: false, return_overflowing_tokens: false });
    return input_ids as number[];
  }

  /**
   * The tokens of a text, as the vocabulary spells them.
   *
   * @example
   * ```ts
   * words.tokenize('hello world'); // ['hello', 'world']
   * ```
   */
  tokenize(text: string, options: TokenizeOptions = {}): string[] {
    checkOptionNames(options, TOKENIZE_OPTIONS);
    const { pair, add_special_tokens = false } = options;
    return spellTokens(this.#parts, text, pair, add_special_tokens);
  }

  /**
   * The text of ids: a list, a typed array, or a tensor with one row.
   *
   * @example
   * ```ts
   * words.decode([1, 2]); // 'hello world'
   * ```
   */
  decode(ids: TokenIds, options: DecodeOptions = {}): string {
    checkOptionNames(options, DECODE_OPTIONS);
    return decodeIds(this.#parts, ids, options);
  }

  /**
   * The texts of several lists of ids, or of the rows of a tensor.
   *
   * @example
   * ```ts
   * words.batch_decode([[1], [1, 2]]); // ['hello', 'hello world']
   * ```
   */
  batch_decode(rows: readonly TokenIds[] | TokenIds, options?: DecodeOptions): string[] {
    return rowsIn(rows).map((row) => this.decode(row, options));
  }

  /**
   * The id of a token, or of each token; the unknown token's id for a token that does not exist.
   *
   * @example
   * ```ts
   * words.convert_tokens_to_ids('world'); // 2
   * ```
   */
  convert_tokens_to_ids(tokens: string): number | undefined;
  convert_tokens_to_ids(tokens: readonly string[]): (number | undefined)[];
  convert_tokens_to_ids(tokens: string | readonly string[]): number | undefined | (number | undefined)[] {
    const { ids } = this.#parts.names();
    const idOf = (token: string) => ids.get(token) ?? this.unk_token_id;
    return typeof tokens === 'string' ? idOf(tokens) : tokens.map(idOf);
  }

  /**
   * The token of an id, or of each, as the vocabulary spells it.
   *
   * @example
   * ```ts
   * words.convert_ids_to_tokens(2); // 'world'
   * ```
   */
  convert_ids_to_tokens(ids: number): string | undefined;
  convert_ids_to_tokens(ids: readonly number[]): (string | undefined)[];
  convert_ids_to_tokens(ids: number | readonly number[]): string | undefined | (string | undefined)[] {
    const names = this.#parts.names();
    return typeof ids === 'number' ? names.nameOf(ids) : ids.map((id) => names.nameOf(id));
  }

  /**
   * All tokens and their ids.
   *
   * @example
   * ```ts
   * words.get_vocab().get('world'); // 2
   * ```
   */
  get_vocab(): Map<string, number> {
    return new Map(this.#parts.names().ids);
  }

  /**
   * The number of ids that `add_special_tokens` adds.
   *
   * @example
   * ```ts
   * words.num_special_tokens_to_add(); // 0
   * ```
   */
  num_special_tokens_to_add(pair = false): number {
    return countAdded(this.#parts, pair);
  }

  /**
   * Renders a chat, or several, with the model's template, and encodes it.
   *
   * @example
   * ```ts
   * const chat_template = '{{ messages[0].content }}';
   * const chats = await AutoTokenizer.from_pretrained({ 'tokenizer.json': file }, { chat_template });
   * chats.apply_chat_template([{ role: 'user', content: 'hello' }], { return_dict: false }); // [1]
   * ```
   */
  apply_chat_template<Options extends ApplyChatTemplateOptions = ApplyChatTemplateOptions>(
    conversation: readonly Readonly<Record<string, unknown>>[] | readonly (readonly Readonly<Record<string, unknown>>[])[],
    options?: Options,
  ): Options extends { tokenize: false }
    ? string
    : Options extends { return_dict: false }
      ? Item<string, Options, Tensor>
      : Encoded<string, Options, Tensor>;
  apply_chat_template(
    conversation: readonly Readonly<Record<string, unknown>>[] | readonly (readonly Readonly<Record<string, unknown>>[])[],
    options: ApplyChatTemplateOptions = {},
  ): unknown {
    return applyTemplate(this.#parts, this, conversation, options);
  }
}
