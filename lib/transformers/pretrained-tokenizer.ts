// A tokenizer in the shape of transformers.js, with what Python's has and it lacks.

import type { Tokenizer } from '../tokenizer/tokenizer.js';
import { type Chat, chatRequest } from '../tokenizer/chat.js';
import { TokenizerError, unexpected } from '../base/errors.js';
import { hasBoth, type Piece, type Templates } from '../vocabulary/pieces.js';
import { Callable } from './callable.js';
import { type CallOptions, type Fit, fitOf } from './call-options.js';
import { cleanedUp } from './clean-up.js';
import type { ApplyChatTemplateOptions, DecodeOptions, Encoded, Item, TokenizeOptions } from './options.js';
import type { Role, Settings } from './config.js';
import { listsOf, type TensorClass, tensorsOf } from './encoded.js';
import { idsOf, rowsIn, type TokenIds } from './ids.js';
import { type Column, lengthOf, type Padded, type Row, rowsOf, type Tokens } from './rows.js';
import type { TokenNames } from './token-names.js';
import { type Side, truncated, whole } from './truncation.js';

/** What a tokenizer is made of. */
export interface Parts<Tensor> {
  tokenizer: Tokenizer;
  templates: Templates;
  settings: Settings;
  names: TokenNames;
  /** Undefined if the model has no template for chats. */
  chat: Chat | undefined;
  Tensor: TensorClass<Tensor> | undefined;
}

type Call<Tensor> = <Text extends string | readonly string[], Options extends CallOptions = CallOptions>(
  text: Text,
  options?: Options,
) => Encoded<Text, Options, Tensor>;

export interface PreTrainedTokenizer<Tensor = never> extends Call<Tensor> {}

/**
 * A model's tokenizer, which is also a function: `tokenizer(text, options)` is `tokenizer._call(text, options)`.
 *
 * @example
 * ```ts
 * import { AutoTokenizer } from 'crayon-tokenizer/transformers';
 *
 * const vocab = { '[UNK]': 0, hello: 1, world: 2 };
 * const tokenizer = await AutoTokenizer.from_pretrained({
 *   'tokenizer.json': { model: { type: 'WordLevel', unk_token: '[UNK]', vocab }, pre_tokenizer: { type: 'Whitespace' } },
 * });
 * tokenizer('hello world').input_ids; // [1, 2]
 * tokenizer.tokenize('hello you'); // ['hello', '[UNK]']
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
  /** The texts of all special tokens. */
  readonly all_special_tokens: string[];
  readonly all_special_ids: number[];

  readonly #parts: Parts<Tensor>;

  /** @internal */
  constructor(parts: Parts<Tensor>) {
    super();
    const { tokenizer, settings } = parts;
    this.#parts = parts;
    for (const [role, token] of Object.entries(settings.roles) as [Role, string | undefined][]) {
      if (token === undefined) continue;
      this[role] = token;
      this[`${role}_id`] = tokenizer.idOf(token);
    }
    this.padding_side = settings.paddingSide;
    this.truncation_side = settings.truncationSide;
    this.model_max_length = settings.maxLength;
    this.return_token_type_ids = settings.returnsTypeIds;
    this.all_special_tokens = [...tokenizer.specialTokens.keys()];
    this.all_special_ids = [...tokenizer.specialTokens.values()];
  }

  /**
   * The engine under it: streams, splitting, counting and everything else that `Tokenizer` has.
   *
   * @example
   * ```ts
   * import { AutoTokenizer } from 'crayon-tokenizer/transformers';
   *
   * const model = { type: 'WordLevel', unk_token: '[PAD]', vocab: { '[PAD]': 0, hello: 1, world: 2 } };
   * const file = { model, pre_tokenizer: { type: 'Whitespace' } };
   * const words = await AutoTokenizer.from_pretrained({ 'tokenizer.json': file });
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
   * import { AutoTokenizer } from 'crayon-tokenizer/transformers';
   *
   * const model = { type: 'WordLevel', unk_token: '[PAD]', vocab: { '[PAD]': 0, hello: 1, world: 2 } };
   * const file = { model, pre_tokenizer: { type: 'Whitespace' } };
   * const words = await AutoTokenizer.from_pretrained({ 'tokenizer.json': file });
   * words._call(['hello', 'hello world'], { padding: true }).input_ids; // [[1, 0], [1, 2]]
   * ```
   */
  _call<Text extends string | readonly string[], Options extends CallOptions = CallOptions>(
    text: Text,
    options?: Options,
  ): Encoded<Text, Options, Tensor> {
    const given: CallOptions = options ?? {};
    const { tokenizer, settings, Tensor } = this.#parts;
    const { texts, pairs } = checkedTexts(text, given.text_pair ?? undefined);
    const returnTensor = given.return_tensor ?? Tensor !== undefined;
    if (returnTensor && !Tensor) {
      throw new TypeError('return_tensor is true but no class of tensors is known; pass yours to from_pretrained(source, { Tensor })');
    }
    if ((given as { is_split_into_words?: unknown }).is_split_into_words)
      throw new TypeError('is_split_into_words is not supported: join the words');
    const overflows = given.return_overflowing_tokens === true;
    const withOffsets = given.return_offsets_mapping === true;
    const fit = fitOf(given, { ...settings, maxLength: this.model_max_length }, this.padding_side);
    const special = (given.split_special_tokens ?? settings.splitsSpecialTokens) ? 'text' : 'allow';
    const tokensOf = (all: readonly string[]): Tokens[] => {
      if (withOffsets) return all.map((each) => tokenizer.encodeWithOffsets(each, { special }));
      if (all.length === 1) return [{ ids: tokenizer.encode(all[0] as string, { special }) }];
      return [...tokenizer.encodeBatch(all, { special })].map((ids) => ({ ids }));
    };
    const firsts = tokensOf(texts);
    const seconds = pairs && tokensOf(pairs);
    const pieces = this.#pieces(pairs !== undefined, given.add_special_tokens !== false);
    const rows: Row[] = [];
    const samples: number[] = [];
    firsts.forEach((first, index) => {
      const second = seconds?.[index];
      const made = this.#rows(second ? [first, second] : [first], pieces, fit, overflows);
      rows.push(...made);
      for (const _ of made) samples.push(index);
    });
    const padded = this.#padded(rows, fit);
    const columns: Column[] = ['input_ids'];
    if (given.return_attention_mask !== false) columns.push('attention_mask');
    if (given.return_token_type_ids ?? this.return_token_type_ids) columns.push('token_type_ids');
    if (given.return_special_tokens_mask) columns.push('special_tokens_mask');
    if (withOffsets) columns.push('offset_mapping');
    const result: Record<string, unknown> = returnTensor
      ? tensorsOf(Tensor as TensorClass, rows, columns, padded)
      : listsOf(rows, columns, padded);
    if (overflows) {
      const Made = Tensor as TensorClass;
      result.overflow_to_sample_mapping = returnTensor ? new Made('int64', BigInt64Array.from(samples, BigInt), [samples.length]) : samples;
    } else if (!returnTensor && typeof text === 'string') for (const column of columns) result[column] = (result[column] as unknown[])[0];
    return result as unknown as Encoded<Text, Options, Tensor>;
  }

  /**
   * The ids of a text, or of two.
   *
   * @example
   * ```ts
   * import { AutoTokenizer } from 'crayon-tokenizer/transformers';
   *
   * const model = { type: 'WordLevel', unk_token: '[PAD]', vocab: { '[PAD]': 0, hello: 1, world: 2 } };
   * const file = { model, pre_tokenizer: { type: 'Whitespace' } };
   * const words = await AutoTokenizer.from_pretrained({ 'tokenizer.json': file });
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
   * import { AutoTokenizer } from 'crayon-tokenizer/transformers';
   *
   * const model = { type: 'WordLevel', unk_token: '[PAD]', vocab: { '[PAD]': 0, hello: 1, world: 2 } };
   * const file = { model, pre_tokenizer: { type: 'Whitespace' } };
   * const words = await AutoTokenizer.from_pretrained({ 'tokenizer.json': file });
   * words.tokenize('hello world'); // ['hello', 'world']
   * ```
   */
  tokenize(text: string, options?: TokenizeOptions): string[] {
    const { pair, add_special_tokens = false } = options ?? {};
    const called = {
      text_pair: pair,
      add_special_tokens,
      return_tensor: false,
      return_offsets_mapping: true,
      return_special_tokens_mask: true,
    } as const;
    const { input_ids, offset_mapping = [], special_tokens_mask = [] } = this._call(text, called);
    const firsts = this.encode(text, { add_special_tokens: false }).length;
    // A special token that the normalizer changes is spelled as it is found.
    const found = new Map(this.all_special_ids.map((id, index) => [id, this.all_special_tokens[index]]));
    const unknown = this.#parts.tokenizer.modelKind === 'unigram' ? this.#parts.tokenizer.unkTokenId : undefined;
    let own = 0;
    return (input_ids as number[]).map((id, index) => {
      const source = special_tokens_mask[index] ? undefined : own++ < firsts ? text : pair;
      const [start, end] = offset_mapping[index] ?? [0, 0];
      // Unigram spells what is unknown as it is in the text.
      if (id === unknown && source && end > start) return source.slice(start, end);
      return found.get(id) ?? this.convert_ids_to_tokens(id) ?? '';
    });
  }

  /**
   * The text of ids: a list, a typed array, or a tensor with one row.
   *
   * @example
   * ```ts
   * import { AutoTokenizer } from 'crayon-tokenizer/transformers';
   *
   * const model = { type: 'WordLevel', unk_token: '[PAD]', vocab: { '[PAD]': 0, hello: 1, world: 2 } };
   * const file = { model, pre_tokenizer: { type: 'Whitespace' } };
   * const words = await AutoTokenizer.from_pretrained({ 'tokenizer.json': file });
   * words.decode([1, 2]); // 'hello world'
   * ```
   */
  decode(ids: TokenIds, options?: DecodeOptions): string {
    const { tokenizer, settings } = this.#parts;
    const text = tokenizer.decode(idsOf(ids), { skipSpecialTokens: options?.skip_special_tokens === true });
    const cleans = options?.clean_up_tokenization_spaces ?? settings.cleansUp;
    // What cleaning takes from BPE is text: Python ignores the option, too.
    return cleans && tokenizer.modelKind !== 'bpe' ? cleanedUp(text) : text;
  }

  /**
   * The texts of several lists of ids, or of the rows of a tensor.
   *
   * @example
   * ```ts
   * import { AutoTokenizer } from 'crayon-tokenizer/transformers';
   *
   * const model = { type: 'WordLevel', unk_token: '[PAD]', vocab: { '[PAD]': 0, hello: 1, world: 2 } };
   * const file = { model, pre_tokenizer: { type: 'Whitespace' } };
   * const words = await AutoTokenizer.from_pretrained({ 'tokenizer.json': file });
   * words.batch_decode([[1], [1, 2]]); // ['hello', 'hello world']
   * ```
   */
  batch_decode(rows: readonly TokenIds[] | TokenIds, options?: DecodeOptions): string[] {
    return rowsIn(rows).map((row) => this.decode(row, options));
  }

  /**
   * The id of a token, or of each; that of the unknown token where there is none.
   *
   * @example
   * ```ts
   * import { AutoTokenizer } from 'crayon-tokenizer/transformers';
   *
   * const model = { type: 'WordLevel', unk_token: '[PAD]', vocab: { '[PAD]': 0, hello: 1, world: 2 } };
   * const file = { model, pre_tokenizer: { type: 'Whitespace' } };
   * const words = await AutoTokenizer.from_pretrained({ 'tokenizer.json': file });
   * words.convert_tokens_to_ids('world'); // 2
   * ```
   */
  convert_tokens_to_ids(tokens: string): number | undefined;
  convert_tokens_to_ids(tokens: readonly string[]): (number | undefined)[];
  convert_tokens_to_ids(tokens: string | readonly string[]): number | undefined | (number | undefined)[] {
    const { ids } = this.#parts.names;
    const idOf = (token: string) => ids.get(token) ?? this.unk_token_id;
    return typeof tokens === 'string' ? idOf(tokens) : tokens.map(idOf);
  }

  /**
   * The token of an id, or of each, as the vocabulary spells it.
   *
   * @example
   * ```ts
   * import { AutoTokenizer } from 'crayon-tokenizer/transformers';
   *
   * const model = { type: 'WordLevel', unk_token: '[PAD]', vocab: { '[PAD]': 0, hello: 1, world: 2 } };
   * const file = { model, pre_tokenizer: { type: 'Whitespace' } };
   * const words = await AutoTokenizer.from_pretrained({ 'tokenizer.json': file });
   * words.convert_ids_to_tokens(2); // 'world'
   * ```
   */
  convert_ids_to_tokens(ids: number): string | undefined;
  convert_ids_to_tokens(ids: readonly number[]): (string | undefined)[];
  convert_ids_to_tokens(ids: number | readonly number[]): string | undefined | (string | undefined)[] {
    const { names } = this.#parts;
    return typeof ids === 'number' ? names.nameOf(ids) : ids.map((id) => names.nameOf(id));
  }

  /**
   * All tokens and their ids.
   *
   * @example
   * ```ts
   * import { AutoTokenizer } from 'crayon-tokenizer/transformers';
   *
   * const model = { type: 'WordLevel', unk_token: '[PAD]', vocab: { '[PAD]': 0, hello: 1, world: 2 } };
   * const file = { model, pre_tokenizer: { type: 'Whitespace' } };
   * const words = await AutoTokenizer.from_pretrained({ 'tokenizer.json': file });
   * words.get_vocab().get('world'); // 2
   * ```
   */
  get_vocab(): Map<string, number> {
    return new Map(this.#parts.names.ids);
  }

  /**
   * The number of ids that `add_special_tokens` adds.
   *
   * @example
   * ```ts
   * import { AutoTokenizer } from 'crayon-tokenizer/transformers';
   *
   * const model = { type: 'WordLevel', unk_token: '[PAD]', vocab: { '[PAD]': 0, hello: 1, world: 2 } };
   * const file = { model, pre_tokenizer: { type: 'Whitespace' } };
   * const words = await AutoTokenizer.from_pretrained({ 'tokenizer.json': file });
   * words.num_special_tokens_to_add(); // 0
   * ```
   */
  num_special_tokens_to_add(pair = false): number {
    return addedBy(this.#pieces(pair, true));
  }

  /**
   * Renders a chat, or several, with the model's template, and encodes it.
   *
   * @example
   * ```ts
   * import { AutoTokenizer } from 'crayon-tokenizer/transformers';
   *
   * const model = { type: 'WordLevel', unk_token: '[PAD]', vocab: { '[PAD]': 0, hello: 1, world: 2 } };
   * const file = { model, pre_tokenizer: { type: 'Whitespace' } };
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
    const { tokenize = true, return_dict = true, padding, truncation, max_length, return_tensor, tokenizer_kwargs, ...rest } = options;
    const chat: ApplyChatTemplateOptions = rest;
    if (!Array.isArray(conversation)) throw unexpected('an array of messages', 'conversation', conversation);
    const isBatch = Array.isArray(conversation[0]);
    const render = (messages: unknown) => this.#render(messages, chat);
    const rendered = isBatch ? conversation.map(render) : render(conversation);
    if (tokenize === false) return rendered;
    const called = { add_special_tokens: false, padding, truncation: truncation ?? false, max_length, return_tensor, ...tokenizer_kwargs };
    const encoded = this._call(rendered as string, called);
    return return_dict === false ? encoded.input_ids : encoded;
  }

  #render(messages: unknown, options: ApplyChatTemplateOptions): string {
    const { tools, documents, chat_template, add_generation_prompt, continue_final_message, ...variables } = options;
    const { chat, settings } = this.#parts;
    if (!chat) {
      const message = 'the model has no chat template: pass one as from_pretrained(source, { chat_template })';
      throw new TokenizerError(message, { code: 'INVALID_TEMPLATE' });
    }
    const request = chatRequest(
      messages,
      {
        template: chat_template ?? undefined,
        tools: tools ?? undefined,
        documents: documents ?? undefined,
        addGenerationPrompt: add_generation_prompt ?? undefined,
        continueFinalMessage: continue_final_message ?? undefined,
        variables,
      },
      false,
    );
    const own = { templates: settings.templates, variables: settings.variables, problem: undefined };
    return chat.render(request, own, NO_SPECIAL_TOKENS);
  }

  #pieces(isPair: boolean, adds: boolean): readonly Piece[] {
    const pieces = isPair ? this.#parts.templates.pair : this.#parts.templates.single;
    if (isPair && !hasBoth(pieces)) {
      throw new TokenizerError('the model has no template for two texts', { code: 'INVALID_TEMPLATE' });
    }
    return adds ? pieces : pieces.filter((piece) => 'seq' in piece);
  }

  #rows(texts: readonly [Tokens, ...Tokens[]], pieces: readonly Piece[], { truncation }: Fit, overflows: boolean): Row[] {
    const [first, second] = texts;
    const lengths: [number, ...number[]] = second ? [first.ids.length, second.ids.length] : [first.ids.length];
    if (!truncation) return rowsOf(pieces, texts, lengths.map(whole), false);
    const { strategy, most, stride } = truncation;
    const added = addedBy(pieces);
    if (most < added) throw new RangeError(`expected a max_length of at least ${added}, the ids around texts, but received ${most}`);
    const spans = truncated(lengths, { most: most - added, strategy, stride, side: this.truncation_side });
    return rowsOf(pieces, texts, spans, overflows);
  }

  #padded(rows: readonly Row[], { padding }: Fit): Padded | undefined {
    if (!padding) return undefined;
    const id = this.pad_token_id;
    if (id === undefined) throw new TypeError('expected a pad token for padding: the model names none; set tokenizer.pad_token_id');
    const { multiple = 1, side } = padding;
    const longest = padding.length ?? rows.reduce((most, row) => Math.max(most, lengthOf(row)), 0);
    return { length: Math.ceil(longest / multiple) * multiple, side, id, type: this.#parts.settings.padTypeId };
  }
}

/** With them, texts would be harmony's where no template is. */
const NO_SPECIAL_TOKENS: ReadonlyMap<string, number> = new Map();

function addedBy(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, piece) => sum + ('ids' in piece ? piece.ids.length : 0), 0);
}

/** A text or a list of them, with as many in `pair`, if any. As in Python, an empty second text of a single one is none. */
function checkedTexts(text: unknown, pair: unknown): { texts: readonly string[]; pairs: readonly string[] | undefined } {
  if (typeof text === 'string') {
    if (pair !== undefined && typeof pair !== 'string') throw unexpected('a string, as text is one,', 'text_pair', pair);
    return { texts: [text], pairs: pair ? [pair] : undefined };
  }
  if (!Array.isArray(text)) throw unexpected('a string or an array of strings', 'text', text);
  if (text.length === 0) throw new RangeError('expected at least one text');
  checkStrings(text, 'text');
  if (pair === undefined) return { texts: text, pairs: undefined };
  if (!Array.isArray(pair)) throw unexpected('an array, as text is one,', 'text_pair', pair);
  if (pair.length !== text.length)
    throw new RangeError(`expected ${text.length} texts in text_pair, as in text, but received ${pair.length}`);
  checkStrings(pair, 'text_pair');
  return { texts: text, pairs: pair };
}

function checkStrings(list: readonly unknown[], name: string): void {
  const index = list.findIndex((each) => typeof each !== 'string');
  if (index >= 0) throw unexpected('a string', `${name}[${index}]`, list[index]);
}
