// A tokenizer loaded by an entry: it can load other vocabularies, permanently or temporarily.

import type { AdaptOptions, Adaptation, Observed } from './adaptation.js';
import { type EncodeOptions, policyFor, policyOf, SPECIAL_FORBID, specialOf, textBytes, type TokenIds } from './arguments.js';
import {
  ASYNC_BATCH_OPTIONS,
  ASYNC_OPTIONS,
  type AsyncBatchOptions,
  type AsyncOptions,
  FILE_OPTIONS,
  type FileOptions,
  mmapOf,
  type AsyncPaddedBatchOptions,
  type AsyncResidentBatchOptions,
  jobOf,
  PAD_BATCH_OPTIONS,
  paddingOf,
  residentOf,
} from './async-options.js';
import type { RowJob } from '../engine/background.js';
import type { DeviceBatch } from '../engine/device-batch.js';
import { checkHasDevices } from '../engine/devices.js';
import type { EngineTokenizer, MemoryUse } from '../engine/engine.js';
import { backgroundInTurns } from '../engine/encode-in-slices.js';
import {
  type Chat,
  type ChatCall,
  chatRequest,
  countChat,
  type EncodeChatOptions,
  type EncodedChat,
  ownTemplates,
  type RenderChatOptions,
  type TemplateMessage,
} from './chat.js';
import { Conversation } from './conversation.js';
import { conversationOptions, type ConversationOptions } from './conversation-options.js';
import { fromCaller, fromCallSite, TokenizerError, unexpected } from '../base/errors.js';
import { failureInIds, failureInText } from './failures.js';
import { type Healing, healing, type HealingOptions, type PrefixOptions, tokensWithPrefix } from './healing.js';
import { retain, release } from '../engine/references.js';
import type { Call, FilePart, FileTokens, Host, Reading } from './host.js';
import { Observations } from './observations.js';
import { checkOptionNames } from '../base/options.js';
import { isPromise } from '../base/promise.js';
import type { LateSource } from '../open/source.js';
import type { LoadOptions } from '../open/load-options.js';
import type { Source } from '../open/source.js';
import { type AnyPaddedBatch, type Padding, padInSlices, type PaddedBatch, type PadOptions } from '../engine/padding.js';
import {
  type EncodedPair,
  failureInPair,
  type PairBatchOptions,
  type PairOptions,
  type PaddedPairs,
  padPairs,
  piecesFor,
  putTogether,
  textsOfPairs,
} from './pair.js';
import { partsAt } from './split/parts.js';
import { checkedSeparators } from './split/separators.js';
import { decodeStream } from './streams/decode-stream.js';
import { StreamDecoder } from './streams/stream-decoder.js';
import { type Template, templateOf } from './template.js';
import { DOCUMENT_OPTIONS, type DocumentOptions, openDocument, type TextDocument } from './text-document.js';
import { checkedTexts, textAt, type TextRows, type Texts } from '../engine/text-rows.js';
import { TokenBatch } from './token-batch.js';
import { engineOf, exchangeEngine, retire, Tokenizer, useSeparators, useStreamDecoders, vocabularyOf, whyClosed } from './tokenizer.js';
import { inTimeSlices } from '../base/time-slices.js';
import type { UnsharedBigInt64Array, UnsharedUint32Array } from '../base/typed-arrays.js';

useSeparators({ checkedSeparators, partsAt });
useStreamDecoders({ StreamDecoder, decodeStream });

/** Opens a source, synchronously where the host can. `before`: the engine to be replaced. */
export type Open = (
  source: Source | LateSource,
  options: LoadOptions | undefined,
  before?: EngineTokenizer,
) => EngineTokenizer | Promise<EngineTokenizer>;

type Ask<Result> = (call: Call, text: string | Uint8Array) => Promise<Result>;

let partsOfFile: (
  tokenizer: LoadedTokenizer,
  path: string,
  options: AsyncOptions | undefined,
  reading: Reading,
) => AsyncGenerator<FilePart, void, undefined>;

let rowsIn: (tokenizer: LoadedTokenizer, rows: TextRows, options: AsyncOptions, most: number) => RowsToWrite | undefined;

/** Rows that are being encoded, and the ids around each. */
export interface RowsToWrite {
  job: RowJob;
  template: Template;
}

const SCOPE_HAS_ENDED = 'the tokenizer of using() has been closed, as its function has ended; await its calls within';

/** The public API, plus loading other vocabularies. */
export class LoadedTokenizer extends Tokenizer {
  readonly #open: Open;
  readonly #host: Host;
  /** Creates another tokenizer of the same entry. */
  readonly #make: (engine: EngineTokenizer) => this;
  /** The tokenizers of `using` calls whose functions have not ended. */
  readonly #scoped = new Set<LoadedTokenizer>();
  /** Observations for the vocabulary in use. */
  #observations: Observations | undefined;

  static {
    rowsIn = (tokenizer, rows, options, most) => {
      const { background, policy, template, job } = tokenizer.#call(options);
      const begun = background.encodeRows?.(rows, policy, job, most);
      return begun && { job: begun, template };
    };
    partsOfFile = (tokenizer, path, options, reading) => tokenizer.#files.parts(path, tokenizer.#call(options), reading, partsOfFile);
  }

  /** @internal */
  constructor(engine: EngineTokenizer, open: Open, host: Host = {}) {
    super(engine);
    this.#open = open;
    this.#host = host;
    const Class = new.target as unknown as new (engine: EngineTokenizer, open: Open, host?: Host) => this;
    this.#make = (engine) => new Class(engine, open, host);
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
  async encodeAsync(text: string | Uint8Array, options?: AsyncOptions): Promise<UnsharedUint32Array> {
    const ask: Ask<UnsharedUint32Array> = async ({ background, policy, template, job }, text) =>
      template.around(await background.encode(text, policy, job));
    return this.#ofText(text, options, ask, LoadedTokenizer.prototype.encodeAsync);
  }

  /**
   * The number of tokens of a text, without blocking the thread; otherwise like `encodeAsync`.
   *
   * @example
   * ```ts
   * await tokenizer.countAsync('hello world'); // 2
   * ```
   */
  async countAsync(text: string | Uint8Array, options?: AsyncOptions): Promise<number> {
    const ask: Ask<number> = async ({ background, policy, template, job }, text) =>
      template.size + (await background.count(text, policy, job));
    return this.#ofText(text, options, ask, LoadedTokenizer.prototype.countAsync);
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
    texts: readonly (string | Uint8Array)[] | TextRows,
    options: AsyncResidentBatchOptions<PadOptions & { type?: 'int32' | undefined }>,
  ): Promise<DeviceBatch<PaddedBatch>>;
  encodeBatchAsync(
    texts: readonly (string | Uint8Array)[] | TextRows,
    options: AsyncResidentBatchOptions<PadOptions & { type: 'bigint64' }>,
  ): Promise<DeviceBatch<PaddedBatch<UnsharedBigInt64Array>>>;
  encodeBatchAsync(
    texts: readonly (string | Uint8Array)[] | TextRows,
    options: AsyncResidentBatchOptions,
  ): Promise<DeviceBatch<PaddedBatch | PaddedBatch<UnsharedBigInt64Array>>>;
  encodeBatchAsync(
    texts: readonly (string | Uint8Array)[] | TextRows,
    options: AsyncPaddedBatchOptions<PadOptions & { type?: 'int32' | undefined }>,
  ): Promise<PaddedBatch>;
  encodeBatchAsync(
    texts: readonly (string | Uint8Array)[] | TextRows,
    options: AsyncPaddedBatchOptions<PadOptions & { type: 'bigint64' }>,
  ): Promise<PaddedBatch<UnsharedBigInt64Array>>;
  encodeBatchAsync(
    texts: readonly (string | Uint8Array)[] | TextRows,
    options: AsyncPaddedBatchOptions,
  ): Promise<PaddedBatch | PaddedBatch<UnsharedBigInt64Array>>;
  encodeBatchAsync(
    texts: readonly (string | Uint8Array)[] | TextRows,
    options?: AsyncBatchOptions & { pad?: undefined; resident?: false | undefined },
  ): Promise<TokenBatch>;
  encodeBatchAsync(
    texts: readonly (string | Uint8Array)[] | TextRows,
    options?: AsyncBatchOptions & { pad?: PadOptions | undefined },
  ): Promise<TokenBatch | PaddedBatch | PaddedBatch<UnsharedBigInt64Array>>;
  async encodeBatchAsync(
    texts: readonly (string | Uint8Array)[] | TextRows,
    options?: AsyncBatchOptions & { pad?: PadOptions | undefined; resident?: boolean | undefined },
  ): Promise<TokenBatch | AnyPaddedBatch | DeviceBatch> {
    let call: Call | undefined;
    let own: Texts = [];
    try {
      const padding = paddingOf(options);
      call = this.#call(options, ASYNC_BATCH_OPTIONS);
      const isResident = residentOf(options);
      checkHasDevices(call.engine, call.job.device, isResident);
      if (call.job.signal?.aborted) throw call.job.signal.reason;
      own = checkedTexts(texts);
      if ('offsets' in own) own = { bytes: own.bytes, offsets: own.offsets.slice() };
      const { background, policy, template, job } = call;
      if (isResident) return (await background.encodeKept?.(own, policy, { template, padding: padding as Padding }, job)) as DeviceBatch;
      const encoding = padding && background.encodePadded?.(own, policy, { template, padding }, job);
      const made = await (encoding ?? background.encodeBatch(own, policy, job));
      if ('shape' in made) return made;
      const { ids, totals } = template.aroundRows(made);
      if (!padding) return new TokenBatch(ids, totals, template);
      return await inTimeSlices(padInSlices({ ids, offsets: totals, template }, padding), job.signal);
    } catch (error) {
      if (call?.job.signal?.aborted && error === call.job.signal.reason) throw error;
      const row = error instanceof TokenizerError ? error.row : undefined;
      const failure = call && row !== undefined ? failureInText(error, textAt(own, row), call, row) : error;
      throw fromCaller(failure, LoadedTokenizer.prototype.encodeBatchAsync);
    }
  }

  /**
   * The ids of a file of any size, in parts of a few megabytes; together they equal one `encode` of its bytes. The process's
   * threads encode one part while the next is read and the caller works on the previous one; they wait while nobody asks for
   * parts. Memory stays below 200 MB with two threads, or a few times the longest piece (a file of one letter is one piece); from
   * 32 MB of text on, add up to `cacheBytes` per thread. If the vocabulary puts a space before a text (`add_prefix_space`), the
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
    try {
      const { encodeFile } = LoadedTokenizer.prototype;
      const call = this.#call(options, FILE_OPTIONS);
      return this.#files.tokens(path, call, { counting: false, mmap: mmapOf(options) }, encodeFile);
    } catch (error) {
      throw fromCaller(error, LoadedTokenizer.prototype.encodeFile);
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
    try {
      return engineOf(this).memory();
    } catch (error) {
      const { get } = Object.getOwnPropertyDescriptor(LoadedTokenizer.prototype, 'memory') as { get: () => unknown };
      throw fromCaller(error, get);
    }
  }

  /**
   * Frees the memory in which the tokenizer caches pieces, except for texts being encoded. The next texts start cold: full
   * speed returns after a few megabytes of text. Memory beyond 16 MiB per thread, used by large jobs, is freed automatically
   * five seconds after the last of them. No effect in WebAssembly, where a module's memory cannot shrink.
   *
   * @example
   * ```ts
   * tokenizer.count('hello world'); // 2
   * tokenizer.trim();
   * tokenizer.memory.caches; // 0
   * ```
   */
  trim(): void {
    try {
      engineOf(this).trim();
    } catch (error) {
      throw fromCaller(error, LoadedTokenizer.prototype.trim);
    }
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
  override close(): void {
    for (const scoped of this.#scoped) scoped.close();
    this.#host.end?.(engineOf(this));
    this.#observations = undefined;
    super.close();
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
    const vocabulary = vocabularyOf(this);
    let current = { text, name: 'the text' };
    try {
      const policy = policyOf(options, vocabulary);
      const pieces = piecesFor(vocabulary, textPair !== undefined, options?.addSpecialTokens ?? true);
      const engine = engineOf(this);
      const idsOf = (own: string | Uint8Array, name: string) =>
        typeof own === 'string' ? engine.encode(own, policy) : engine.encodeBytes(textBytes(own, name), policy);
      const first = idsOf(text, 'text');
      if (textPair === undefined) return putTogether(pieces, first, undefined);
      current = { text: textPair, name: 'the second text' };
      return putTogether(pieces, first, idsOf(textPair, 'textPair'));
    } catch (error) {
      throw fromCaller(failureInText(error, current.text, vocabulary, current.name), LoadedTokenizer.prototype.encodePair);
    }
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
    try {
      specialOf(options, PAD_BATCH_OPTIONS);
      const padding = paddingOf({ pad: options?.pad ?? {} }) as Padding;
      const pieces = piecesFor(vocabularyOf(this), true, options?.addSpecialTokens ?? true);
      const texts = textsOfPairs(pairs, unexpected) as (string | Uint8Array)[];
      const batch = this.encodeBatch(texts, { ...options, addSpecialTokens: false, pad: undefined });
      return padPairs(pieces, [...batch], padding);
    } catch (error) {
      throw fromCaller(failureInPair(error), LoadedTokenizer.prototype.encodePairBatch);
    }
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
    try {
      if (options !== undefined) checkOptionNames(options, DOCUMENT_OPTIONS);
      const { special, unit } = options ?? {};
      return openDocument(engineOf(this), text, { special, unit });
    } catch (error) {
      throw fromCaller(error, LoadedTokenizer.prototype.document);
    }
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
    try {
      return tokensWithPrefix(engineOf(this), vocabularyOf(this), prefix, options);
    } catch (error) {
      throw fromCaller(error, LoadedTokenizer.prototype.tokensWithPrefix);
    }
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
    try {
      return healing(engineOf(this), vocabularyOf(this), prompt, options);
    } catch (error) {
      const vocabulary = vocabularyOf(this);
      const explained = typeof prompt === 'string' ? failureInText(error, prompt, vocabulary) : failureInIds(error, prompt, vocabulary);
      throw fromCaller(explained, LoadedTokenizer.prototype.healing);
    }
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
    try {
      const engine = this.#open(source, options, engineOf(this));
      this.#take(isPromise(engine) ? await engine : engine);
    } catch (error) {
      throw fromCaller(error, LoadedTokenizer.prototype.swap);
    }
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
    let scoped: this;
    try {
      if (typeof fn !== 'function') throw unexpected('a function', 'fn', fn);
      const engine = this.#open(source, options, engineOf(this));
      scoped = this.#begin(isPromise(engine) ? await engine : engine);
    } catch (error) {
      throw fromCaller(error, LoadedTokenizer.prototype.using);
    }
    try {
      const result = fn(scoped);
      return isPromise(result) ? await result : result;
    } finally {
      this.#scoped.delete(scoped);
      retire(scoped, SCOPE_HAS_ENDED);
    }
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
   * exception, as many do for an unexpected order of roles, and `INVALID_TEMPLATE` if there is no template or it has an
   * error.
   *
   * @example
   * ```ts
   * const template = '{% for m in messages %}[{{ m.role }}] {{ m.content | trim }}\n{% endfor %}';
   * await tokenizer.renderChat([{ role: 'user', content: ' hello ' }], { template }); // '[user] hello\n'
   * ```
   */
  async renderChat(messages: readonly TemplateMessage[] | string, options?: RenderChatOptions): Promise<string> {
    return this.#ofChat(messages, options, false, LoadedTokenizer.prototype.renderChat, (chat, { request, own, specialIds }) =>
      chat.render(request, own, specialIds),
    );
  }

  /**
   * The ids of a chat: the text of `renderChat`, with special tokens as tokens and nothing added around it, like Hugging
   * Face's `apply_chat_template`.
   *
   * By default, as in Hugging Face, a special token typed into a message is a token too: `<|im_end|>` ends the message, and
   * a system message can follow. For untrusted texts use `special: 'template'`, which makes tokens only of the template's
   * own special tokens, or `'forbid'`. With `origins` or `assistantMask` the result is an object.
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
    const ask = (chat: Chat, { request, own, engine, specialIds }: ChatCall): UnsharedUint32Array | EncodedChat =>
      request.origins || request.assistantMask
        ? chat.describe(request, own, engine, specialIds)
        : chat.encode(request, own, engine, specialIds);
    return this.#ofChat(messages, options, true, LoadedTokenizer.prototype.encodeChat, ask);
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
    return this.#ofChat(messages, options, true, LoadedTokenizer.prototype.countChat, countChat);
  }

  /**
   * A chat that changes message by message, without messages at first. Its ids are always those of `encodeChat` with the same
   * options, and a change costs about as much as its messages: it renders and encodes only what has changed, with templates
   * whose loops depend on little else. Loads the renderer; after that, the conversation's methods are synchronous.
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
  async conversation(options?: ConversationOptions): Promise<Conversation> {
    const explained = fromCallSite(LoadedTokenizer.prototype.conversation);
    try {
      const { chat: chatOptions, own } = conversationOptions(options);
      return await this.#ofChat([], chatOptions, true, LoadedTokenizer.prototype.conversation, async (chat, call) => {
        const { engine } = call;
        const hold = { retain: () => retain(engine), release: () => release(engine), isClosed: () => engine.isClosed };
        return new Conversation(await chat.converse(call), own, hold);
      });
    } catch (error) {
      throw explained(error);
    }
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
    try {
      const vocabulary = vocabularyOf(this);
      const policy = policyOf(options, vocabulary);
      const engine = engineOf(this);
      const own = typeof text === 'string' ? text : textBytes(text, 'text');
      const ids = typeof own === 'string' ? engine.encode(own, policy) : engine.encodeBytes(own, policy);
      this.#observations ??= new Observations(engine, vocabulary.description.unknownId);
      return this.#observations.add(own, ids, policy);
    } catch (error) {
      throw fromCaller(failureInText(error, text, vocabularyOf(this)), LoadedTokenizer.prototype.observe);
    }
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
    try {
      void vocabularyOf(this).description; // throws if the tokenizer is closed
      return this.#observations?.observed ?? { rate: 0, texts: 0, bytes: 0 };
    } catch (error) {
      const { get } = Object.getOwnPropertyDescriptor(LoadedTokenizer.prototype, 'observed') as { get: () => unknown };
      throw fromCaller(error, get);
    }
  }

  /**
   * CRAYON's adaptive vocabulary: proposes tokens for the observed texts, if the mean rate is at least `threshold`, and
   * compiles a cartridge with them. Existing ids do not change; new ones follow them. Nothing changes before `commit`.
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
    try {
      const { observed } = this;
      const { adapt } = this.#host;
      if (!adapt) throw new Error("adapt needs a compiler: import 'crayon-tokenizer' instead");
      const open = this.#open;
      const take = (engine: EngineTokenizer) => this.#take(engine);
      const inUse = (engine: EngineTokenizer) => whyClosed(this) ?? engineOf(this) === engine;
      const texts = this.#observations?.texts ?? [];
      return await adapt({ engine: engineOf(this), inUse, observed, texts, open, take }, options);
    } catch (error) {
      // The reason belongs to the caller: leave it unchanged.
      throw options?.signal?.aborted ? error : fromCaller(error, LoadedTokenizer.prototype.adapt);
    }
  }

  /** Replaces the engine; observations were about the previous one. */
  #take(engine: EngineTokenizer): void {
    exchangeEngine(this, engine);
    this.#observations = undefined;
  }

  async #ofText<Result>(
    text: string | Uint8Array,
    options: AsyncOptions | undefined,
    ask: Ask<Result>,
    entry: (...args: never[]) => unknown,
  ): Promise<Result> {
    const explained = fromCallSite(entry);
    let call: Call | undefined;
    try {
      call = this.#call(options);
      if (call.job.signal?.aborted) throw call.job.signal.reason;
      return await ask(call, typeof text === 'string' ? text : textBytes(text, 'text'));
    } catch (error) {
      // The reason belongs to the caller: leave it unchanged.
      if (call?.job.signal?.aborted && error === call.job.signal.reason) throw error;
      throw explained(call ? failureInText(error, text, call) : error);
    }
  }

  /** Reads everything before waiting: the messages and the vocabulary may change meanwhile. */
  async #ofChat<Result>(
    messages: readonly TemplateMessage[] | string,
    options: EncodeChatOptions | undefined,
    encodes: boolean,
    entry: (...args: never[]) => unknown,
    ask: (chat: Chat, call: ChatCall) => Result | Promise<Result>,
  ): Promise<Result> {
    const explained = fromCallSite(entry);
    try {
      const vocabulary = vocabularyOf(this);
      const engine = engineOf(this);
      const call = {
        own: ownTemplates(vocabulary, engine),
        request: chatRequest(messages, options, encodes),
        specialIds: vocabulary.specialIds,
      };
      const { chat } = this.#host;
      if (!chat) throw new Error("chats need what renders them: import 'crayon-tokenizer' instead");
      retain(engine);
      try {
        const loaded = await chat();
        for (;;) {
          try {
            return await ask(loaded, { ...call, engine });
          } catch (error) {
            if (!(await loaded.supply(error))) throw error;
          }
        }
      } finally {
        release(engine);
      }
    } catch (error) {
      throw explained(error);
    }
  }

  get #files() {
    const { files } = this.#host;
    if (files) return files;
    throw new Error('encodeFile needs Node; here, use file.stream().pipeThrough(tokenizer.encodeStream())');
  }

  /** The current data for a call with these options. */
  #call(options: AsyncBatchOptions | undefined, names: readonly string[] = ASYNC_OPTIONS): Call {
    const special = specialOf(options, names);
    const job = jobOf(options);
    const vocabulary = vocabularyOf(this);
    const policy = policyFor(special, vocabulary);
    const engine = engineOf(this);
    return {
      engine,
      background: this.#host.backgroundOf?.(engine) ?? backgroundInTurns(engine),
      policy,
      template: templateOf(options, vocabulary),
      job,
      specialIds: policy === SPECIAL_FORBID ? vocabulary.specialIds : new Map(),
    };
  }

  #begin(engine: EngineTokenizer): this {
    const closed = whyClosed(this);
    if (closed !== undefined) {
      engine.close();
      throw new TokenizerError(`cannot open another vocabulary: ${closed}`, { code: 'CLOSED' });
    }
    const scoped = this.#make(engine);
    this.#scoped.add(scoped);
    return scoped;
  }
}

// For other modules of the package.
export {
  /** Like `encodeFile`, or only counts. */
  partsOfFile,
  /** Like `Background.encodeRows`. */
  rowsIn,
};
