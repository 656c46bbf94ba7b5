// Texts and files that are encoded beside the calling thread.

import { fromCaller, fromCallSite, TokenizerError } from '../../base/errors.js';
import { inTimeSlices } from '../../base/time-slices.js';
import type { UnsharedBigInt64Array, UnsharedUint32Array } from '../../base/typed-arrays.js';
import type { RowJob } from '../../engine/background.js';
import type { DeviceBatch } from '../../engine/device-batch.js';
import { checkHasDevices } from '../../engine/devices.js';
import { backgroundInTurns } from '../../engine/encode-in-slices.js';
import type { EngineTokenizer, MemoryUse } from '../../engine/engine.js';
import { type AnyPaddedBatch, type PaddedBatch, type Padding, padInSlices, type PadOptions } from '../../engine/padding.js';
import { checkedTexts, failureInRow, textAt, textCount, type TextRows, type Texts } from '../../engine/text-rows.js';
import { policyFor, SPECIAL_FORBID, specialOf, textBytes } from '../arguments.js';
import {
  ASYNC_BATCH_OPTIONS,
  ASYNC_OPTIONS,
  type AsyncBatchOptions,
  type AsyncOptions,
  type AsyncPaddedBatchOptions,
  type AsyncResidentBatchOptions,
  FILE_OPTIONS,
  type FileOptions,
  jobOf,
  mmapOf,
  paddingOf,
  residentOf,
} from '../async-options.js';
import { failureInText } from '../failures.js';
import { checkedSplit, formFor, partsIn, SPLIT_ASYNC_OPTIONS, type SplitAsyncOptions, type TextPart } from '../fitting.js';
import type { Call, FilePart, FileTokens, Host, Reading } from '../host.js';
import { type Template, templateOf } from '../template.js';
import { TokenBatch } from '../token-batch.js';
import { Tokenizer } from '../tokenizer.js';
import { engineOf, vocabularyOf } from './open-tokenizer.js';

type Ask<Result> = (call: Call, text: string | Uint8Array) => Promise<Result>;

let partsOfFile: (
  tokenizer: BackgroundTokenizer,
  path: string,
  options: AsyncOptions | undefined,
  reading: Reading,
) => AsyncGenerator<FilePart, void, undefined>;

let rowsIn: (tokenizer: BackgroundTokenizer, rows: TextRows, options: AsyncOptions, most: number) => RowsToWrite | undefined;

/** Rows that are being encoded, and the ids around each. */
export interface RowsToWrite {
  job: RowJob;
  template: Template;
}

let hostOf: (tokenizer: BackgroundTokenizer) => Host;

/** A tokenizer that also works beside the calling thread, and on files. */
export class BackgroundTokenizer extends Tokenizer {
  readonly #host: Host;

  static {
    rowsIn = (tokenizer, rows, options, most) => {
      const { background, policy, template, job } = tokenizer.#call(options);
      const begun = background.encodeRows?.(rows, policy, job, most);
      return begun && { job: begun, template };
    };
    partsOfFile = (tokenizer, path, options, reading) => tokenizer.#files.parts(path, tokenizer.#call(options), reading, partsOfFile);
    hostOf = (tokenizer) => tokenizer.#host;
  }

  /** @internal */
  constructor(engine: EngineTokenizer, host: Host) {
    super(engine);
    this.#host = host;
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
    return this.#ofText(text, options, ask, BackgroundTokenizer.prototype.encodeAsync);
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
    return this.#ofText(text, options, ask, BackgroundTokenizer.prototype.countAsync);
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
      throw fromCaller(failure, BackgroundTokenizer.prototype.encodeBatchAsync);
    }
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
    const ask: Ask<unknown[]> = async ({ background, policy, template, job }, plain) => {
      const split = checkedSplit(options, template, SPLIT_ASYNC_OPTIONS);
      const { ids } = await background.split([plain], formFor(plain, split.form), policy, job);
      return inTimeSlices(partsIn(text, plain, ids, split), job.signal);
    };
    return (await this.#ofText(text, options, ask, BackgroundTokenizer.prototype.splitAsync, SPLIT_ASYNC_OPTIONS)) as never[];
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
  splitBatch(
    texts: readonly (string | Uint8Array)[] | TextRows,
    options: SplitAsyncOptions,
  ): Promise<(string[] | Uint8Array[] | TextPart[] | TextPart<Uint8Array>[])[]>;
  async splitBatch(texts: readonly (string | Uint8Array)[] | TextRows, options: SplitAsyncOptions): Promise<never[]> {
    let call: Call | undefined;
    let rows: (string | Uint8Array)[] = [];
    try {
      call = this.#call(options, SPLIT_ASYNC_OPTIONS);
      const { background, policy, template, job } = call;
      const split = checkedSplit(options, template, SPLIT_ASYNC_OPTIONS);
      if (job.signal?.aborted) throw job.signal.reason;
      const given = Array.isArray(texts) ? [...(texts as readonly (string | Uint8Array)[])] : texts;
      const checked = checkedTexts(given);
      rows = Array.from({ length: textCount(checked) }, (_, row) => textAt(checked, row));
      const parts: unknown[] = [];
      // Positions are in the unit of the text, and all texts of a job have the same.
      const cutAll = async (kind: 'string' | 'object') => {
        const some = [...rows.keys()].filter((row) => typeof rows[row] === kind);
        const own = some.map((row) => rows[row] as string | Uint8Array);
        const [first] = own;
        if (first === undefined) return;
        const { ids, totals } = await background.split(own, formFor(first, split.form), policy, job).catch((error: unknown) => {
          throw error instanceof TokenizerError && error.row !== undefined ? failureInRow(error, some[error.row] as number) : error;
        });
        for (const [at, row] of some.entries()) {
          const text = Array.isArray(given) ? (given[row] as string | Uint8Array) : (rows[row] as Uint8Array);
          const numbers = ids.subarray(totals[at], totals[at + 1]);
          parts[row] = await inTimeSlices(partsIn(text, rows[row] as string | Uint8Array, numbers, split), job.signal);
        }
      };
      await Promise.all([cutAll('string'), cutAll('object')]);
      return parts as never[];
    } catch (error) {
      if (call?.job.signal?.aborted && error === call.job.signal.reason) throw error;
      const row = error instanceof TokenizerError ? error.row : undefined;
      const failure = call && row !== undefined ? failureInText(error, rows[row] as string | Uint8Array, call, row) : error;
      throw fromCaller(failure, BackgroundTokenizer.prototype.splitBatch);
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
      const { encodeFile } = BackgroundTokenizer.prototype;
      const call = this.#call(options, FILE_OPTIONS);
      return this.#files.tokens(path, call, { counting: false, mmap: mmapOf(options) }, encodeFile);
    } catch (error) {
      throw fromCaller(error, BackgroundTokenizer.prototype.encodeFile);
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
      const { get } = Object.getOwnPropertyDescriptor(BackgroundTokenizer.prototype, 'memory') as { get: () => unknown };
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
      throw fromCaller(error, BackgroundTokenizer.prototype.trim);
    }
  }

  async #ofText<Result>(
    text: string | Uint8Array,
    options: AsyncOptions | undefined,
    ask: Ask<Result>,
    entry: (...args: never[]) => unknown,
    names?: readonly string[],
  ): Promise<Result> {
    const explained = fromCallSite(entry);
    let call: Call | undefined;
    try {
      call = this.#call(options, names);
      if (call.job.signal?.aborted) throw call.job.signal.reason;
      return await ask(call, typeof text === 'string' ? text : textBytes(text, 'text'));
    } catch (error) {
      // The reason belongs to the caller: leave it unchanged.
      if (call?.job.signal?.aborted && error === call.job.signal.reason) throw error;
      throw explained(call ? failureInText(error, text, call) : error);
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
}

// For other modules of the package.
export {
  /** What the tokenizer's entry provides. */
  hostOf,
  /** Like `encodeFile`, or only counts. */
  partsOfFile,
  /** Like `Background.encodeRows`. */
  rowsIn,
};
