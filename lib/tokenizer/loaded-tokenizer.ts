// A tokenizer that an entry has loaded: it can load others, in its place or for a while.

import type { AdaptOptions, Adaptation, Observed } from './adaptation.js';
import { type EncodeOptions, policyFor, policyOf, SPECIAL_FORBID, specialOf, textBytes } from './arguments.js';
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
import { fromCaller, fromCallSite, TokenizerError, unexpected } from '../base/errors.js';
import { failureInText } from './failures.js';
import { retain, release } from '../engine/references.js';
import type { Call, FilePart, FileTokens, Host, Reading } from './host.js';
import { Observations } from './observations.js';
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
import { templateOf } from './template.js';
import { checkedTexts, textAt, type TextRows, type Texts } from '../engine/text-rows.js';
import { TokenBatch } from './token-batch.js';
import { engineOf, exchangeEngine, retire, Tokenizer, useSeparators, vocabularyOf, whyClosed } from './tokenizer.js';
import { inTimeSlices } from '../base/time-slices.js';
import type { UnsharedBigInt64Array, UnsharedUint32Array } from '../base/typed-arrays.js';

useSeparators({ checkedSeparators, partsAt });

/** Opens a source, synchronously where the host can. `before` is the engine that the new one takes the place of. */
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

const SCOPE_HAS_ENDED = 'the tokenizer of using() has been closed, as its function has ended; await its calls within';

/** The public API, with what loads other vocabularies. */
export class LoadedTokenizer extends Tokenizer {
  readonly #open: Open;
  readonly #host: Host;
  /** Makes another tokenizer of the same entry. */
  readonly #make: (engine: EngineTokenizer) => this;
  /** The tokenizers of `using` whose functions have not ended. */
  readonly #scoped = new Set<LoadedTokenizer>();
  /** Those of the vocabulary in use. */
  #observations: Observations | undefined;

  static {
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
   * The same ids as `encode`, without blocking the thread: in Node the threads of the process encode a long text together;
   * in a browser a worker does. Where there is none, the thread encodes it in slices, and other work goes on after every 8
   * milliseconds. What can block it for longer is a string that was put together from others, when it is read for the first
   * time (up to a millisecond per million characters), and in slices a piece of text without a boundary, such as megabytes
   * of one letter.
   *
   * Bytes are not copied at once: leave them as they are until the promise is settled. After `swap` a job that has begun
   * goes on with its vocabulary; after `close` too in threads, and elsewhere it is rejected (`CLOSED`). A `signal` that is
   * aborted rejects the promise at once with its reason; threads and workers end the parts that they have, at most some
   * milliseconds of work.
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
   * How many tokens a text has, without blocking the thread; as `encodeAsync` in all else.
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
   * The same rows as `encodeBatch`, without blocking the thread: threads or workers share a long batch. As `encodeAsync` in
   * all else. The list of texts is read before the call returns, some 30 ms for a million of them, but not the texts.
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
   * The ids of a file of any size, in parts of some megabytes: all of them together are those of one `encode` of its bytes.
   * The threads of the process encode one part while the next is read from the file and the caller works on the one before;
   * if nobody asks for parts, they wait. Memory is less than 200 MB with two threads, or a few times the longest piece, such
   * as a file of one letter; from 32 MB of text on, besides, up to `cacheBytes` for each thread. With a vocabulary that puts a space in front of a text (`add_prefix_space`) it is the calling
   * thread that encodes, in turns of the event loop.
   *
   * In Node only. `path` is a path, or a `file:` URL, of a regular file; of all others, and of one that is missing, the first
   * part is an error (`FILE_NOT_FOUND`, `FILE_UNREADABLE`, also if it is compressed with gzip), as it is of a text that is
   * wrong, with its byte in the file. The file is closed when the iteration ends, with `break` too, and when the `signal` is aborted. The vocabulary is that of this
   * call, whatever `swap` and `close` do later; in WebAssembly `close` ends the parts with an error (`CLOSED`).
   *
   * A file that is written to meanwhile is an error in place of the last part (`FILE_UNREADABLE`, with the byte that has been
   * read up to), whether it shrinks, grows or is rewritten: its size or its time of modification has changed. One that is
   * replaced by renaming another over it is read to its end. To encode a log that grows, as far as it is now, pass what
   * `createReadStream(path, { end })` gives to `encodeStream`.
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
   * The memory that the tokenizer holds now. What threads remember of a text is counted when they have done a part of it.
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
   * Gives back the memory in which the tokenizer remembers pieces of texts, but for texts that are being encoded. The next
   * ones are like the first: it takes some megabytes of text until they are as fast as before. What large jobs take beyond
   * 16 MiB a thread is given back by itself, five seconds after the last of them. In WebAssembly it has no effect: memory of a
   * module does not shrink.
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
   * Releases what the tokenizer holds, at once: its workers too, and the tokenizers of `using`. Calling it again has no
   * effect. A tokenizer that is no longer reachable is closed by the garbage collector.
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
   * Two texts as models of pairs take them, such as BERT and rerankers: their ids as the `post_processor` of the model's
   * `tokenizer.json` puts them together, with the ids around them, the type of each id, and the mask, all 1. Where it says nothing of
   * pairs, the second text follows the first and has the type 1. Without a second text it is the template of one.
   *
   * Each text is encoded alone. Throws `INVALID_TEMPLATE` if the file has a template for pairs in which a text is missing.
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
   * The same for many pairs, as one rectangle: ids, types and mask, each row padded to the same length. It encodes the texts as
   * `encodeBatch` does.
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
   * Changes the vocabulary of this tokenizer, for all who hold it. Takes what `load` takes; a source that needs no waiting
   * for (in Node, all but a `Response`, a `Blob` or a promise) is in use when the call returns, natively within microseconds
   * if the cartridge is open already. Calls that have begun keep the vocabulary that they began with. If the other cannot be
   * opened, the tokenizer stays as it was.
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
   * Opens another vocabulary for the time of a function, which gets a tokenizer for it. That one is closed when the
   * function has ended, or, if it returns a promise, when the promise is settled, also after an error; this one is not
   * touched, so that several may overlap. Takes what `load` takes. The result is what the function returns. It is called
   * before `using` returns if the source needs no waiting for.
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
   * The text of a chat as the model's own template writes it, as `apply_chat_template` of Hugging Face does without
   * tokenizing. A cartridge of a `tokenizer.json` with a `tokenizer_config.json` or `chat_template.jinja` beside it has its
   * templates; else `template` is one. The text is that of Python's Jinja2, character by character; what renders is loaded by
   * the first call.
   *
   * Messages, tools, documents and variables are data or JSON text. In text, numbers are what Python makes of them: `1.0` is a
   * float, and integers have any size. In data, an integral number is an integer.
   *
   * A template is a program: it gets plain data alone, and its steps, its memory and its time are bounded, but one of
   * somebody whom you do not trust can still write what it likes into the prompt, and take a second to do so. Throws
   * `TEMPLATE_REFUSED` if the template raises an exception, as many do for roles in an order that the model does not know,
   * and `INVALID_TEMPLATE` if there is none or it has a mistake.
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
   * The ids of a chat: of what `renderChat` returns, with special tokens as tokens, and nothing put around them, which is what
   * `apply_chat_template` of Hugging Face returns.
   *
   * There, and here by default, a special token that somebody has typed into a message is one, too: `<|im_end|>` ends the
   * message, and what follows it can be a message of the system. For texts of others, use `special: 'template'`, which makes
   * tokens of the template's own special tokens alone, or `'forbid'`. With `origins` or `assistantMask` the result is an
   * object.
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
   * How many ids a chat has: the length of what `encodeChat` returns with the same options, without the ids. `countMessages`
   * counts by OpenAI's rules instead, for models that publish no template.
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
   * Encodes a text and keeps what `adapt` needs: how much of it the vocabulary lacks, and its bytes. Returns its rate: how
   * many of its tokens are the unknown id, or single bytes of a character. The cost is that of `encode`, and of copying
   * the text.
   *
   * Of at most 1000 texts, the latest ones, the rates are kept, and of these the latest megabyte of text; of a longer text
   * its first megabyte. A text without tokens does not count. Whatever changes the vocabulary begins anew.
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
   * What has been observed since the tokenizer has its vocabulary.
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
   * CRAYON's adaptive vocabulary: proposes tokens for what has been observed, if the mean rate is at least `threshold`, and
   * compiles a cartridge with them. No id moves: the new ones follow all others. Nothing changes before `commit`.
   *
   * The tokens are merges, as BPE training makes them, of the sample as the vocabulary encodes it: the most frequent pair,
   * of equal ones that with the larger ids, then all is counted again. Pairs cross neither the pieces of the pretokenizer
   * nor special tokens. Of longest match, a character that is unknown is counted like a pair, and becomes a token of its
   * own first. The new cartridge is checked before it is proposed: every old id has its token, the sample decodes as it
   * did, and needs no more tokens. Otherwise it is an error (`BUILD_FAILED`).
   *
   * With BPE every text is cut as before, and then merged further. With longest match, texts that are not in the sample
   * may be cut differently, and a few may need more tokens.
   *
   * For profiles (`lite`, `standard`) and own vocabularies, trained or compiled. Published encodings are refused, since
   * no model knows other ids. The work is done in slices of some milliseconds, and on another thread to compile.
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
      // The reason is the caller's own: nothing is changed in it.
      throw options?.signal?.aborted ? error : fromCaller(error, LoadedTokenizer.prototype.adapt);
    }
  }

  /** Takes another engine; observations are about the one before. */
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
      // The reason is the caller's own: nothing is changed in it.
      if (call?.job.signal?.aborted && error === call.job.signal.reason) throw error;
      throw explained(call ? failureInText(error, text, call) : error);
    }
  }

  /** Everything is asked for before the call waits: the messages and the vocabulary may change until it goes on. */
  async #ofChat<Result>(
    messages: readonly TemplateMessage[] | string,
    options: EncodeChatOptions | undefined,
    encodes: boolean,
    entry: (...args: never[]) => unknown,
    ask: (chat: Chat, call: ChatCall) => Result,
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
            return ask(loaded, { ...call, engine });
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

  /** What a call with these options needs, as it is now. */
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
  /** As `encodeFile`, or only counting. */
  partsOfFile,
};
