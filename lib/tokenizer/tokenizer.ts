// The public API. This folder uses no module of Node and no WebAssembly, and imports nothing outside it except types.
//
// The class is the same on every backend: it checks arguments, turns failures into errors that name them, and delegates
// the work to the engine.
//
// Users whose TypeScript knows no `Symbol.dispose` yet get it with the types of this file:
/// <reference lib="esnext.disposable" preserve="true" />

import {
  checkedFlag,
  checkedIdRows,
  type DecodeOptions,
  decodingOf,
  type DeviceDecodeOptions,
  type EncodeOptions,
  idArray,
  OFFSET_OPTIONS,
  type OffsetOptions,
  policyFor,
  policyOf,
  skipsSpecial,
  SPECIAL_AS_TEXT,
  specialOf,
  textBytes,
  type TokenIds,
  unitOf,
} from './arguments.js';
import { closedEngine } from '../engine/closed-engine.js';
import type { DeviceBatch } from '../engine/device-batch.js';
import { backendOf, checkHasDevices } from '../engine/devices.js';
import {
  BATCH_OPTIONS,
  type BatchOptions,
  COUNT_OPTIONS,
  jobOf,
  type PaddedBatchOptions,
  paddingOf,
  type ResidentBatchOptions,
  residentOf,
} from './async-options.js';
import type { BatchIds, BatchJob, EngineTokenizer, Policy, TokensWithOffsets } from '../engine/engine.js';
import { fromCaller, fromCallSite, TokenizerError } from '../base/errors.js';
import { failureInIds, failureInText } from './failures.js';
import {
  checkedLimit,
  checkedSide,
  checkedSplit,
  countWithin,
  cut,
  keepEnd,
  keepStart,
  limitsWithin,
  SPLIT_OPTIONS,
  type SplitOptions,
  splitParts,
  splitText,
  type TextPart,
  TRUNCATE_OPTIONS,
  type TruncateOptions,
} from './fitting.js';
import { decodedRows } from './device-decoding.js';
import { retireUnused } from '../engine/references.js';
import { inspectAs } from '../base/inspect.js';
import { countMessages } from './messages/count-messages.js';
import type { ChatMessage, CountMessagesOptions, MessageEstimate } from './messages/request.js';
import { type AnyPaddedBatch, type PaddedBatch, type Padding, type PadOptions, padRows } from '../engine/padding.js';
import type { partsAt } from './split/parts.js';
import type { checkedSeparators } from './split/separators.js';
import { decodeStream } from './streams/decode-stream.js';
import { type EncodedText, encodePipeline, type EncodeLater, type PipelineOptions, type PipelineText } from './streams/encode-pipeline.js';
import { encodeStream } from './streams/encode-stream.js';
import { StreamDecoder } from './streams/stream-decoder.js';
import { StreamEncoder } from './streams/stream-encoder.js';
import { checkedTexts, feedTexts, textAt, textCount, type TextRows, type Texts } from '../engine/text-rows.js';
import { type Template, templateOf } from './template.js';
import { TokenBatch } from './token-batch.js';
import { tokensOf, type VocabularyToken } from '../vocabulary/tokens.js';
import type { UnsharedBigInt64Array, UnsharedUint32Array, UnsharedUint8Array } from '../base/typed-arrays.js';
import { viewsLike } from '../base/views.js';
import { Vocabulary } from '../vocabulary/vocabulary.js';

/** As the engine decodes: a leading byte order mark is kept. */
const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** What a call for a batch asks for, checked. */
interface BatchCall {
  texts: Texts;
  policy: Policy;
  template: Template;
  job: BatchJob;
}

/**
 * What runs a tokenizer.
 *
 * @example
 * ```ts
 * const { kind, devices }: Backend = tokenizer.backend;
 * kind; // 'native'
 * devices; // ['cpu']
 * ```
 */
export interface Backend {
  /** The native addon, or WebAssembly. */
  readonly kind: 'native' | 'wasm';
  /** The SIMD kernel in use: `'avx512'`, `'avx2'`, `'ssse3'`, `'neon'`, `'simd128'` (WebAssembly) or `'scalar'`. */
  readonly kernel: string;
  /** Where batches of this vocabulary can run: `'cpu'`, and the accelerators that are there. Looked for when it is read. */
  readonly devices: readonly string[];
  /** Why they cannot run on others: what is not there, or has no kernels for the vocabulary. */
  readonly unavailable: Readonly<Record<string, string>>;
}

/** What `split` needs for separators. The drop-ins, which have no use for them, go without. */
interface Separating {
  checkedSeparators: typeof checkedSeparators;
  partsAt: typeof partsAt;
}

let separating: Separating | undefined;

/** Lets `split` take separators. */
export function useSeparators(module: Separating): void {
  separating = module;
}

let engineOf: (tokenizer: Tokenizer) => EngineTokenizer;
let vocabularyOf: (tokenizer: Tokenizer) => Vocabulary;
let exchangeEngine: (tokenizer: Tokenizer, engine: EngineTokenizer) => void;
let whyClosed: (tokenizer: Tokenizer) => string | undefined;
let retire: (tokenizer: Tokenizer, reason: string) => void;

/**
 * One vocabulary, open: text to token ids and back.
 *
 * It may be used until `close()`; after that every member but `close` throws a {@link TokenizerError} with the code
 * `CLOSED`. One that is no longer reachable is closed by the garbage collector.
 */
export class Tokenizer {
  #engine: EngineTokenizer;
  readonly #vocabulary: Vocabulary;
  /** Why it is closed; undefined if it is open. */
  #closed: string | undefined;

  static {
    engineOf = (tokenizer) => tokenizer.#engine;
    vocabularyOf = (tokenizer) => tokenizer.#vocabulary;
    exchangeEngine = (tokenizer, engine) => tokenizer.#exchange(engine);
    whyClosed = (tokenizer) => tokenizer.#closed;
    retire = (tokenizer, reason) => tokenizer.#retire(reason);
    inspectAs(
      Tokenizer.prototype,
      (tokenizer) => (tokenizer.#closed === undefined ? 'Tokenizer' : 'Tokenizer { closed }'),
      (tokenizer) => tokenizer.#shown(),
    );
  }

  /** @internal */
  constructor(engine: EngineTokenizer) {
    if (typeof engine?.encodeBytes !== 'function') {
      const message = 'expected Tokenizer.load() or Tokenizer.loadSync(), which open a vocabulary, instead of new';
      throw fromCaller(new TypeError(message), new.target);
    }
    this.#engine = engine;
    this.#vocabulary = new Vocabulary(engine);
  }

  /**
   * The name of the vocabulary.
   *
   * @example
   * ```ts
   * tokenizer.name; // 'o200k_base'
   * ```
   */
  get name(): string {
    return this.#ask('name', ({ description }) => description.name);
  }

  /**
   * The greatest id + 1, special tokens included.
   *
   * @example
   * ```ts
   * tokenizer.vocabularySize; // 200019
   * ```
   */
  get vocabularySize(): number {
    return this.#ask('vocabularySize', ({ description }) => description.vocabularySize);
  }

  /**
   * How pieces become ids: `'bpe'`; `'longest-match'`, the longest token at each position; `'wordpiece'`, the same in each word, of
   * which all is known or nothing; or `'unigram'`, the tokens with the greatest sum of scores.
   *
   * @example
   * ```ts
   * tokenizer.modelKind; // 'bpe'
   * ```
   */
  get modelKind(): string {
    return this.#ask('modelKind', ({ description }) => description.model);
  }

  /**
   * The id of a character at which no token of a longest-match vocabulary begins; undefined if there is none, so that
   * such a character is an error (`UNKNOWN_CHARACTER`). A vocabulary with a token for each byte knows every character.
   *
   * @example
   * ```ts
   * tokenizer.unknownId; // undefined
   * ```
   */
  get unknownId(): number | undefined {
    return this.#ask('unknownId', ({ description }) => description.unknownId);
  }

  /**
   * The special tokens and their ids, in ascending order of id. The map cannot be changed.
   *
   * @example
   * ```ts
   * [...tokenizer.specialTokens]; // [['<|endoftext|>', 199999], ['<|endofprompt|>', 200018]]
   * ```
   */
  get specialTokens(): ReadonlyMap<string, number> {
    return this.#ask('specialTokens', ({ specialTokens }) => specialTokens);
  }

  /**
   * The id of the token that begins a text; undefined if there is none. This one, `eosTokenId`, `padTokenId` and `unkTokenId` are
   * those that the model's `tokenizer_config.json` or `special_tokens_map.json` names, if it lies beside the `tokenizer.json` or is
   * passed; without these files, the ids that its post-processor puts before and after a text, if each is one. A `tekken.json`
   * has names for them: `<s>`, `</s>`, `<pad>` and `<unk>`.
   *
   * @example
   * ```ts
   * tokenizer.bosTokenId; // undefined
   * ```
   */
  get bosTokenId(): number | undefined {
    return this.#ask('bosTokenId', ({ roles }) => roles.bos);
  }

  /**
   * The id of the token that ends a text; undefined if there is none. That of the encodings of OpenAI is `<|endoftext|>`.
   *
   * @example
   * ```ts
   * tokenizer.eosTokenId; // 199999
   * ```
   */
  get eosTokenId(): number | undefined {
    return this.#ask('eosTokenId', ({ roles }) => roles.eos);
  }

  /**
   * The id of the token that fills up rows of a batch; undefined if there is none.
   *
   * @example
   * ```ts
   * tokenizer.padTokenId; // undefined
   * ```
   */
  get padTokenId(): number | undefined {
    return this.#ask('padTokenId', ({ roles }) => roles.pad);
  }

  /**
   * The id of the token for what is unknown; undefined if there is none. That of longest match is `unknownId`.
   *
   * @example
   * ```ts
   * tokenizer.unkTokenId; // undefined
   * ```
   */
  get unkTokenId(): number | undefined {
    return this.#ask('unkTokenId', ({ roles }) => roles.unk);
  }

  /**
   * What the cartridge says of itself: name, source, licence … The object is frozen. A cartridge whose metadata cannot be
   * read works in all other respects; asking for it is a `TokenizerError` (`CORRUPT_STRUCTURE`).
   *
   * @example
   * ```ts
   * tokenizer.metadata.licence; // 'MIT'
   * ```
   */
  get metadata(): Readonly<Record<string, unknown>> {
    return this.#ask('metadata', ({ metadata }) => metadata);
  }

  /**
   * What runs this tokenizer.
   *
   * @example
   * ```ts
   * tokenizer.backend.kind; // 'native'
   * ```
   */
  get backend(): Backend {
    const { kernel } = this.#ask('backend', ({ description }) => description);
    return backendOf(this.#engine.kind, kernel, this.#engine);
  }

  /**
   * The token ids of a text: a string, or bytes that are UTF-8 (other bytes are kept as they are and decode to the same
   * bytes). A lone surrogate is U+FFFD.
   *
   * The ids of a short text are a view of a larger buffer that other results share, as with `Buffer.from`. `ids.slice()`
   * makes a copy with a buffer of its own: to transfer it to another thread, to use `ids.buffer`, or to keep a few ids for
   * long without the memory around them.
   *
   * @example
   * ```ts
   * tokenizer.encode('hello world'); // Uint32Array [24912, 2375]
   * tokenizer.encode('<|endoftext|>', { special: 'allow' }); // Uint32Array [199999]
   * ```
   */
  encode(text: string | Uint8Array, options?: EncodeOptions): UnsharedUint32Array {
    try {
      if (typeof text === 'string') {
        if (options === undefined) return this.#engine.encode(text, SPECIAL_AS_TEXT);
        const policy = policyOf(options, this.#vocabulary);
        return templateOf(options, this.#vocabulary).around(this.#engine.encode(text, policy));
      }
      const policy = policyOf(options, this.#vocabulary);
      const template = templateOf(options, this.#vocabulary);
      return template.around(this.#engine.encodeBytes(textBytes(text, 'text'), policy));
    } catch (error) {
      throw fromCaller(failureInText(error, text, this.#vocabulary), Tokenizer.prototype.encode);
    }
  }

  /**
   * How many tokens a text has: the length of what `encode` returns, without the ids.
   *
   * @example
   * ```ts
   * tokenizer.count('hello world'); // 2
   * tokenizer.count(new TextEncoder().encode('hello world')); // 2
   * ```
   */
  count(text: string | Uint8Array, options?: EncodeOptions): number {
    try {
      if (typeof text === 'string') {
        if (options === undefined) return this.#engine.count(text, SPECIAL_AS_TEXT);
        const policy = policyOf(options, this.#vocabulary);
        return templateOf(options, this.#vocabulary).size + this.#engine.count(text, policy);
      }
      const policy = policyOf(options, this.#vocabulary);
      const { size } = templateOf(options, this.#vocabulary);
      return size + this.#engine.countBytes(textBytes(text, 'text'), policy);
    } catch (error) {
      throw fromCaller(failureInText(error, text, this.#vocabulary), Tokenizer.prototype.count);
    }
  }

  /**
   * The token ids of a text, and start and end of each in it: of token i, `offsets[2 * i]` and `offsets[2 * i + 1]`. They
   * count UTF-16 units of a string, so that `text.slice(start, end)` is what the token stands for, or bytes of bytes; `unit`
   * asks for the other one. A token that begins or ends inside a character has the whole of it in UTF-16 units, and its
   * exact offsets in bytes. A lone surrogate is one unit, or the three bytes of U+FFFD. Where the `tokenizer.json` of a model
   * has `trim_offsets`, such as that of RoBERTa, the spaces around a token are left out.
   *
   * Short results are views of a shared buffer, as those of `encode` are. Throws `TEXT_TOO_LONG` past 4,294,967,295.
   *
   * @example
   * ```ts
   * const { ids, offsets } = tokenizer.encodeWithOffsets('hello world');
   * ids; // Uint32Array [24912, 2375]
   * offsets; // Uint32Array [0, 5, 5, 11]
   * 'hello world'.slice(offsets[2], offsets[3]); // ' world'
   * ```
   */
  encodeWithOffsets(text: string | Uint8Array, options?: OffsetOptions): TokensWithOffsets {
    try {
      const policy = policyOf(options, this.#vocabulary, OFFSET_OPTIONS);
      const unit = unitOf(options, text);
      const template = templateOf(options, this.#vocabulary);
      const tokens =
        typeof text === 'string'
          ? this.#engine.encodeWithOffsets(text, unit, policy)
          : this.#engine.encodeBytesWithOffsets(textBytes(text, 'text'), unit, policy);
      return template.aroundWithOffsets(this.#vocabulary.trimmer?.trim(tokens, text, unit) ?? tokens);
    } catch (error) {
      throw fromCaller(failureInText(error, text, this.#vocabulary), Tokenizer.prototype.encodeWithOffsets);
    }
  }

  /**
   * How many tokens a text has if it has at most `limit` of them, else false. Counting stops there: the cost is that of the
   * limit, however long the text is, and what follows is not looked at.
   *
   * @example
   * ```ts
   * tokenizer.isWithinLimit('hello world', 2); // 2
   * tokenizer.isWithinLimit('hello world', 1); // false
   * ```
   */
  isWithinLimit(text: string | Uint8Array, limit: number, options?: EncodeOptions): number | false {
    try {
      const most = checkedLimit(limit, 'limit', 0);
      const policy = policyOf(options, this.#vocabulary);
      const { size } = templateOf(options, this.#vocabulary);
      const checked = typeof text === 'string' ? text : textBytes(text, 'text');
      const count = most < size ? false : countWithin(this.#engine, checked, most - size, policy);
      return count === false ? false : count + size;
    } catch (error) {
      throw fromCaller(failureInText(error, text, this.#vocabulary), Tokenizer.prototype.isWithinLimit);
    }
  }

  /**
   * What is left of a text when it is cut off to `limit` tokens: its beginning, or with `side: 'left'` its end. It has at
   * most `limit` tokens when it is encoded alone; a character stays whole; the cut is where a token of the text ends. A
   * text within the limit is returned as it is; if not even one character fits, nothing is left. The cost is that of the
   * limit, however long the text is. Of bytes the result is a view.
   *
   * @example
   * ```ts
   * tokenizer.truncate('hello world, how are you?', 2); // 'hello world'
   * tokenizer.truncate('hello world, how are you?', 2, { side: 'left' }); // ' you?'
   * ```
   */
  truncate(text: string, limit: number, options?: TruncateOptions): string;
  truncate(text: Uint8Array, limit: number, options?: TruncateOptions): Uint8Array;
  truncate(text: string | Uint8Array, limit: number, options?: TruncateOptions): string | Uint8Array;
  truncate(text: string | Uint8Array, limit: number, options?: TruncateOptions): string | Uint8Array {
    try {
      const most = checkedLimit(limit, 'limit', 0);
      const policy = policyOf(options, this.#vocabulary, TRUNCATE_OPTIONS);
      const keep = checkedSide(options) === 'right' ? keepStart : keepEnd;
      const own = Math.max(0, most - templateOf(options, this.#vocabulary).size);
      if (typeof text === 'string') return keep(this.#engine, text, own, policy);
      const bytes = textBytes(text, 'text');
      const kept = keep(this.#engine, bytes, own, policy);
      return kept === bytes ? text : (viewsLike(text, bytes, [kept])[0] as Uint8Array);
    } catch (error) {
      throw fromCaller(failureInText(error, text, this.#vocabulary), Tokenizer.prototype.truncate);
    }
  }

  /**
   * Cuts a text into parts of at most `maxTokens` tokens each when encoded alone, in order. The parts joined are the text;
   * with `overlap`, a part begins with as many of the last tokens of the one before, or a few less. A character stays whole,
   * and cuts are where tokens of the text end, or at the `separators` that you ask for: paragraphs, sentences, headings,
   * blocks of code. Bytes give views of them. Takes about twice as long as encoding the text; with separators, five to ten
   * times, and more if parts are of a hundred tokens or fewer.
   *
   * Throws a `RangeError` if one character needs more than `maxTokens` tokens.
   *
   * @example
   * ```ts
   * tokenizer.split('hello world, how are you?', { maxTokens: 3 }); // ['hello world,', ' how are you', '?']
   * tokenizer.split('hello world, how are you?', { maxTokens: 3, overlap: 1 }).length; // 3
   * tokenizer.split('How are you? I am fine.', { maxTokens: 6, separators: 'text' }); // ['How are you?', ' I am fine.']
   * tokenizer.split('hello world', { maxTokens: 1, withOffsets: true })[1]; // { text: ' world', start: 5, end: 11, tokens: 1 }
   * ```
   */
  split(text: string, options: SplitOptions & { withOffsets: true }): TextPart[];
  split(text: Uint8Array, options: SplitOptions & { withOffsets: true }): TextPart<Uint8Array>[];
  split(text: string, options: SplitOptions & { withOffsets?: false | undefined }): string[];
  split(text: Uint8Array, options: SplitOptions & { withOffsets?: false | undefined }): Uint8Array[];
  split(text: string | Uint8Array, options: SplitOptions & { withOffsets?: false | undefined }): string[] | Uint8Array[];
  split(text: string | Uint8Array, options: SplitOptions): string[] | Uint8Array[] | TextPart[] | TextPart<Uint8Array>[];
  split(text: string | Uint8Array, options: SplitOptions): string[] | Uint8Array[] | TextPart[] | TextPart<Uint8Array>[] {
    try {
      const given = checkedSplit(options);
      const { separators } = options;
      if (separators !== undefined && !separating) throw new Error("separators need what cuts at them: import 'crayon-tokenizer' instead");
      const cutsOf = separating?.checkedSeparators(separators);
      const withOffsets = checkedFlag(options.withOffsets, 'withOffsets');
      const policy = policyOf(options, this.#vocabulary, SPLIT_OPTIONS);
      const limits = limitsWithin(given, templateOf(options, this.#vocabulary).size);
      const own = typeof text === 'string' ? text : textBytes(text, 'text');
      if (!cutsOf && !withOffsets) {
        const parts = splitText(this.#engine, own, limits, policy);
        return typeof text === 'string' ? (parts as string[]) : viewsLike(text, own as Uint8Array, parts as Uint8Array[]);
      }
      const { addedTokens } = this.#vocabulary.description;
      const parts =
        separating && cutsOf
          ? separating.partsAt(cutsOf, this.#engine, own, limits, policy, addedTokens)
          : splitParts(this.#engine, own, limits, policy);
      const slices = parts.map(({ start, end }) => cut(own, start, end));
      const texts = typeof text === 'string' ? slices : viewsLike(text, own as Uint8Array, slices as Uint8Array[]);
      if (!withOffsets) return texts as string[] | Uint8Array[];
      return parts.map(({ start, end, tokens }, index) => ({
        text: texts[index],
        start,
        end,
        tokens: tokens + limits.around,
      })) as TextPart[];
    } catch (error) {
      throw fromCaller(failureInText(error, text, this.#vocabulary), Tokenizer.prototype.split);
    }
  }

  /**
   * The ids of many texts: a list of strings and bytes, or bytes that lie one behind the other. Each text is encoded alone.
   * Short texts cost less than with a call of `encode` for each. Natively, several threads share a batch of 128 KB or more.
   * With `resident: true` the ids stay on a device, padded: see {@link DeviceBatch}.
   *
   * @example
   * ```ts
   * const batch = tokenizer.encodeBatch(['hello world', 'hello']);
   * batch.row(0); // Uint32Array [24912, 2375]
   * batch.length; // 2
   * tokenizer.encodeBatch([new TextEncoder().encode('hello'), ' world']).ids; // Uint32Array [24912, 2375]
   * tokenizer.encodeBatch(['hello world', 'hello'], { pad: { type: 'bigint64' } }).ids; // BigInt64Array [24912n, 2375n, 24912n, 0n]
   * ```
   */
  encodeBatch(
    texts: readonly (string | Uint8Array)[] | TextRows,
    options: ResidentBatchOptions<PadOptions & { type?: 'int32' | undefined }>,
  ): DeviceBatch<PaddedBatch>;
  encodeBatch(
    texts: readonly (string | Uint8Array)[] | TextRows,
    options: ResidentBatchOptions<PadOptions & { type: 'bigint64' }>,
  ): DeviceBatch<PaddedBatch<UnsharedBigInt64Array>>;
  encodeBatch(
    texts: readonly (string | Uint8Array)[] | TextRows,
    options: ResidentBatchOptions,
  ): DeviceBatch<PaddedBatch | PaddedBatch<UnsharedBigInt64Array>>;
  encodeBatch(
    texts: readonly (string | Uint8Array)[] | TextRows,
    options: PaddedBatchOptions<PadOptions & { type?: 'int32' | undefined }>,
  ): PaddedBatch;
  encodeBatch(
    texts: readonly (string | Uint8Array)[] | TextRows,
    options: PaddedBatchOptions<PadOptions & { type: 'bigint64' }>,
  ): PaddedBatch<UnsharedBigInt64Array>;
  encodeBatch(
    texts: readonly (string | Uint8Array)[] | TextRows,
    options: PaddedBatchOptions,
  ): PaddedBatch | PaddedBatch<UnsharedBigInt64Array>;
  encodeBatch(
    texts: readonly (string | Uint8Array)[] | TextRows,
    options?: BatchOptions & { pad?: undefined; resident?: false | undefined },
  ): TokenBatch;
  encodeBatch(
    texts: readonly (string | Uint8Array)[] | TextRows,
    options?: BatchOptions & { pad?: PadOptions | undefined },
  ): TokenBatch | PaddedBatch | PaddedBatch<UnsharedBigInt64Array>;
  encodeBatch(
    texts: readonly (string | Uint8Array)[] | TextRows,
    options?: BatchOptions & { pad?: PadOptions | undefined; resident?: boolean | undefined },
  ): TokenBatch | AnyPaddedBatch | DeviceBatch {
    try {
      const padding = paddingOf(options);
      return this.#batch<TokenBatch | AnyPaddedBatch | DeviceBatch>(texts, options, BATCH_OPTIONS, (call) => {
        const { template } = call;
        if (residentOf(options)) {
          const { texts, policy, job } = call;
          checkHasDevices(this.#engine, job.device, true);
          return this.#engine.encodeKept?.(texts, policy, { template, padding: padding as Padding }, job.device) as DeviceBatch;
        }
        if (padding) return this.#padded(call, padding);
        const { ids, totals } = template.aroundRows(this.#ids(call, false));
        return new TokenBatch(ids, totals, template);
      });
    } catch (error) {
      throw fromCaller(error, Tokenizer.prototype.encodeBatch);
    }
  }

  /**
   * How many tokens each of many texts has: the lengths of the rows that `encodeBatch` returns, without the ids.
   *
   * @example
   * ```ts
   * tokenizer.countBatch(['hello world', 'hello', '']); // Uint32Array [2, 1, 0]
   * ```
   */
  countBatch(texts: readonly (string | Uint8Array)[] | TextRows, options?: BatchOptions): UnsharedUint32Array {
    try {
      return this.#batch(texts, options, COUNT_OPTIONS, (call) => {
        const { totals } = this.#ids(call, true);
        return totals.subarray(1).map((total, row) => total - (totals[row] as number) + call.template.size);
      });
    } catch (error) {
      throw fromCaller(error, Tokenizer.prototype.countBatch);
    }
  }

  /**
   * How many tokens a chat takes up in a request to OpenAI (Chat Completions), by the rules that OpenAI published: for
   * messages to gpt-3.5-turbo, gpt-4, gpt-4o and gpt-4o-mini, for simple tools with some of these, and for images whose
   * size is known. OpenAI calls them estimates, which can change with the model. Special tokens in texts are ordinary text.
   *
   * Anything else, such as later models, tool calls and nested schemas, throws a `RangeError`. With `estimate: true` it is
   * counted by a model of what OpenAI's servers add, fitted to requests whose usage was recorded, and the result says what
   * was assumed. It reproduces 131 of 137 such requests exactly and misses the others by 1 or 2 tokens; for models and
   * fields that are not among them, expect more. A request that the rules cover as a whole is counted by them either way.
   *
   * @example
   * ```ts
   * const messages = [{ role: 'user', content: 'hello world' }];
   * tokenizer.countMessages(messages, { model: 'gpt-4o' }); // 9
   * tokenizer.countMessages(messages, { model: 'gpt-5' }); // throws RangeError
   * tokenizer.countMessages(messages, { model: 'gpt-5', estimate: true }).tokens; // 8
   * ```
   */
  countMessages(messages: readonly ChatMessage[], options: CountMessagesOptions & { estimate: true }): MessageEstimate;
  countMessages(messages: readonly ChatMessage[], options?: CountMessagesOptions & { estimate?: false | undefined }): number;
  countMessages(messages: readonly ChatMessage[], options?: CountMessagesOptions): number | MessageEstimate;
  countMessages(messages: readonly ChatMessage[], options?: CountMessagesOptions): number | MessageEstimate {
    try {
      return countMessages(messages, options, this, this.#engine.model);
    } catch (error) {
      throw fromCaller(error, Tokenizer.prototype.countMessages);
    }
  }

  /**
   * The text of some ids. A leading byte order mark is kept; bytes that are not UTF-8, such as those of a character that
   * the ids hold only in part, become U+FFFD. If the `tokenizer.json` of a model has another decoder than ByteLevel, such as that of BERT
   * or Llama 2, the text is what that makes of the tokens. Throws `INVALID_ID`, with its index, for an id that no token has.
   *
   * @example
   * ```ts
   * tokenizer.decode([24912, 2375]); // 'hello world'
   * tokenizer.decode([24912, 199999], { skipSpecialTokens: true }); // 'hello'
   * tokenizer.decode([24912, 300000]); // throws TokenizerError (INVALID_ID)
   * ```
   */
  decode(ids: TokenIds, options?: DecodeOptions): string {
    try {
      const skip = skipsSpecial(options);
      return (this.#vocabulary.decoding ?? this.#engine).decode(idArray(ids), skip);
    } catch (error) {
      throw fromCaller(failureInIds(error, ids, this.#vocabulary), Tokenizer.prototype.decode);
    }
  }

  /**
   * The texts of many lists of ids, such as the rows of a batch; each is decoded alone. An error names its row.
   *
   * @example
   * ```ts
   * tokenizer.decodeBatch([[24912, 2375], [24912]]); // ['hello world', 'hello']
   * tokenizer.decodeBatch(tokenizer.encodeBatch(['one', 'two'])); // ['one', 'two']
   * tokenizer.decodeBatch([[24912]], { device: 'cuda' }); // throws TokenizerError (DEVICE_UNAVAILABLE)
   * ```
   */
  decodeBatch(rows: TokenBatch | Iterable<TokenIds>, options?: DeviceDecodeOptions): string[] {
    const texts: string[] = [];
    let ids: TokenIds = [];
    try {
      const { skip, device } = decodingOf(options);
      let given = checkedIdRows(rows);
      if (device !== undefined && !(given instanceof TokenBatch)) given = [...given]; // the CPU may have to read them, too
      const onDevice = decodedRows({ engine: this.#engine, vocabulary: this.#vocabulary, skip, device }, given, (row) => `rows[${row}]`);
      if (onDevice) return onDevice.map((bytes) => UTF8.decode(bytes));
      const decoding = this.#vocabulary.decoding ?? this.#engine;
      for (ids of given) texts.push(decoding.decode(idArray(ids, `rows[${texts.length}]`), skip));
      return texts;
    } catch (error) {
      throw fromCaller(failureInIds(error, ids, this.#vocabulary, texts.length), Tokenizer.prototype.decodeBatch);
    }
  }

  /**
   * The bytes of some ids, exactly. With a decoder that makes a text of the tokens, they are the UTF-8 of that text, but that tokens of
   * bytes keep theirs if they are no UTF-8.
   *
   * @example
   * ```ts
   * tokenizer.decodeBytes(tokenizer.encode('café')); // Uint8Array [99, 97, 102, 195, 169]
   * tokenizer.decodeBytes(tokenizer.encode(Uint8Array.of(0xff))); // Uint8Array [0xff]
   * ```
   */
  decodeBytes(ids: TokenIds, options?: DeviceDecodeOptions): UnsharedUint8Array {
    try {
      const { skip, device } = decodingOf(options);
      const onDevice = decodedRows({ engine: this.#engine, vocabulary: this.#vocabulary, skip, device }, [ids], () => 'ids');
      if (onDevice) return onDevice[0] as UnsharedUint8Array;
      return (this.#vocabulary.decoding ?? this.#engine).decodeBytes(idArray(ids), skip);
    } catch (error) {
      throw fromCaller(failureInIds(error, ids, this.#vocabulary), Tokenizer.prototype.decodeBytes);
    }
  }

  /**
   * The bytes of one token, special ones included. Throws `INVALID_ID` if the vocabulary has no such id.
   *
   * @example
   * ```ts
   * tokenizer.tokenBytes(24912); // Uint8Array [104, 101, 108, 108, 111]
   * ```
   */
  tokenBytes(id: number): UnsharedUint8Array {
    try {
      const [checked] = idArray([id]);
      const bytes = this.#engine.tokenBytes(checked as number);
      if (bytes) return bytes;
      throw new TokenizerError('', { code: 'INVALID_ID', position: 0 });
    } catch (error) {
      throw fromCaller(failureInIds(error, [id], this.#vocabulary), Tokenizer.prototype.tokenBytes);
    }
  }

  /**
   * The id of the token that is exactly this string or these bytes, special ones included; undefined if there is none.
   *
   * @example
   * ```ts
   * tokenizer.idOf('hello'); // 24912
   * tokenizer.idOf('<|endoftext|>'); // 199999
   * tokenizer.idOf('hello world'); // undefined
   * ```
   */
  idOf(token: string | Uint8Array): number | undefined {
    try {
      return this.#engine.idOf(typeof token === 'string' ? new TextEncoder().encode(token) : textBytes(token, 'token'));
    } catch (error) {
      throw fromCaller(error, Tokenizer.prototype.idOf);
    }
  }

  /**
   * Encodes a text that arrives in chunks, synchronously: `push` returns the ids that are ready, `end` the rest, all
   * together those of one `encode` of the whole. `encodeStream` is built on it; callbacks and loops, which need no web stream,
   * are several times as fast without one where chunks are short.
   *
   * The vocabulary is that of this call, whatever `swap` does later; after `close` of the tokenizer, calls throw (`CLOSED`).
   *
   * @example
   * ```ts
   * const encoder = tokenizer.streamEncoder({ special: 'allow' });
   * const ids: number[] = [];
   * for (const chunk of ['hello wor', 'ld<|endof', 'text|>']) ids.push(...encoder.push(chunk));
   * ids.push(...encoder.end());
   * ids; // [24912, 2375, 199999]
   * ```
   */
  streamEncoder(options?: EncodeOptions): StreamEncoder {
    try {
      return this.#streamEncoder(options);
    } catch (error) {
      throw fromCaller(error, Tokenizer.prototype.streamEncoder);
    }
  }

  /**
   * Decodes ids that arrive in chunks, synchronously: `push` returns the text that is complete, `end` what never becomes so,
   * all together that of one `decode` of all ids. `decodeStream` is built on it. What the next ids may still change, it holds back:
   * of most vocabularies, a character that is not complete. The vocabulary is that of this call, as
   * with `streamEncoder`.
   *
   * @example
   * ```ts
   * const decoder = tokenizer.streamDecoder();
   * let text = '';
   * for (const id of tokenizer.encode('né 😀')) text += decoder.push(id);
   * text += decoder.end();
   * text; // 'né 😀'
   * ```
   */
  streamDecoder(options?: DecodeOptions): StreamDecoder {
    try {
      return this.#streamDecoder(options);
    } catch (error) {
      throw fromCaller(error, Tokenizer.prototype.streamDecoder);
    }
  }

  /**
   * The tokens of the vocabulary in ascending order of their ids, special ones included; ids without a token are left out.
   * They are made one by one, as you ask for them, and `bytes` is yours to keep. The vocabulary is that of the first step,
   * whatever `swap` does later; `close` ends the steps with an error (`CLOSED`).
   *
   * @example
   * ```ts
   * tokenizer.tokens().next().value; // { id: 0, bytes: Uint8Array [33], special: false }
   * [...tokenizer.tokens()].length; // 200000
   * ```
   */
  tokens(): IterableIterator<VocabularyToken> {
    try {
      void this.#vocabulary.description; // throws if the tokenizer is closed
      return tokensOf(() => this.#engine, this.#vocabulary);
    } catch (error) {
      throw fromCaller(error, Tokenizer.prototype.tokens);
    }
  }

  /**
   * A stream from text, in chunks, to ids: those of one `encode` of the whole, wherever the chunks end, inside a character
   * or a special token too. The chunks are strings, or bytes, not both. Ids come when no further text can change them, and
   * at most 72 bytes later. Short chunks are gathered, to 256 units; when the source pauses, within a turn of the event loop,
   * they are encoded as they are. Memory is bounded by the longest piece and the longest special token, besides one chunk. A
   * large chunk is encoded in slices, as the reader wants their ids, and the thread does other work in between.
   *
   * As `TextDecoderStream`, it is an object with a `writable` and a `readable`, for `pipeThrough` or `stream.pipeline` of
   * Node. The vocabulary is that of this call, whatever `swap` does later; `close` of the tokenizer ends it with an error
   * (`CLOSED`). An error about the text has its position in the whole, in units of the chunks; where a short chunk is at fault,
   * its own `write` may have succeeded before.
   *
   * @example
   * ```ts
   * const { body } = new Response('hello world');
   * const ids: number[] = [];
   * for await (const chunk of body!.pipeThrough(tokenizer.encodeStream())) ids.push(...chunk);
   * ids; // [24912, 2375]
   * ```
   */
  encodeStream(options?: EncodeOptions): TransformStream<string | Uint8Array, UnsharedUint32Array> {
    try {
      return encodeStream(() => this.#streamEncoder(options), fromCallSite(Tokenizer.prototype.encodeStream));
    } catch (error) {
      throw fromCaller(error, Tokenizer.prototype.encodeStream);
    }
  }

  /**
   * A stream from ids, one by one or in lists, to text: that of one `decode` of them all. A character whose bytes are not
   * complete waits for the next id; what never becomes complete is U+FFFD. An id that no token has is an error
   * (`INVALID_ID`) with its index in the whole stream. The vocabulary is that of this call, as with `encodeStream`.
   *
   * @example
   * ```ts
   * let text = '';
   * const ids = ReadableStream.from([24912, [2375]]);
   * for await (const part of ids.pipeThrough(tokenizer.decodeStream())) text += part;
   * text; // 'hello world'
   * ```
   */
  decodeStream(options?: DecodeOptions): TransformStream<number | TokenIds, string> {
    try {
      return decodeStream(() => this.#streamDecoder(options), fromCallSite(Tokenizer.prototype.decodeStream));
    } catch (error) {
      throw fromCaller(error, Tokenizer.prototype.decodeStream);
    }
  }

  /**
   * A stream from texts to records, the three stages of CRAYON's pipeline: each text is normalized if `normalize` asks
   * for that, encoded, and given back as `{ id, inputIds, length }`, in order. A text is a string, whose id is its index in
   * the stream, or `{ id, text }`. Up to four long texts are encoded at a time, as `encodeAsync` does it, while the next are
   * normalized; short ones are encoded at once. CRAYON's buffer pool and its cache for each thread are those of the engine.
   *
   * An error about a text has its index as `row`, and its position in the normalized text. The vocabulary is that of
   * this call, as with `encodeStream`.
   *
   * @example
   * ```ts
   * const texts = ReadableStream.from(['hello world', { id: 'e-acute', text: 'e\u0301' }]);
   * const records = texts.pipeThrough(tokenizer.encodePipeline({ normalize: 'NFC' })).getReader();
   * (await records.read()).value; // { id: 0, inputIds: Uint32Array [24912, 2375], length: 2 }
   * (await records.read()).value; // { id: 'e-acute', inputIds: Uint32Array [377], length: 1 }
   * ```
   */
  encodePipeline<Id = unknown>(options?: PipelineOptions): TransformStream<string | PipelineText<Id>, EncodedText<Id | number>> {
    try {
      const engine = this.#engine;
      const { encodeAsync } = this as { encodeAsync?: (...call: Parameters<EncodeLater>) => Promise<UnsharedUint32Array> };
      const later: EncodeLater = (text, own) => (this.#engine === engine ? encodeAsync?.call(this, text, own) : undefined);
      const explained = fromCallSite(Tokenizer.prototype.encodePipeline);
      return encodePipeline<Id>(engine, options, this.#vocabulary, later, explained);
    } catch (error) {
      throw fromCaller(error, Tokenizer.prototype.encodePipeline);
    }
  }

  /**
   * Releases what the tokenizer holds, at once. Calling it again has no effect. A tokenizer that is no longer reachable
   * is closed by the garbage collector.
   *
   * @example
   * ```ts
   * tokenizer.close();
   * tokenizer.count('hello'); // throws TokenizerError (CLOSED)
   * ```
   */
  close(): void {
    this.#closed ??= 'the tokenizer has been closed';
    this.#vocabulary.forget();
    this.#engine.close();
  }

  /**
   * The same as `close`, for `using`, which closes the tokenizer at the end of the block.
   *
   * @example
   * ```ts
   * {
   *   using shortLived = Tokenizer.loadSync('gpt2');
   *   shortLived.count('hello world'); // 2
   * }
   * ```
   */
  [Symbol.dispose](): void {
    this.close();
  }

  /** @internal */
  get [Symbol.toStringTag](): string {
    return 'Tokenizer';
  }

  /** Something of the vocabulary; the stack of an error begins where the user read `getter`. */
  #ask<T>(getter: keyof Tokenizer, answer: (vocabulary: Vocabulary) => T): T {
    try {
      return answer(this.#vocabulary);
    } catch (error) {
      const { get } = Object.getOwnPropertyDescriptor(Tokenizer.prototype, getter) as { get: () => unknown };
      throw fromCaller(error, get);
    }
  }

  /** What `console.log` shows. */
  #shown(): object | undefined {
    if (this.#closed !== undefined) return undefined;
    const { name, vocabularySize, kernel } = this.#vocabulary.description;
    return { name, vocabularySize, backend: `${this.#engine.kind} (${kernel})` };
  }

  /** A closed tokenizer takes no other engine. */
  #exchange(engine: EngineTokenizer): void {
    if (this.#closed !== undefined) {
      engine.close();
      throw new TokenizerError(`cannot change the vocabulary: ${this.#closed}`, { code: 'CLOSED' });
    }
    retireUnused(this.#engine);
    this.#engine = engine;
    this.#vocabulary.exchange(engine);
  }

  #retire(reason: string): void {
    if (this.#closed !== undefined) return;
    this.#closed = reason;
    retireUnused(this.#engine);
    this.#engine = closedEngine(reason);
    this.#vocabulary.exchange(this.#engine);
  }

  /** What a call for a batch asks for, checked, is given to `work`; an error of it says where in its text it is. */
  #batch<Result>(given: unknown, options: BatchOptions | undefined, names: readonly string[], work: (call: BatchCall) => Result): Result {
    const special = specialOf(options, names);
    const { threads, device, cacheBytes } = jobOf(options);
    checkHasDevices(this.#engine, device);
    const template = templateOf(options, this.#vocabulary);
    const texts = checkedTexts(given);
    const policy = policyFor(special, this.#vocabulary);
    try {
      return work({ texts, policy, template, job: { threads, device, cacheBytes } });
    } catch (error) {
      if (!(error instanceof TokenizerError) || error.row === undefined) throw error;
      throw failureInText(error, textAt(texts, error.row), this.#vocabulary, error.row);
    }
  }

  /** Encodes, or only counts, every text of a batch: the ids (none if counting), and the totals before and after each. */
  #ids({ texts, policy, job }: BatchCall, counting: boolean): BatchIds {
    return this.#engine.encodeTogether?.(texts, policy, counting, job) ?? this.#batchHere(texts, policy, counting);
  }

  #padded(call: BatchCall, padding: Padding): AnyPaddedBatch {
    const { texts, policy, template, job } = call;
    const made = this.#engine.encodePadded?.(texts, policy, { template, padding }, job.device) ?? this.#ids(call, false);
    if ('shape' in made) return made;
    const { ids, totals } = template.aroundRows(made);
    return padRows({ ids, offsets: totals, template }, padding);
  }

  #streamEncoder(options: EncodeOptions | undefined): StreamEncoder {
    const policy = policyOf(options, this.#vocabulary);
    return new StreamEncoder(this.#engine, policy, this.#vocabulary, templateOf(options, this.#vocabulary));
  }

  #streamDecoder(options: DecodeOptions | undefined): StreamDecoder {
    return new StreamDecoder(this.#engine, skipsSpecial(options), this.#vocabulary);
  }

  #batchHere(texts: Texts, policy: Policy, counting: boolean): BatchIds {
    const totals = new Uint32Array(textCount(texts) + 1);
    const session = this.#engine.begin(policy, counting);
    try {
      feedTexts(session, texts, totals);
      return { ids: counting ? new Uint32Array(0) : session.take(), totals };
    } finally {
      session.end();
    }
  }
}

// For other modules of the package.
export {
  /** The engine of a tokenizer. */
  engineOf,
  /** What is derived from its description. */
  vocabularyOf,
  /** Replaces the engine in use. Throws if the tokenizer is closed; the other engine is closed then. */
  exchangeEngine,
  /** Why a tokenizer is closed; undefined if it is open. */
  whyClosed,
  /** Closes a tokenizer, for which calls from now on get the reason; sessions that have begun go on to their end. */
  retire,
};
