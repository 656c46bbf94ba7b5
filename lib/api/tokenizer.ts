// The public API: an open vocabulary. Each method is its documentation; functions of the modules beside this one do the work, and the
// drop-ins import them. The `Tokenizer` of an entry adds how vocabularies are loaded.
//
// Gives these types to users whose TypeScript does not know `Symbol.dispose` yet:
/// <reference lib="esnext.disposable" preserve="true" />

import { beginAtCallers, fromCaller, fromCallSite, ofCaller, promised, TokenizerError, unexpected } from '../base/errors.js';
import { inspectAs } from '../base/public-objects.js';
import { isPromise } from '../base/views.js';
import type { UnsharedBigInt64Array, UnsharedUint32Array, UnsharedUint8Array } from '../base/typed-arrays.js';
import { closedEngine, retireUnused } from '../engine/retiring.js';
import type { DeviceBatch } from '../engine/device-batch.js';
import { type Backend, backendOf } from '../engine/devices.js';
import type { EngineTokenizer, MemoryUse, TokensWithOffsets } from '../engine/engine.js';
import type { AnyPaddedBatch, PaddedBatch, PadOptions } from '../engine/padding.js';
import type { Texts } from '../engine/text-rows.js';
import type { LoadOptions } from '../vocabularies/open/load-options.js';
import type { LateSource, Source } from '../vocabularies/open/source.js';
import { tokensOf, Vocabulary, type VocabularyToken } from '../vocabularies/vocabulary.js';
import { type Adaptation, type AdaptOptions, Observations, observe, type Observed } from './adaptation.js';
import type { DecodeOptions, DeviceDecodeOptions, EncodeOptions, OffsetOptions, TokenIds } from './arguments.js';
import type {
  AsyncBatchOptions,
  AsyncOptions,
  AsyncPaddedBatchOptions,
  AsyncResidentBatchOptions,
  BatchOptions,
  FileOptions,
  PaddedBatchOptions,
  ResidentBatchOptions,
} from './async-options.js';
import { countAsync, encodeAsync, encodeBatchAsync, encodeFile, splitAsync, splitBatch } from './async-encoding.js';
import type { EncodeChatOptions, EncodedChat, RenderChatOptions, TemplateMessage } from './chat-options.js';
import type { ConversationOptions, ModelConversationOptions } from './conversation-options.js';
import { conversation, countChat, encodeChat, renderChat } from './chat-calls.js';
import type { Conversation } from './conversation.js';
import { decode, decodeBatch, decodeBytes, idOf, tokenBytes } from './decode-ids.js';
import { count, countBatch, encode, encodeBatch, encodeWithOffsets } from './encode-texts.js';
import {
  isWithinLimit,
  split,
  type SplitAsyncOptions,
  type SplitOptions,
  type TextPart,
  truncate,
  type TruncateOptions,
} from './token-limits.js';
import { type Healing, healing, type HealingOptions, type PrefixOptions, tokensWithPrefix } from './healing.js';
import type { FileTokens, Host } from './host.js';
import { countMessages } from './messages/count-messages.js';
import type { ChatMessage, ClaudeMessage, CountMessagesOptions } from './messages/request.js';
import { type EncodedPair, encodePair, encodePairBatch, type PaddedPairs, type PairBatchOptions, type PairOptions } from './pair.js';
import { type DecodeStream, decodeStream, StreamDecoder } from './streams/stream-decoder.js';
import { type EncodedText, encodePipeline, type PipelineOptions, type PipelineText } from './streams/encode-pipeline.js';
import { encodeStream, StreamEncoder } from './streams/stream-encoder.js';
import type { DecodedToken, DecodeStreamOptions } from './streams/stream-token-texts.js';
import type { DocumentOptions, TextDocument } from './text-document.js';
import type { TokenBatch } from './token-batch.js';

/** What other modules of the package see of a tokenizer. */
interface Inside {
  vocabulary(tokenizer: Tokenizer): Vocabulary;
  host(tokenizer: Tokenizer): Host;
  closed(tokenizer: Tokenizer): string | undefined;
}

let inside: Inside | undefined;

/**
 * An open vocabulary: text to token ids and back.
 *
 * It can be used until `close()`; after that every member but `close` throws a {@link TokenizerError} with the code
 * `CLOSED`. The garbage collector closes an unreachable instance.
 */
export class Tokenizer {
  readonly #vocabulary: Vocabulary;
  readonly #host: Host;
  /** Why it is closed; undefined while it is open. */
  #closed: string | undefined;
  /** The tokenizers of `using` calls whose functions have not ended. */
  readonly #scoped = new Set<Tokenizer>();
  /** Observations for the vocabulary in use. */
  #observations: Observations | undefined;

  /** @internal */
  constructor(engine: EngineTokenizer, host: Host) {
    if (typeof engine?.encodeWithOffsets !== 'function') {
      const message = 'cannot make a Tokenizer with new: open a vocabulary with Tokenizer.load() or Tokenizer.loadSync()';
      throw fromCaller(new TypeError(message), new.target);
    }
    this.#vocabulary = new Vocabulary(engine, host);
    this.#host = host;
    if (!inside) Tokenizer.#introduce();
  }

  /** Once, for the first tokenizer: a static block would keep the class in every page, even in pages that do not use it. */
  static #introduce(): void {
    inside = {
      vocabulary: (tokenizer) => tokenizer.#vocabulary,
      host: (tokenizer) => tokenizer.#host,
      closed: (tokenizer) => tokenizer.#closed,
    };
    beginAtCallers(Tokenizer);
    inspectAs(
      Tokenizer.prototype,
      (tokenizer) => (tokenizer.#closed === undefined ? 'Tokenizer' : 'Tokenizer { closed }'),
      (tokenizer) => tokenizer.#shown(),
    );
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
    return this.#vocabulary.description.name;
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
    return this.#vocabulary.description.vocabularySize;
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
    return this.#vocabulary.description.model;
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
    const { description, engine } = this.#vocabulary;
    return backendOf(engine.kind, description.kernel, engine);
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
    return this.#vocabulary.metadata;
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
    return this.#vocabulary.specialTokens;
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
    return this.#vocabulary.roles.bos;
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
    return this.#vocabulary.roles.eos;
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
    return this.#vocabulary.roles.pad;
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
    return this.#vocabulary.roles.unk;
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
    return this.#vocabulary.description.unknownId;
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
    void this.#vocabulary.description; // throws if the tokenizer is closed
    return tokensOf(this.#vocabulary);
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
    return tokenBytes(this.#vocabulary, id);
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
    return idOf(this.#vocabulary, token);
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
    return encode(this.#vocabulary, text, options);
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
    return count(this.#vocabulary, text, options);
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
    return decode(this.#vocabulary, ids, options);
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
    return decodeBytes(this.#vocabulary, ids, options);
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
    return encodeWithOffsets(this.#vocabulary, text, options);
  }

  /**
   * The number of tokens of a text if it is at most `limit`, else false. Counting stops at the limit, so the cost depends
   * on the limit, not on the length of the text; the text after it is not read. A piece, such as a word of a
   * megabyte, is read to its end where it may be a single token.
   *
   * @example
   * ```ts
   * tokenizer.isWithinLimit('hello world', 2); // 2
   * tokenizer.isWithinLimit('hello world', 1); // false
   * ```
   */
  isWithinLimit(text: string | Uint8Array, limit: number, options?: EncodeOptions): number | false {
    return isWithinLimit(this.#vocabulary, text, limit, options);
  }

  /**
   * Cuts a text to `limit` tokens: keeps the beginning, or with `side: 'left'` the end. The result has at most `limit`
   * tokens when encoded alone. The cut is between two tokens of the text and cuts no grapheme cluster apart that fits; the guide
   * on splitting has the rule. A text within the limit is returned as it is; if not even one character fits, the result is empty.
   * The cost depends on the limit, not on the
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
    return truncate(this.#vocabulary, text, limit, options);
  }

  /**
   * Cuts a text into parts of at most `maxTokens` tokens each when encoded alone, in order. Without `overlap` the parts
   * joined are the text; with it, each part begins with that many of the previous part's last tokens, or fewer. Cuts are
   * between tokens and cut no grapheme cluster apart that fits, or at the `separators` you choose: paragraphs, sentences, headings,
   * code blocks. The guide has the rule. For bytes the parts are views. Takes about twice as long as encoding the text, and three
   * to six times for separators or for parts of a few tokens; with an overlap, the tokens that parts share count again.
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
    return split(this.#vocabulary, text, options);
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
  encodeBatch(texts: Texts, options: ResidentBatchOptions<PadOptions & { type?: 'int32' | undefined }>): DeviceBatch<PaddedBatch>;
  encodeBatch(
    texts: Texts,
    options: ResidentBatchOptions<PadOptions & { type: 'bigint64' }>,
  ): DeviceBatch<PaddedBatch<UnsharedBigInt64Array>>;
  encodeBatch(texts: Texts, options: ResidentBatchOptions): DeviceBatch<PaddedBatch | PaddedBatch<UnsharedBigInt64Array>>;
  encodeBatch(texts: Texts, options: PaddedBatchOptions<PadOptions & { type?: 'int32' | undefined }>): PaddedBatch;
  encodeBatch(texts: Texts, options: PaddedBatchOptions<PadOptions & { type: 'bigint64' }>): PaddedBatch<UnsharedBigInt64Array>;
  encodeBatch(texts: Texts, options: PaddedBatchOptions): PaddedBatch | PaddedBatch<UnsharedBigInt64Array>;
  encodeBatch(texts: Texts, options?: BatchOptions & { pad?: undefined; resident?: false | undefined }): TokenBatch;
  encodeBatch(
    texts: Texts,
    options?: BatchOptions & { pad?: PadOptions | undefined },
  ): TokenBatch | PaddedBatch | PaddedBatch<UnsharedBigInt64Array>;
  encodeBatch(
    texts: Texts,
    options?: BatchOptions & { pad?: PadOptions | undefined; resident?: boolean | undefined },
  ): TokenBatch | AnyPaddedBatch | DeviceBatch {
    return encodeBatch(this.#vocabulary, texts, options);
  }

  /**
   * The number of tokens of each text: the row lengths of `encodeBatch`'s result, without producing the ids.
   *
   * @example
   * ```ts
   * tokenizer.countBatch(['hello world', 'hello', '']); // Uint32Array [2, 1, 0]
   * ```
   */
  countBatch(texts: Texts, options?: BatchOptions): UnsharedUint32Array {
    return countBatch(this.#vocabulary, texts, options);
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
    return decodeBatch(this.#vocabulary, rows, options);
  }

  /**
   * Encodes two texts for models that take pairs, such as BERT and rerankers. The `post_processor` of the model's
   * `tokenizer.json` defines how they are combined: the ids around them, and the type of each id. The mask is all 1. If it does
   * not mention pairs, the second text follows the first and has type 1. Without a second text, the template for single texts
   * applies.
   *
   * Each text is encoded alone. Throws `INVALID_TEMPLATE` if the file's template for pairs lacks one of the texts.
   *
   * @example
   * ```ts
   * tokenizer.encodePair('hello world', 'hello'); // { ids: Uint32Array [24912, 2375, 24912], typeIds: Uint32Array [0, 0, 1], mask: Uint32Array [1, 1, 1] }
   * tokenizer.encodePair('hello world').typeIds; // Uint32Array [0, 0]
   * ```
   */
  encodePair(text: string | Uint8Array, textPair?: string | Uint8Array, options?: PairOptions): EncodedPair {
    return encodePair(this.#vocabulary, text, textPair, options);
  }

  /**
   * The same for many pairs, as one rectangle: ids, types and mask, with every row padded to the same length. Encodes the texts
   * as `encodeBatch` does.
   *
   * @example
   * ```ts
   * const { ids, typeIds, mask, shape } = tokenizer.encodePairBatch([['hello world', 'hello'], ['hello', 'hello']]);
   * ids; // Int32Array [24912, 2375, 24912, 24912, 24912, 0]
   * typeIds; // Int32Array [0, 0, 1, 0, 1, 0]
   * mask; // Int32Array [1, 1, 1, 1, 1, 0]
   * shape; // [2, 3]
   * ```
   */
  encodePairBatch(
    pairs: readonly (readonly [string | Uint8Array, string | Uint8Array])[],
    options?: PairBatchOptions<PadOptions & { type?: 'int32' | undefined }>,
  ): PaddedPairs;
  encodePairBatch(
    pairs: readonly (readonly [string | Uint8Array, string | Uint8Array])[],
    options: PairBatchOptions<PadOptions & { type: 'bigint64' }>,
  ): PaddedPairs<UnsharedBigInt64Array>;
  encodePairBatch(
    pairs: readonly (readonly [string | Uint8Array, string | Uint8Array])[],
    options?: PairBatchOptions,
  ): PaddedPairs | PaddedPairs<UnsharedBigInt64Array>;
  encodePairBatch(
    pairs: readonly (readonly [string | Uint8Array, string | Uint8Array])[],
    options?: PairBatchOptions,
  ): PaddedPairs | PaddedPairs<UnsharedBigInt64Array> {
    return encodePairBatch(this.#vocabulary, pairs, options);
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
    return new StreamEncoder(this.#vocabulary, options);
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
    return new StreamDecoder(this.#vocabulary, options);
  }

  /**
   * A stream from chunks of text to ids, which equal one `encode` of the whole text wherever chunks end, even inside a
   * character or a special token. Chunks are strings or bytes, not both. Ids are emitted when no further text can change
   * them, at most 72 bytes later, and at most 65,536 at a time. Short chunks are gathered up to 256 units; when the source pauses, they are encoded within
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
    return encodeStream(() => new StreamEncoder(this.#vocabulary, options), fromCallSite(Tokenizer.prototype.encodeStream));
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
    return decodeStream(() => new StreamDecoder(this.#vocabulary, options), fromCallSite(Tokenizer.prototype.decodeStream));
  }

  /**
   * A stream from texts to records, such as the lines of a dataset: each text is normalized (if `normalize` is set),
   * encoded, and returned as `{ id, inputIds, length }`, in order. A text is a string, whose id is its index in the stream,
   * or `{ id, text }`. Up to four long texts are encoded at a time, like `encodeAsync`, while the next ones are normalized;
   * short texts are encoded immediately.
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
    return encodePipeline<Id>(this.#host, this.#vocabulary, options, fromCallSite(Tokenizer.prototype.encodePipeline));
  }

  /**
   * The same ids as `encode`, without blocking the thread. In Node, the process's threads encode a long text together; in a
   * browser, a worker does. Without one, the thread encodes in slices and lets other work run after every 8 milliseconds.
   * Two things can block longer: the first read of a string concatenated from others (up to a millisecond per million
   * characters), and, in slices, a piece of text without a boundary, such as megabytes of one letter.
   *
   * Bytes are not copied immediately: do not change them until the promise is settled. After `swap` a job already begun
   * continues with its vocabulary; after `close`, jobs in threads continue too, and others are rejected (`CLOSED`). An
   * aborted `signal` rejects the promise immediately with its reason; threads and workers finish their current parts, at
   * most a few milliseconds of work.
   *
   * @example
   * ```ts
   * await tokenizer.encodeAsync('hello world'); // Uint32Array [24912, 2375]
   * await tokenizer.encodeAsync('hello world', { signal: AbortSignal.timeout(60_000) }); // Uint32Array [24912, 2375]
   * ```
   */
  encodeAsync(text: string | Uint8Array, options?: AsyncOptions): Promise<UnsharedUint32Array> {
    return promised(Tokenizer.prototype.encodeAsync, () => encodeAsync(this.#host, this.#vocabulary, text, options), options);
  }

  /**
   * The number of tokens of a text, without blocking the thread; otherwise like `encodeAsync`.
   *
   * @example
   * ```ts
   * await tokenizer.countAsync('hello world'); // 2
   * ```
   */
  countAsync(text: string | Uint8Array, options?: AsyncOptions): Promise<number> {
    return promised(Tokenizer.prototype.countAsync, () => countAsync(this.#host, this.#vocabulary, text, options), options);
  }

  /**
   * The same rows as `encodeBatch`, without blocking the thread: threads or workers share a long batch. Otherwise like
   * `encodeAsync`. The list is read before the call returns, about 30 ms for a million texts; the texts themselves are read
   * later.
   *
   * @example
   * ```ts
   * const batch = await tokenizer.encodeBatchAsync(['hello world', 'hello'], { threads: 2 });
   * batch.row(1); // Uint32Array [24912]
   * await tokenizer.encodeBatchAsync(['hello world', 'hello'], { pad: { length: 2 } }); // { ids: Int32Array [24912, 2375, 24912, 0], mask: Int32Array [1, 1, 1, 0], shape: [2, 2] }
   * ```
   */
  encodeBatchAsync(
    texts: Texts,
    options: AsyncResidentBatchOptions<PadOptions & { type?: 'int32' | undefined }>,
  ): Promise<DeviceBatch<PaddedBatch>>;
  encodeBatchAsync(
    texts: Texts,
    options: AsyncResidentBatchOptions<PadOptions & { type: 'bigint64' }>,
  ): Promise<DeviceBatch<PaddedBatch<UnsharedBigInt64Array>>>;
  encodeBatchAsync(
    texts: Texts,
    options: AsyncResidentBatchOptions,
  ): Promise<DeviceBatch<PaddedBatch | PaddedBatch<UnsharedBigInt64Array>>>;
  encodeBatchAsync(texts: Texts, options: AsyncPaddedBatchOptions<PadOptions & { type?: 'int32' | undefined }>): Promise<PaddedBatch>;
  encodeBatchAsync(
    texts: Texts,
    options: AsyncPaddedBatchOptions<PadOptions & { type: 'bigint64' }>,
  ): Promise<PaddedBatch<UnsharedBigInt64Array>>;
  encodeBatchAsync(texts: Texts, options: AsyncPaddedBatchOptions): Promise<PaddedBatch | PaddedBatch<UnsharedBigInt64Array>>;
  encodeBatchAsync(texts: Texts, options?: AsyncBatchOptions & { pad?: undefined; resident?: false | undefined }): Promise<TokenBatch>;
  encodeBatchAsync(
    texts: Texts,
    options?: AsyncBatchOptions & { pad?: PadOptions | undefined },
  ): Promise<TokenBatch | PaddedBatch | PaddedBatch<UnsharedBigInt64Array>>;
  async encodeBatchAsync(
    texts: Texts,
    options?: AsyncBatchOptions & { pad?: PadOptions | undefined; resident?: boolean | undefined },
  ): Promise<TokenBatch | AnyPaddedBatch | DeviceBatch> {
    return encodeBatchAsync(this.#host, this.#vocabulary, texts, options);
  }

  /**
   * The same parts as `split`, without blocking the thread; otherwise like `encodeAsync`. One thread or worker cuts the text.
   *
   * @example
   * ```ts
   * await tokenizer.splitAsync('hello world, how are you?', { maxTokens: 3 }); // ['hello world,', ' how are you', '?']
   * ```
   */
  splitAsync(text: string, options: SplitAsyncOptions & { withOffsets: true }): Promise<TextPart[]>;
  splitAsync(text: Uint8Array, options: SplitAsyncOptions & { withOffsets: true }): Promise<TextPart<Uint8Array>[]>;
  splitAsync(text: string, options: SplitAsyncOptions & { withOffsets?: false | undefined }): Promise<string[]>;
  splitAsync(text: Uint8Array, options: SplitAsyncOptions & { withOffsets?: false | undefined }): Promise<Uint8Array[]>;
  splitAsync(text: string | Uint8Array, options: SplitAsyncOptions): Promise<string[] | Uint8Array[] | TextPart[] | TextPart<Uint8Array>[]>;
  async splitAsync(text: string | Uint8Array, options: SplitAsyncOptions): Promise<never[]> {
    return splitAsync(this.#host, this.#vocabulary, text, options) as Promise<never[]>;
  }

  /**
   * The parts of each text, as `split` cuts it, without blocking the thread: threads or workers take a text each.
   *
   * @example
   * ```ts
   * await tokenizer.splitBatch(['hello world', 'one two'], { maxTokens: 1 }); // [['hello', ' world'], ['one', ' two']]
   * ```
   */
  splitBatch(texts: readonly string[], options: SplitAsyncOptions & { withOffsets: true }): Promise<TextPart[][]>;
  splitBatch(texts: readonly string[], options: SplitAsyncOptions & { withOffsets?: false | undefined }): Promise<string[][]>;
  splitBatch(texts: Texts, options: SplitAsyncOptions): Promise<(string[] | Uint8Array[] | TextPart[] | TextPart<Uint8Array>[])[]>;
  async splitBatch(texts: Texts, options: SplitAsyncOptions): Promise<never[]> {
    return splitBatch(this.#host, this.#vocabulary, texts, options) as Promise<never[]>;
  }

  /**
   * The ids of a file of any size, in parts of a few megabytes; together they equal one `encode` of its bytes. The process's
   * threads encode one part while the next is read and the caller works on the previous one; they wait while nobody asks for
   * parts. Memory stays below 200 MB with two threads, or a few times the longest piece (a file of one letter is one piece); from
   * 512 KB of text on, add up to `cacheBytes` per thread. If the vocabulary puts a space before a text (`add_prefix_space`), the
   * calling thread encodes, in turns of the event loop.
   *
   * Node only. `path` is a path or `file:` URL of a regular file. For anything else and for missing files the first part throws
   * (`FILE_NOT_FOUND`, `FILE_UNREADABLE`, also for gzip files), as it does for an invalid text, with the byte in the file. The
   * file is closed when the iteration ends, also with `break`, and when the `signal` is aborted. The iteration keeps the current
   * vocabulary, whatever `swap` and `close` do later; in WebAssembly `close` ends it with an error (`CLOSED`).
   *
   * If the file changes meanwhile, because it shrinks, grows or is rewritten (its size or modification time changes), an
   * error replaces the last part (`FILE_UNREADABLE`, with the number of bytes read). A file replaced by renaming another over
   * it is read to its end. To encode a growing log up to its current end, pass `createReadStream(path, { end })` to
   * `encodeStream`.
   *
   * In a page, `file.stream().pipeThrough(tokenizer.encodeStream())` does the same.
   *
   * @example
   * ```ts
   * let count = 0;
   * for await (const { ids } of tokenizer.encodeFile('hello.txt')) count += ids.length;
   * count; // 2
   * ```
   */
  encodeFile(path: string | URL, options?: FileOptions): AsyncGenerator<FileTokens, void, undefined> {
    return encodeFile(this.#host, this.#vocabulary, path, options, Tokenizer.prototype.encodeFile);
  }

  /**
   * The text of a chat as the model's own template writes it, like Hugging Face's `apply_chat_template` without tokenizing. A
   * cartridge has the templates of its `tokenizer.json` if a `tokenizer_config.json` or `chat_template.jinja` lay beside it;
   * otherwise pass `template`. The text equals Python Jinja2's, character by character. The first call loads the renderer.
   *
   * Messages, tools, documents and variables are data or JSON text. In JSON text, numbers are as in Python: `1.0` is a float,
   * and integers have any size. In data, an integral number is an integer.
   *
   * A template is a program. It sees only plain data, and its steps, memory and time are bounded, but an untrusted one can
   * still write anything into the prompt and take a second to do so. Throws `TEMPLATE_REFUSED` if the template raises an
   * exception, as many do for an unexpected order of roles, `CHAT_BUDGET` if it takes more than
   * a chat needs, and `INVALID_TEMPLATE` if there is no template or it has an error.
   *
   * The messages are copied when the call is made. Rendering then gives the thread back every 8 ms.
   *
   * @example
   * ```ts
   * const template = '{% for m in messages %}[{{ m.role }}] {{ m.content | trim }}\n{% endfor %}';
   * await tokenizer.renderChat([{ role: 'user', content: ' hello ' }], { template }); // '[user] hello\n'
   * ```
   */
  async renderChat(messages: readonly TemplateMessage[] | string, options?: RenderChatOptions): Promise<string> {
    return renderChat(this.#host, this.#vocabulary, messages, options);
  }

  /**
   * The ids of a chat: the text of `renderChat`, with special tokens as tokens and nothing added around it, like Hugging
   * Face's `apply_chat_template`.
   *
   * By default, as in Hugging Face, a special token typed into a message is a token too: `<|im_end|>` ends the message, and
   * a system message can follow. For untrusted texts use `special: 'template'`, which makes tokens only of the template's
   * own special tokens, or `'forbid'`. With `origins` or `assistantMask` the result is an object.
   *
   * A long text is encoded by other threads if nothing but `special: 'allow'` is asked for, and otherwise on this one, in slices of 8 ms.
   *
   * @example
   * ```ts
   * const template = '{% for m in messages %}{{ m.content }}<|endoftext|>{% endfor %}';
   * await tokenizer.encodeChat([{ role: 'user', content: 'hello' }], { template }); // Uint32Array [24912, 199999]
   * ```
   */
  encodeChat(
    messages: readonly TemplateMessage[] | string,
    options: EncodeChatOptions & ({ origins: true } | { assistantMask: true }),
  ): Promise<EncodedChat>;
  encodeChat(
    messages: readonly TemplateMessage[] | string,
    options?: EncodeChatOptions & { origins?: false | undefined; assistantMask?: false | undefined },
  ): Promise<UnsharedUint32Array>;
  encodeChat(messages: readonly TemplateMessage[] | string, options?: EncodeChatOptions): Promise<UnsharedUint32Array | EncodedChat>;
  async encodeChat(messages: readonly TemplateMessage[] | string, options?: EncodeChatOptions): Promise<UnsharedUint32Array | EncodedChat> {
    return encodeChat(this.#host, this.#vocabulary, messages, options);
  }

  /**
   * The number of ids of a chat: the length of `encodeChat`'s result with the same options, without producing the ids.
   * `countMessages` uses OpenAI's rules instead, for models without a published template.
   *
   * @example
   * ```ts
   * const template = '{% for m in messages %}{{ m.content }}<|endoftext|>{% endfor %}';
   * await tokenizer.countChat([{ role: 'user', content: 'hello' }], { template }); // 2
   * ```
   */
  async countChat(messages: readonly TemplateMessage[], options?: EncodeChatOptions): Promise<number> {
    return countChat(this.#host, this.#vocabulary, messages, options);
  }

  /**
   * A chat that changes message by message, without messages at first. Its ids are always those of `encodeChat` with the same
   * options; a change renders the whole chat, and encodes only what has changed. Loads the renderer; after that, the conversation's
   * methods are synchronous. In pages, load the tokenizer with `documents: true`.
   *
   * With `model`, the name of a model of OpenAI whose template is not published, the conversation has no ids and no text; its `count`, and
   * so `trimTo`, are by the rules of `countMessages`.
   *
   * The conversation keeps the current vocabulary, whatever `swap` does later; after the tokenizer's `close`, calls throw
   * (`CLOSED`).
   *
   * @example
   * ```ts
   * const template = '{% for m in messages %}{{ m.content }}<|endoftext|>{% endfor %}';
   * using chat = await tokenizer.conversation({ template });
   * chat.add({ role: 'user', content: 'hello' }); // { from: 0, removed: 0, inserted: 2 }
   * chat.count; // 2
   * ```
   */
  async conversation(options?: ConversationOptions | ModelConversationOptions): Promise<Conversation> {
    return conversation(this.#host, this.#vocabulary, options);
  }

  /**
   * The number of tokens a chat takes in a request to OpenAI (Chat Completions), by OpenAI's published rules: for messages
   * to gpt-3.5-turbo, gpt-4, gpt-4o and gpt-4o-mini, for simple tools with some of these, and for images of known size.
   * OpenAI calls these counts estimates, which can change with the model. Special tokens in texts are ordinary text.
   *
   * Anything else, such as later models, tool calls and nested schemas, throws a `RangeError`. With `estimate: true` it is
   * counted by a model of what OpenAI's servers add, fitted to requests with recorded usage, and `onAssumption` is told what
   * is assumed, before the call returns; if it is not called, the number is no estimate. The model reproduces 131 of 137 such
   * requests exactly and misses the others by 1 or 2 tokens; expect larger errors for models and fields outside that set. A
   * request fully covered by the published rules is counted by them either way. Requests to Claude, in the shape of
   * Anthropic's API, are estimated with the tokenizer at hand.
   *
   * @example
   * ```ts
   * const messages = [{ role: 'user', content: 'hello world' }];
   * tokenizer.countMessages(messages, { model: 'gpt-4o' }); // 9
   * tokenizer.countMessages(messages, { model: 'gpt-5' }); // throws RangeError
   * tokenizer.countMessages(messages, { model: 'gpt-5', estimate: true }); // 8
   * ```
   */
  countMessages(messages: readonly ChatMessage[] | readonly ClaudeMessage[], options?: CountMessagesOptions): number {
    return countMessages(this.#vocabulary, messages, options);
  }

  /**
   * A text that grows and is edited, with its ids after every edit: the same as one `encode` of the whole text, at the cost of
   * what changes. It keeps the current vocabulary, whatever `swap` does later; after the tokenizer's `close`, calls throw
   * (`CLOSED`).
   *
   * @example
   * ```ts
   * using text = tokenizer.document('hello');
   * text.append(' world'); // { from: 1, removed: 0, inserted: 1 }
   * text.ids; // Uint32Array [24912, 2375]
   * ```
   */
  document(text: string | Uint8Array = '', options?: DocumentOptions): TextDocument {
    const { openDocument } = this.#host;
    if (openDocument) return openDocument(this.#vocabulary.engine, text, options);
    void this.#vocabulary.description; // throws if the tokenizer is closed
    const message = 'cannot open a document: load the tokenizer with { documents: true }';
    throw new TokenizerError(message, { code: 'FEATURE_MISSING' });
  }

  /**
   * The ids of all tokens whose bytes, as from `tokenBytes`, begin with a string or with bytes, in ascending order: what a model
   * may say next if the text must go on like that. Without `addedTokens`, special and other added tokens do not count.
   *
   * The first call sorts the vocabulary, which takes about 0.2 s for 200,000 tokens and some 3 MB until `swap` or `close`.
   *
   * @example
   * ```ts
   * tokenizer.tokensWithPrefix(' tokeniz'); // Uint32Array [99665, 192720]
   * tokenizer.tokensWithPrefix('<|end', { addedTokens: true }); // Uint32Array [199999, 200018]
   * ```
   */
  tokensWithPrefix(prefix: string | Uint8Array, options?: PrefixOptions): UnsharedUint32Array {
    return tokensWithPrefix(this.#vocabulary, prefix, options);
  }

  /**
   * Token healing: where to step back in a prompt, so that the model can go on with tokens that span its end. Removes as many of
   * the last tokens as possible such that their bytes, joined, are the beginning of a longer token; `prefix` is these bytes, and
   * the next tokens must begin with it. Nothing is removed at or before an added token or the unknown token, nor across the
   * beginning of a word of WordPiece, nor if the text ends in something that has no token, such as a space after a word of BERT.
   *
   * `prompt`: a text as a string, or its ids. With `addedTokens`, the longer token may be an added one.
   *
   * @example
   * ```ts
   * const { ids, removed, prefix } = tokenizer.healing('The link is <a href="http:');
   * removed; // 1
   * new TextDecoder().decode(prefix); // ':'
   * tokenizer.decode(ids); // 'The link is <a href="http'
   * ```
   */
  healing(prompt: string | TokenIds, options?: HealingOptions): Healing {
    return healing(this.#vocabulary, prompt, options);
  }

  /**
   * Encodes a text and keeps what `adapt` needs: how much of it the vocabulary lacks, and its bytes. Returns the text's
   * rate: the share of its tokens that are the unknown id or single bytes of a character. Costs as much as `encode` plus a
   * copy of the text.
   *
   * Keeps the rates of the latest 1000 texts, and the latest megabyte of their text; of a longer text, its first megabyte.
   * A text without tokens does not count. Changing the vocabulary starts over.
   *
   * @example
   * ```ts
   * using lite = Tokenizer.loadSync('lite');
   * lite.observe('hello world'); // 0
   * lite.observe('ᚠ'); // 1
   * lite.observed; // { rate: 0.5, texts: 2, bytes: 14 }
   * ```
   */
  observe(text: string | Uint8Array, options?: EncodeOptions): number {
    this.#observations ??= new Observations(this.#vocabulary);
    return observe(this.#observations, this.#vocabulary, text, options);
  }

  /**
   * What has been observed since the tokenizer got its vocabulary.
   *
   * @example
   * ```ts
   * tokenizer.observed; // { rate: 0, texts: 0, bytes: 0 }
   * ```
   */
  get observed(): Observed {
    void this.#vocabulary.description; // throws if the tokenizer is closed
    return this.#observations?.observed ?? { rate: 0, texts: 0, bytes: 0 };
  }

  /**
   * Proposes tokens for texts that the vocabulary encodes badly: if the mean rate of the observed texts is at least
   * `threshold`, it compiles a cartridge with more tokens. Existing ids do not change; new ones follow them. Nothing changes
   * before `commit`.
   *
   * The tokens are merges, chosen as in BPE training on the sample as the vocabulary encodes it: the most frequent pair,
   * on a tie the one with the larger ids; then everything is counted again. Pairs cross neither pretokenizer pieces nor
   * special tokens. For longest match, an unknown character is counted like a pair and first becomes a token. The new
   * cartridge is checked before it is proposed: every old id has its token, and the sample decodes as before and needs no
   * more tokens. Otherwise the call throws (`BUILD_FAILED`).
   *
   * With BPE every text is cut as before, then merged further. With longest match, texts outside the sample may be cut
   * differently, and a few may need more tokens.
   *
   * For profiles (`lite`, `standard`) and your own vocabularies, trained or compiled. Published encodings are rejected,
   * since their models know no other ids. Works in slices of a few milliseconds, and compiles on another thread.
   *
   * @example
   * ```ts
   * const trained = await trainBpe('low lower lowest', { vocabularySize: 260 });
   * using own = await Tokenizer.load(await trained.toCartridge());
   * own.observe('ёлка, ёлка, ёлка');
   * const adaptation = await own.adapt({ add: 7 });
   * adaptation.saved; // 21
   * own.count('ёлка'); // 8
   * await adaptation.commit();
   * own.count('ёлка'); // 1
   * ```
   */
  async adapt(options?: AdaptOptions): Promise<Adaptation> {
    const { observed } = this;
    const { adapt, open } = this.#host;
    if (!adapt) throw new Error("adapt needs a compiler: import 'crayon-tokenizer' instead");
    const { engine } = this.#vocabulary;
    const take = (engine: EngineTokenizer) => this.#take(engine);
    const inUse = (engine: EngineTokenizer) => this.#closed ?? this.#vocabulary.engine === engine;
    return adapt({ engine, inUse, observed, texts: this.#observations?.texts ?? [], open, take }, options);
  }

  /**
   * Changes this tokenizer's vocabulary, for everyone who holds the tokenizer. Takes the same sources as `load`. A source
   * that needs no waiting (in Node, anything but a `Response`, a `Blob` or a promise) is in use when the call returns,
   * natively within microseconds if the cartridge is already open. Calls already begun keep their vocabulary. If the new
   * source cannot be opened, the tokenizer is unchanged.
   *
   * @example
   * ```ts
   * await tokenizer.swap('cl100k_base');
   * tokenizer.encode('hello world'); // Uint32Array [15339, 1917]
   * ```
   */
  async swap(source: Source | LateSource, options?: LoadOptions): Promise<void> {
    const engine = this.#host.open(source, options, this.#vocabulary.engine);
    this.#take(isPromise(engine) ? await engine : engine);
  }

  /**
   * Opens another vocabulary for the duration of a function, which gets a tokenizer for it. That tokenizer is closed
   * when the function ends or, if it returns a promise, when the promise settles, also after an error. This tokenizer is
   * not affected, so several calls may overlap. Takes the same sources as `load` and returns the function's result. If
   * the source needs no waiting, the function is called before `using` returns.
   *
   * @example
   * ```ts
   * await tokenizer.using('cl100k_base', (other) => other.encode('hello world')); // Uint32Array [15339, 1917]
   * tokenizer.encode('hello world'); // Uint32Array [24912, 2375]
   * ```
   */
  async using<Result>(
    source: Source | LateSource,
    fn: (tokenizer: this) => Result | PromiseLike<Result>,
    options?: LoadOptions,
  ): Promise<Result> {
    if (typeof fn !== 'function') throw unexpected('a function', 'fn', fn);
    const engine = this.#host.open(source, options, this.#vocabulary.engine);
    const scoped = this.#begin(isPromise(engine) ? await engine : engine);
    try {
      const result = fn(scoped);
      return isPromise(result) ? await result : result;
    } catch (error) {
      throw ofCaller(error);
    } finally {
      this.#scoped.delete(scoped);
      scoped.#retire();
    }
  }

  /**
   * The memory that the tokenizer holds now. A thread's cached pieces are counted once it has finished a part of a text.
   *
   * @example
   * ```ts
   * tokenizer.memory.private; // 0
   * ```
   */
  get memory(): MemoryUse {
    return this.#vocabulary.engine.memory();
  }

  /**
   * Frees the memory in which the tokenizer caches pieces, except for texts being encoded. The next texts start cold: full
   * speed returns after a few megabytes of text. Memory beyond 16 MiB per thread, used for long texts, is freed automatically
   * five seconds after the last job. Both give freed memory back to the system where the allocator would keep it (glibc). No effect in
   * WebAssembly, where a module's memory cannot shrink.
   *
   * @example
   * ```ts
   * tokenizer.count('hello world'); // 2
   * tokenizer.trim();
   * tokenizer.memory.caches; // 0
   * ```
   */
  trim(): void {
    this.#vocabulary.engine.trim();
  }

  /**
   * Releases the tokenizer's resources immediately, including its workers and the tokenizers of `using`. Calling it
   * again has no effect. The garbage collector closes an unreachable tokenizer.
   *
   * @example
   * ```ts
   * tokenizer.close();
   * tokenizer.count('hello'); // throws TokenizerError (CLOSED)
   * ```
   */
  close(): void {
    for (const scoped of this.#scoped) scoped.close();
    this.#host.end?.(this.#vocabulary.engine);
    this.#observations = undefined;
    this.#closed ??= 'the tokenizer has been closed';
    this.#vocabulary.close();
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

  /** What `console.log` prints. */
  #shown(): object | undefined {
    if (this.#closed !== undefined) return undefined;
    const { description, engine } = this.#vocabulary;
    const { name, vocabularySize, kernel } = description;
    return { name, vocabularySize, backend: `${engine.kind} (${kernel})` };
  }

  /** Replaces the engine; observations were about the previous one. A closed tokenizer accepts none, and closes it. */
  #take(engine: EngineTokenizer): void {
    this.#checkOpen('change the vocabulary', engine);
    this.#exchange(engine);
    this.#observations = undefined;
  }

  #begin(engine: EngineTokenizer): this {
    this.#checkOpen('open another vocabulary', engine);
    const Class = this.constructor as new (engine: EngineTokenizer, host: Host) => this;
    const scoped = new Class(engine, this.#host);
    this.#scoped.add(scoped);
    return scoped;
  }

  #checkOpen(doing: string, engine: EngineTokenizer): void {
    if (this.#closed === undefined) return;
    engine.close();
    throw new TokenizerError(`cannot ${doing}: ${this.#closed}`, { code: 'CLOSED' });
  }

  /** Closes it at the end of `using`: later calls say so, and sessions already begun run to their end. */
  #retire(): void {
    if (this.#closed !== undefined) return;
    this.#closed = 'the tokenizer of using() has been closed, as its function has ended; await its calls within';
    this.#exchange(closedEngine(this.#closed));
  }

  #exchange(engine: EngineTokenizer): void {
    retireUnused(this.#vocabulary.engine);
    this.#vocabulary.exchange(engine);
  }
}

/** What a tokenizer has open: the same object for as long as it lives, whatever it swaps. */
export function vocabularyOf(tokenizer: Tokenizer): Vocabulary {
  return (inside as Inside).vocabulary(tokenizer);
}

/** The engine that it has now. */
export function engineOf(tokenizer: Tokenizer): EngineTokenizer {
  return vocabularyOf(tokenizer).engine;
}

/** What the tokenizer's entry provides. */
export function hostOf(tokenizer: Tokenizer): Host {
  return (inside as Inside).host(tokenizer);
}

/** Why a tokenizer is closed; undefined while it is open. */
export function whyClosed(tokenizer: Tokenizer): string | undefined {
  return (inside as Inside).closed(tokenizer);
}
