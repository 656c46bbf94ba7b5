// The public API. This folder uses no Node modules and no WebAssembly, and imports only types from outside.
//
// The class is the same on every backend: it checks arguments, turns failures into errors that name the argument, and
// delegates to the engine.
//
// Gives these types to users whose TypeScript does not know `Symbol.dispose` yet:
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
import type { DecodeStream, decodeStream } from './streams/decode-stream.js';
import { type EncodedText, encodePipeline, type EncodeLater, type PipelineOptions, type PipelineText } from './streams/encode-pipeline.js';
import { encodeStream } from './streams/encode-stream.js';
import type { StreamDecoder } from './streams/stream-decoder.js';
import { StreamEncoder } from './streams/stream-encoder.js';
import type { DecodedToken, DecodeStreamOptions } from './streams/token-texts.js';
import { checkedTexts, feedTexts, textAt, textCount, type TextRows, type Texts } from '../engine/text-rows.js';
import { type Template, templateOf } from './template.js';
import { TokenBatch } from './token-batch.js';
import { tokensOf, type VocabularyToken } from '../vocabulary/tokens.js';
import type { UnsharedBigInt64Array, UnsharedUint32Array, UnsharedUint8Array } from '../base/typed-arrays.js';
import { viewsLike } from '../base/views.js';
import { Vocabulary } from '../vocabulary/vocabulary.js';

/** Keeps a leading byte order mark, as the engine does. */
const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** A checked batch call. */
interface BatchCall {
  texts: Texts;
  policy: Policy;
  template: Template;
  job: BatchJob;
}

/**
 * The backend that runs a tokenizer.
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
  /** Where batches of this vocabulary can run: `'cpu'`, and any accelerators present. Detected when read. */
  readonly devices: readonly string[];
  /** Why other devices cannot run them: the device is missing, or has no kernels for the vocabulary. */
  readonly unavailable: Readonly<Record<string, string>>;
}

/** The code `split` needs for separators. The drop-ins do not use separators and leave it out. */
interface Separating {
  checkedSeparators: typeof checkedSeparators;
  partsAt: typeof partsAt;
}

let separating: Separating | undefined;

/** Enables separators in `split`. */
export function useSeparators(module: Separating): void {
  separating = module;
}

/** The code for streams of ids, which the drop-ins leave out, too. */
interface StreamDecoders {
  StreamDecoder: typeof StreamDecoder;
  decodeStream: typeof decodeStream;
}

let streamDecoders: StreamDecoders | undefined;

/** Enables `streamDecoder` and `decodeStream`. */
export function useStreamDecoders(module: StreamDecoders): void {
  streamDecoders = module;
}

let engineOf: (tokenizer: Tokenizer) => EngineTokenizer;
let vocabularyOf: (tokenizer: Tokenizer) => Vocabulary;
let exchangeEngine: (tokenizer: Tokenizer, engine: EngineTokenizer) => void;
let whyClosed: (tokenizer: Tokenizer) => string | undefined;
let retire: (tokenizer: Tokenizer, reason: string) => void;

/**
 * An open vocabulary: text to token ids and back.
 *
 * It can be used until `close()`; after that every member but `close` throws a {@link TokenizerError} with the code
 * `CLOSED`. The garbage collector closes an unreachable instance.
 */
export class Tokenizer {
  #engine: EngineTokenizer;
  readonly #vocabulary: Vocabulary;
  /** Why it is closed; undefined while it is open. */
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
   * The highest id + 1, special tokens included.
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
   * How pieces become ids: `'bpe'`; `'longest-match'`, the longest token at each position; `'wordpiece'`, longest match within
   * each word, all or nothing; `'wordlevel'`, whole words only; or `'unigram'`, the tokens with the highest total score.
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
   * The id for a character at which no token of a longest-match vocabulary begins. If undefined, such a character is an
   * error (`UNKNOWN_CHARACTER`). A vocabulary with a token for each byte knows every character.
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
   * The id of the token that begins a text; undefined if there is none. `bosTokenId`, `eosTokenId`, `padTokenId` and `unkTokenId`
   * come from the model's `tokenizer_config.json` or `special_tokens_map.json`, if it lies beside the `tokenizer.json` or is
   * passed. Without these files, they are the ids that the post-processor puts before and after a text, if each is a single id. A
   * `tekken.json` names them `<s>`, `</s>`, `<pad>` and `<unk>`.
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
   * The id of the token that ends a text; undefined if there is none. For OpenAI encodings it is `<|endoftext|>`.
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
   * The id of the token that pads rows of a batch; undefined if there is none.
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
   * The id of the unknown token; undefined if there is none. For longest match it is `unknownId`.
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
   * The cartridge's metadata: name, source, licence … The object is frozen. A cartridge with unreadable metadata works in
   * all other respects; only this getter throws a `TokenizerError` (`CORRUPT_STRUCTURE`).
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
   * The backend that runs this tokenizer.
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
   * The token ids of a text: a string, or UTF-8 bytes (invalid bytes are kept and decode to the same bytes). A lone
   * surrogate is encoded as U+FFFD.
   *
   * The ids of a short text are a view of a buffer shared with other results, as with `Buffer.from`. `ids.slice()` makes a
   * copy with its own buffer: to transfer it to another thread, to use `ids.buffer`, or to keep a few ids without holding
   * on to the memory around them.
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
   * The number of tokens of a text: the length of `encode`'s result, without producing the ids.
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
   * The token ids of a text and where each token starts and ends: for token i, `offsets[2 * i]` and `offsets[2 * i + 1]`. By
   * default offsets count UTF-16 units of a string, so that `text.slice(start, end)` is the token's text, and bytes of bytes;
   * `unit` selects the other. In UTF-16 units, a token that begins or ends inside a character covers the whole character; in
   * bytes its offsets are exact. A lone surrogate is one unit, or the three bytes of U+FFFD. If the model's `tokenizer.json`
   * has `trim_offsets`, as RoBERTa's does, spaces around a token are left out.
   *
   * Like `encode`'s, short results are views of a shared buffer. Throws `TEXT_TOO_LONG` past 4,294,967,295.
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
   * The number of tokens of a text if it is at most `limit`, else false. Counting stops at the limit, so the cost depends
   * on the limit, not on the length of the text; the text after it is not read.
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
   * Cuts a text to `limit` tokens: keeps the beginning, or with `side: 'left'` the end. The result has at most `limit`
   * tokens when encoded alone. The cut is at a token boundary and never inside a character. A text within the limit is
   * returned as it is; if not even one character fits, the result is empty. The cost depends on the limit, not on the
   * length of the text. For bytes the result is a view.
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
   * Cuts a text into parts of at most `maxTokens` tokens each when encoded alone, in order. Without `overlap` the parts
   * joined are the text; with it, each part begins with that many of the previous part's last tokens, or a few fewer. Cuts
   * are at token boundaries, never inside a character, or at the `separators` you choose: paragraphs, sentences, headings,
   * code blocks. For bytes the parts are views. Takes about twice as long as encoding the text; with separators five to ten
   * times, and more for parts of a hundred tokens or fewer.
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
   * The ids of many texts: a list of strings and bytes, or bytes stored back to back. Each text is encoded alone. For short
   * texts this is cheaper than an `encode` call each. Natively, several threads share a batch of 128 KB or more. With
   * `resident: true` the ids stay on a device, padded: see {@link DeviceBatch}.
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
   * The number of tokens of each text: the row lengths of `encodeBatch`'s result, without producing the ids.
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
   * The number of tokens a chat takes in a request to OpenAI (Chat Completions), by OpenAI's published rules: for messages
   * to gpt-3.5-turbo, gpt-4, gpt-4o and gpt-4o-mini, for simple tools with some of these, and for images of known size.
   * OpenAI calls these counts estimates, which can change with the model. Special tokens in texts are ordinary text.
   *
   * Anything else, such as later models, tool calls and nested schemas, throws a `RangeError`. With `estimate: true` it is
   * counted by a model of what OpenAI's servers add, fitted to requests with recorded usage, and the result lists the
   * assumptions. It reproduces 131 of 137 such requests exactly and misses the others by 1 or 2 tokens; expect larger
   * errors for models and fields outside that set. A request fully covered by the published rules is counted by them
   * either way.
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
   * The text of the given ids. A leading byte order mark is kept; invalid UTF-8, such as part of a character, becomes U+FFFD. If
   * the model's `tokenizer.json` has a decoder other than ByteLevel, as BERT's and Llama 2's do, that decoder produces the text.
   * Throws `INVALID_ID`, with the index, for an id without a token.
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
      if (device !== undefined && !(given instanceof TokenBatch)) given = [...given]; // the CPU may have to read them too
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
   * The exact bytes of the given ids. With a decoder that builds text from tokens, they are the UTF-8 of that text, except that
   * byte tokens that are not valid UTF-8 keep their bytes.
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
   * The bytes of one token, special tokens included. Throws `INVALID_ID` if the vocabulary lacks the id.
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
   * The id of the token that is exactly this string or these bytes, special tokens included; undefined if there is
   * none.
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
   * Encodes a text that arrives in chunks, synchronously: `push` returns the ids that are ready, `end` the rest; together they
   * equal one `encode` of the whole text. `encodeStream` is built on it. For short chunks, callbacks and loops that do not
   * need a web stream run several times as fast with this.
   *
   * The encoder keeps the current vocabulary, whatever `swap` does later; after the tokenizer's `close`, calls throw
   * (`CLOSED`).
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
   * Decodes ids that arrive in chunks, synchronously: `push` returns the complete text so far, `end` the incomplete rest;
   * together they equal one `decode` of all ids. `decodeStream` is built on it. It holds back text that later ids may still
   * change: for most vocabularies, an incomplete character. It keeps the current vocabulary, like `streamEncoder`.
   *
   * With `stop` the text ends before a stop sequence, which `stopped` tells. With `perToken` the results are the texts that
   * single tokens complete.
   *
   * @example
   * ```ts
   * const decoder = tokenizer.streamDecoder();
   * let text = '';
   * for (const id of tokenizer.encode('né 😀')) text += decoder.push(id);
   * text += decoder.end();
   * text; // 'né 😀'
   * tokenizer.streamDecoder({ perToken: true }).push(2375); // [{ id: 2375, text: ' world', start: 0, end: 6 }]
   * ```
   */
  streamDecoder(options: DecodeStreamOptions & { perToken: true }): StreamDecoder<DecodedToken[]>;
  streamDecoder(options?: DecodeStreamOptions & { perToken?: false | undefined }): StreamDecoder;
  streamDecoder(options?: DecodeStreamOptions): StreamDecoder<string | DecodedToken[]>;
  streamDecoder(options?: DecodeStreamOptions): StreamDecoder<string | DecodedToken[]> {
    try {
      return this.#streamDecoder(options);
    } catch (error) {
      throw fromCaller(error, Tokenizer.prototype.streamDecoder);
    }
  }

  /**
   * The tokens of the vocabulary in ascending order of id, special tokens included; ids without a token are skipped.
   * Tokens are created as you iterate, and you may keep `bytes`. The iteration keeps the vocabulary of its first step,
   * whatever `swap` does later; `close` ends it with an error (`CLOSED`).
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
   * A stream from chunks of text to ids, which equal one `encode` of the whole text wherever chunks end, even inside a
   * character or a special token. Chunks are strings or bytes, not both. Ids are emitted when no further text can change
   * them, at most 72 bytes later. Short chunks are gathered up to 256 units; when the source pauses, they are encoded within
   * one turn of the event loop. Besides one chunk, memory is bounded by the longest piece and the longest special token. A
   * large chunk is encoded in slices as the reader wants ids, so that the thread can do other work in between.
   *
   * Like `TextDecoderStream`, it is an object with a `writable` and a `readable`, for `pipeThrough` or Node's
   * `stream.pipeline`. It keeps the current vocabulary, whatever `swap` does later; the tokenizer's `close` ends it with an
   * error (`CLOSED`). Error positions are relative to the whole text, in units of the chunks; the `write` of a faulty short
   * chunk may already have succeeded.
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
   * A stream from ids, single or in lists, to text, which equals one `decode` of all ids. An incomplete character waits
   * for the next id; if it is never completed, it becomes U+FFFD. An id without a token is an error (`INVALID_ID`) with
   * its index in the whole stream. It keeps the current vocabulary, like `encodeStream`.
   *
   * With `stop` the output ends before a stop sequence, which `stopped` tells, and the source is cancelled. With `perToken` the
   * chunks are the texts that single tokens complete.
   *
   * @example
   * ```ts
   * let text = '';
   * const ids = ReadableStream.from([24912, [2375]]);
   * for await (const part of ids.pipeThrough(tokenizer.decodeStream())) text += part;
   * text; // 'hello world'
   * ```
   */
  decodeStream(options: DecodeStreamOptions & { perToken: true }): DecodeStream<DecodedToken>;
  decodeStream(options?: DecodeStreamOptions & { perToken?: false | undefined }): DecodeStream;
  decodeStream(options?: DecodeStreamOptions): DecodeStream<string> | DecodeStream<DecodedToken>;
  decodeStream(options?: DecodeStreamOptions): DecodeStream<string> | DecodeStream<DecodedToken> {
    try {
      return this.#streams.decodeStream(() => this.#streamDecoder(options), fromCallSite(Tokenizer.prototype.decodeStream));
    } catch (error) {
      throw fromCaller(error, Tokenizer.prototype.decodeStream);
    }
  }

  /**
   * A stream from texts to records, the three stages of CRAYON's pipeline: each text is normalized (if `normalize` is set),
   * encoded, and returned as `{ id, inputIds, length }`, in order. A text is a string, whose id is its index in the stream,
   * or `{ id, text }`. Up to four long texts are encoded at a time, like `encodeAsync`, while the next ones are normalized;
   * short texts are encoded immediately. The engine provides CRAYON's buffer pool and per-thread cache.
   *
   * An error about a text has the text's index as `row`, and its position in the normalized text. The stream keeps the
   * current vocabulary, like `encodeStream`.
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
   * Releases the tokenizer's resources immediately. Calling it again has no effect. The garbage collector closes an
   * unreachable tokenizer.
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

  /** Reads from the vocabulary; the stack of an error begins where the user read `getter`. */
  #ask<T>(getter: keyof Tokenizer, answer: (vocabulary: Vocabulary) => T): T {
    try {
      return answer(this.#vocabulary);
    } catch (error) {
      const { get } = Object.getOwnPropertyDescriptor(Tokenizer.prototype, getter) as { get: () => unknown };
      throw fromCaller(error, get);
    }
  }

  /** What `console.log` prints. */
  #shown(): object | undefined {
    if (this.#closed !== undefined) return undefined;
    const { name, vocabularySize, kernel } = this.#vocabulary.description;
    return { name, vocabularySize, backend: `${this.#engine.kind} (${kernel})` };
  }

  /** A closed tokenizer accepts no other engine. */
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

  /** Checks a batch call and passes it to `work`; errors say where in which text they are. */
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

  /** Encodes, or only counts, every text of a batch: the ids (empty when counting), and the totals before and after each. */
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

  get #streams(): StreamDecoders {
    if (streamDecoders) return streamDecoders;
    throw new Error("streams of ids need what decodes them: import 'crayon-tokenizer' instead");
  }

  #streamDecoder(options: DecodeStreamOptions | undefined): StreamDecoder<string | DecodedToken[]> {
    return new this.#streams.StreamDecoder(this.#engine, options, this.#vocabulary);
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
  /** The tokenizer's engine. */
  engineOf,
  /** Data derived from the engine's description. */
  vocabularyOf,
  /** Replaces the engine in use. If the tokenizer is closed, throws and closes the new engine. */
  exchangeEngine,
  /** Why a tokenizer is closed; undefined while it is open. */
  whyClosed,
  /** Closes a tokenizer; later calls report the reason, and sessions already begun run to their end. */
  retire,
};
