/**
 * The class behind every module of the drop-in: gpt-tokenizer's API on our tokenizers. Its methods are bound, so they
 * can be destructured. The first call that needs a vocabulary opens it. In a browser the vocabulary is part of
 * `…/encoding/NAME`, `…/model/NAME` or `…/resolveEncoding`, or of `crayon-tokenizer/inline/NAME`.
 *
 * @module crayon-tokenizer/gpt-tokenizer/GptEncoding
 */

import { atCaller, fromCaller, TokenizerError, unexpected } from '../../base/errors.js';
import type { EncodingName } from '../../vocabularies/models.js';
import { plainArray } from '../../base/typed-arrays.js';
import { decode } from '../../api/decode-ids.js';
import { count, encode } from '../../api/encode-texts.js';
import { type ChatCompletionRequest, requestTokens } from './chat-completion.js';
import { type ChatMessage, chatMl, chatParametersOf, type ChatPart, type EncodeChatOptions, harmony } from './chat-format.js';
import { countUpTo, encodeChunks } from './chunks.js';
import { EndOfPrompt, EndOfText, FimMiddle, FimPrefix, FimSuffix, ImEnd, ImStart } from './constants.js';
import { callsFunctions, costOf, encodingOf, type ModelName } from './model-specs.js';
import type { ModelSpec, PriceData } from './model-types.js';
import { checkRanks, type GetMergeableRanks } from './gpt-ranks.js';
import { type EncodeOptions, mayHoldSpecial, partsOf, type SpecialRule, specialRule } from './special-tokens.js';
import {
  encodingNamed,
  idsOf,
  type OpenEncoding,
  openEncoding,
  sizeOf,
  TextAssembler,
  textOfToken,
  textOfTokens,
  unknownToken,
} from './open-encoding.js';

// The types that come with every encoding and model.
export type {
  ChatCompletionArrayProperty,
  ChatCompletionBooleanProperty,
  ChatCompletionFunctionCallOption,
  ChatCompletionFunctionDefinition,
  ChatCompletionFunctionParameters,
  ChatCompletionFunctionProperty,
  ChatCompletionFunctionType,
  ChatCompletionNullProperty,
  ChatCompletionNumberProperty,
  ChatCompletionObjectProperty,
  ChatCompletionRequest,
  ChatCompletionStringProperty,
} from './chat-completion.js';
export type { ChatMessage, ChatMessageFunctionCall, EncodeChatOptions, HarmonyTerminator } from './chat-format.js';
export type { EncodingName } from '../../vocabularies/models.js';
export type { ModelName } from './model-specs.js';
export type { ModelSpec, PriceData } from './model-types.js';
export type { EncodeOptions } from './special-tokens.js';

/**
 * An encoding, or a model's encoding with the model's data. Its methods are bound and can be destructured. Examples without imports
 * continue this one; every encoding and model also exports the methods as functions.
 *
 * @example
 * ```ts
 * import { GptEncoding } from 'crayon-tokenizer/gpt-tokenizer/GptEncoding';
 *
 * const api = GptEncoding.getEncodingApi('o200k_base');
 * const { decode, encode } = api;
 * decode(encode('hello world')); // 'hello world'
 * ```
 */
export class GptEncoding {
  /** Ends a prompt. */
  static readonly EndOfPrompt = EndOfPrompt;
  /** Ends a text. */
  static readonly EndOfText = EndOfText;
  /** Begins the part to be filled in. */
  static readonly FimMiddle = FimMiddle;
  /** Begins the prefix. */
  static readonly FimPrefix = FimPrefix;
  /** Begins the suffix. */
  static readonly FimSuffix = FimSuffix;

  readonly #encoding: EncodingName;
  /** The model; undefined for an encoding without a model. */
  readonly modelName: ModelName | undefined;
  /** The model's data. */
  readonly modelSpec: ModelSpec | undefined;
  /** The number of tokens in the vocabulary, special tokens included. */
  readonly vocabularySize: number;

  /**
   * Estimates the tokens of a chat request with its functions. Only on models that call functions.
   *
   * @example
   * ```ts
   * import gpt4o from 'crayon-tokenizer/gpt-tokenizer/model/gpt-4o';
   *
   * gpt4o.countChatCompletionTokens?.({ messages: [{ role: 'user', content: 'hello' }] }); // 8
   * ```
   */
  readonly countChatCompletionTokens?: (request: ChatCompletionRequest) => number;

  private constructor(encoding: EncodingName, modelName?: ModelName, modelSpec?: ModelSpec) {
    this.#encoding = encoding;
    this.modelName = modelName;
    this.modelSpec = modelSpec;
    this.vocabularySize = sizeOf(encoding);
    if (callsFunctions(modelSpec)) {
      const countChatCompletionTokens = (request: ChatCompletionRequest) =>
        atCaller(countChatCompletionTokens, () => requestTokens(request, (text) => count(this.#open.vocabulary, text)));
      this.countChatCompletionTokens = countChatCompletionTokens;
    }
  }

  /**
   * The API for an encoding. `getMergeableRanks` is accepted for compatibility: the vocabulary is always the
   * encoding's, and other ranks cause a TypeError.
   *
   * @example
   * ```ts
   * GptEncoding.getEncodingApi('cl100k_base').encode('hello world'); // [15339, 1917]
   * ```
   */
  static getEncodingApi(encodingName: EncodingName, getMergeableRanks?: GetMergeableRanks): GptEncoding {
    return atCaller(GptEncoding.getEncodingApi, () => {
      const encoding = encodingNamed(encodingName);
      checkRanks(encoding, getMergeableRanks);
      return new GptEncoding(encoding);
    });
  }

  /**
   * The API for a model. `estimateCost` and `countChatCompletionTokens` use `modelSpec`.
   *
   * @example
   * ```ts
   * import { GptEncoding } from 'crayon-tokenizer/gpt-tokenizer/GptEncoding';
   * import * as models from 'crayon-tokenizer/gpt-tokenizer/models';
   *
   * const api = GptEncoding.getEncodingApiForModel('gpt-4o', undefined, models['gpt-4o']);
   * api.countTokens([{ role: 'user', content: 'hello' }]); // 8
   * ```
   */
  static getEncodingApiForModel(modelName: ModelName, getMergeableRanks?: GetMergeableRanks, modelSpec?: ModelSpec): GptEncoding {
    return atCaller(GptEncoding.getEncodingApiForModel, () => {
      const encoding = encodingOf(modelName);
      checkRanks(encoding, getMergeableRanks);
      return new GptEncoding(encoding, modelName, modelSpec);
    });
  }

  /**
   * The token ids of a text. Throws if it contains a disallowed special token.
   *
   * @example
   * ```ts
   * api.encode('hello world'); // [24912, 2375]
   * api.encode('hello<|endoftext|>', { allowedSpecial: new Set([GptEncoding.EndOfText]) }); // [24912, 199999]
   * ```
   */
  readonly encode = (text: string, options?: EncodeOptions): number[] =>
    atCaller(this.encode, () => this.#encode(text, specialRule(options)));

  /**
   * The same in chunks of one token or, if a character takes several, of as few as hold whole characters. A long text
   * is encoded only as far as the generator is read.
   *
   * @example
   * ```ts
   * [...api.encodeGenerator('hello world')]; // [[24912], [2375]]
   * ```
   */
  readonly encodeGenerator = (text: string, options?: EncodeOptions): Generator<number[], number, undefined> =>
    atCaller(this.encodeGenerator, () => encodeChunks(this.#open, this.#parts(text, specialRule(options))));

  /**
   * The token ids of a chat, for the given chat model or the module's.
   *
   * @example
   * ```ts
   * import { encodeChat } from 'crayon-tokenizer/gpt-tokenizer/model/gpt-4o';
   *
   * encodeChat([{ role: 'user', content: 'hello' }]); // [200003, 1428, 200005, 24912, 200004, 200003, 173781, 200005]
   * ```
   */
  readonly encodeChat = (
    chat: readonly ChatMessage[],
    model: ModelName | undefined = this.modelName,
    options?: EncodeOptions & EncodeChatOptions,
  ): number[] =>
    atCaller(this.encodeChat, () => [...this.#chatChunks(chat, model, options, (text, rule) => [this.#encode(text, rule)])].flat());

  /**
   * The same in chunks, for messages from any iterable.
   *
   * @example
   * ```ts
   * const chunks = api.encodeChatGenerator([{ role: 'user', content: 'hello' }], 'gpt-4o');
   * [...chunks].flat(); // [200003, 1428, 200005, 24912, 200004, 200003, 173781, 200005]
   * ```
   */
  readonly encodeChatGenerator = (
    chat: Iterable<ChatMessage>,
    model: ModelName | undefined = this.modelName,
    options?: EncodeOptions & EncodeChatOptions,
  ): Generator<number[], void, undefined> =>
    this.#chatChunks(chat, model, options, (text, rule) => encodeChunks(this.#open, this.#parts(text, rule)));

  /**
   * The number of tokens of a text or chat.
   *
   * @example
   * ```ts
   * api.countTokens('hello world'); // 2
   * ```
   */
  readonly countTokens = (input: string | Iterable<ChatMessage>, options?: EncodeOptions & EncodeChatOptions): number =>
    atCaller(this.countTokens, () => this.#countUpTo(input, Number.POSITIVE_INFINITY, options));

  /**
   * The number of tokens of a text or chat, or false if it exceeds `tokenLimit`. Stops counting at that point.
   *
   * @example
   * ```ts
   * api.isWithinTokenLimit('hello world', 10); // 2
   * api.isWithinTokenLimit('hello world', 1); // false
   * ```
   */
  readonly isWithinTokenLimit = (
    input: string | Iterable<ChatMessage>,
    tokenLimit: number,
    options?: EncodeOptions & EncodeChatOptions,
  ): false | number =>
    atCaller(this.isWithinTokenLimit, () => {
      const count = this.#countUpTo(input, tokenLimit, options);
      // An empty input is within every limit, and a limit that is not a number allows everything.
      return count > 0 && count > tokenLimit ? false : count;
    });

  /**
   * The text of the given ids. Throws for an id without a token.
   *
   * @example
   * ```ts
   * api.decode([24912, 2375]); // 'hello world'
   * ```
   */
  readonly decode = (tokens: Iterable<number>): string => atCaller(this.decode, () => this.#decode(idsOf(tokens)));

  /**
   * The same, with each token's text as soon as its characters are complete. Unknown ids are skipped.
   *
   * @example
   * ```ts
   * [...api.decodeGenerator([24912, 2375])]; // ['hello', ' world']
   * ```
   */
  readonly decodeGenerator = (tokens: Iterable<number>): Generator<string, void, void> => this.#decodeChunks(tokens);

  /**
   * The same for tokens that arrive over time.
   *
   * @example
   * ```ts
   * async function* tokens() {
   *   yield 24912;
   *   yield 2375;
   * }
   * for await (const text of api.decodeAsyncGenerator(tokens())) text.length > 4; // true
   * ```
   */
  readonly decodeAsyncGenerator = (tokens: AsyncIterable<number>): AsyncGenerator<string, void> => this.#decodeAsyncChunks(tokens);

  /**
   * The text of tokens that arrive over time.
   *
   * @example
   * ```ts
   * import gpt4o from 'crayon-tokenizer/gpt-tokenizer/model/gpt-4o';
   *
   * async function* tokens() {
   *   yield 24912;
   *   yield 2375;
   * }
   * await gpt4o.decodeAsync(tokens()); // 'hello world'
   * ```
   */
  readonly decodeAsync = async (tokens: AsyncIterable<number>): Promise<string> => {
    let text = '';
    checkStream(tokens, this.decodeAsync);
    for await (const part of this.#decodeAsyncChunks(tokens)) text += part;
    return text;
  };

  /**
   * The cost of tokens in US dollars, at the prices of the given model or the module's. The modules' prices come
   * unchecked from gpt-tokenizer 4.0.0: many models share one entry there, and prices change. Pass your own if the cost
   * matters.
   *
   * @example
   * ```ts
   * import gpt4o, { estimateCost } from 'crayon-tokenizer/gpt-tokenizer/model/gpt-4o';
   *
   * const prices = { main: { input: 2.5, output: 10 } };
   * estimateCost(1_000_000, { ...gpt4o.modelSpec!, price_data: prices }).main?.input; // 2.5
   * ```
   */
  readonly estimateCost = (tokenCount: number, modelSpec: ModelSpec | undefined = this.modelSpec): PriceData =>
    atCaller(this.estimateCost, () => costOf(tokenCount, modelSpec));

  /**
   * Does nothing: there is no cache to configure.
   *
   * @example
   * ```ts
   * api.setMergeCacheSize(1000); // undefined
   * ```
   */
  readonly setMergeCacheSize = (_size: number): void => {};

  /**
   * Does nothing: there is no cache to clear.
   *
   * @example
   * ```ts
   * api.clearMergeCache(); // undefined
   * ```
   */
  readonly clearMergeCache = (): void => {};

  get #open(): OpenEncoding {
    return openEncoding(this.#encoding);
  }

  /** A text in its parts, in order. */
  #parts(text: string, rule: SpecialRule): (string | number)[] {
    if (typeof text !== 'string') throw unexpected('a string', 'text', text);
    if (text === '') return [];
    return mayHoldSpecial(text) ? partsOf(text, this.#open.specialIds, rule) : [text];
  }

  #encode(text: string, rule: SpecialRule): number[] {
    const { vocabulary } = this.#open;
    if (typeof text === 'string' && !mayHoldSpecial(text)) return plainArray(encode(vocabulary, text));
    const ids: number[] = [];
    for (const part of this.#parts(text, rule)) {
      if (typeof part === 'number') ids.push(part);
      else for (const id of encode(vocabulary, part)) ids.push(id);
    }
    return ids;
  }

  /** The number of tokens; above `limit`, any number greater than it. */
  #countUpTo(input: string | Iterable<ChatMessage>, limit: number, options: (EncodeOptions & EncodeChatOptions) | undefined): number {
    if (typeof input === 'string') return this.#countParts(this.#parts(input, specialRule(options)), limit);
    const rule = specialRule(options);
    let count = 0;
    for (const part of this.#chatParts(input, this.modelName, options)) {
      if ('special' in part) count += 1;
      else if ('header' in part) count += this.#countParts(this.#parts(part.header, specialRule(undefined)), Infinity);
      else count += this.#countParts(this.#parts(part.content, rule), limit - count);
      if (count > limit) break;
    }
    return count;
  }

  #countParts(parts: (string | number)[], limit: number): number {
    let count = 0;
    for (const part of parts) {
      count += typeof part === 'number' ? 1 : countUpTo(this.#open, part, limit - count);
      if (count > limit) break;
    }
    return count;
  }

  /** The sequence of parts of a chat, in a model's format. */
  #chatParts(chat: Iterable<ChatMessage>, model: ModelName | undefined, options: EncodeChatOptions | undefined): Iterable<ChatPart> {
    if (!model) throw new Error('Model name must be provided either during initialization or passed in to the method.');
    const parameters = chatParametersOf(model);
    if (!parameters) throw new Error(`Model '${model}' does not support chat.`);
    if (typeof chat !== 'object' || chat === null || !(Symbol.iterator in chat)) {
      throw unexpected('an iterable of messages', 'chat', chat);
    }
    const prime = options?.primeWithAssistantResponse ?? 'assistant';
    if (this.#encoding === 'o200k_harmony') return harmony(chat, prime);
    const { specialIds } = this.#open;
    if (!specialIds.has(ImStart) || !specialIds.has(ImEnd)) throw new Error(`Model '${model}' does not support chat.`);
    return chatMl(chat, parameters, prime);
  }

  *#chatChunks(
    chat: Iterable<ChatMessage>,
    model: ModelName | undefined,
    options: (EncodeOptions & EncodeChatOptions) | undefined,
    encodeContent: (text: string, rule: SpecialRule) => Iterable<number[]>,
  ): Generator<number[], void, undefined> {
    let rule: SpecialRule;
    let parts: Iterable<ChatPart>;
    try {
      rule = specialRule(options);
      parts = this.#chatParts(chat, model, options);
    } catch (error) {
      throw fromCaller(error, this.#chatChunks);
    }
    for (const part of parts) {
      if ('special' in part) yield [this.#open.specialIds.get(part.special) as number];
      else if ('header' in part) yield this.#encode(part.header, specialRule(undefined));
      else yield* encodeContent(part.content, rule);
    }
  }

  #decode(ids: Uint32Array): string {
    const opened = this.#open;
    const { vocabulary, added, firstAdded } = opened;
    for (let index = 0; index < ids.length; index++) {
      const id = ids[index] as number;
      if (id >= firstAdded && added.has(id)) return textOfTokens(opened, ids);
    }
    try {
      return decode(vocabulary, ids);
    } catch (error) {
      if (!(error instanceof TokenizerError) || error.code !== 'INVALID_ID') throw error;
      throw unknownToken(ids[error.position], error.position);
    }
  }

  *#decodeChunks(tokens: Iterable<number>): Generator<string, void, void> {
    if (typeof (tokens as Partial<Iterable<number>> | null)?.[Symbol.iterator] !== 'function') {
      throw fromCaller(unexpected('an iterable of token ids', 'tokens', tokens), this.#decodeChunks);
    }
    const opened = this.#open;
    const assembler = new TextAssembler();
    for (const token of tokens) {
      const text = assembler.add(textOfToken(opened, token));
      if (text !== '') yield text;
    }
    const rest = assembler.end();
    if (rest !== '') yield rest;
  }

  async *#decodeAsyncChunks(tokens: AsyncIterable<number>): AsyncGenerator<string, void> {
    checkStream(tokens, this.#decodeAsyncChunks);
    const opened = this.#open;
    const assembler = new TextAssembler();
    for await (const token of tokens) {
      const text = assembler.add(textOfToken(opened, token));
      if (text !== '') yield text;
    }
    const rest = assembler.end();
    if (rest !== '') yield rest;
  }
}

/** Synchronous iterables work too: `for await` takes both. */
function checkStream(tokens: unknown, entry: (tokens: never) => unknown): void {
  const stream = tokens as Partial<AsyncIterable<number> & Iterable<number>> | null | undefined;
  if (typeof (stream?.[Symbol.asyncIterator] ?? stream?.[Symbol.iterator]) === 'function') return;
  throw fromCaller(unexpected('an async iterable of token ids', 'tokens', tokens), entry);
}
