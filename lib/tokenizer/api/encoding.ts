// Texts to ids: one text, or a batch of them.

import { fromCaller, TokenizerError } from '../../base/errors.js';
import type { UnsharedBigInt64Array, UnsharedUint32Array } from '../../base/typed-arrays.js';
import type { DeviceBatch } from '../../engine/device-batch.js';
import { checkHasDevices } from '../../engine/devices.js';
import type { BatchIds, BatchJob, Policy, TokensWithOffsets } from '../../engine/engine.js';
import { type AnyPaddedBatch, type PaddedBatch, type Padding, type PadOptions, padRows } from '../../engine/padding.js';
import { checkedTexts, feedTexts, textAt, textCount, type TextRows, type Texts } from '../../engine/text-rows.js';
import {
  type EncodeOptions,
  OFFSET_OPTIONS,
  type OffsetOptions,
  policyFor,
  policyOf,
  SPECIAL_AS_TEXT,
  specialOf,
  textBytes,
  unitOf,
} from '../arguments.js';
import {
  BATCH_OPTIONS,
  type BatchOptions,
  COUNT_OPTIONS,
  jobOf,
  type PaddedBatchOptions,
  paddingOf,
  type ResidentBatchOptions,
  residentOf,
} from '../async-options.js';
import { failureInText } from '../failures.js';
import { type Template, templateOf } from '../template.js';
import { TokenBatch } from '../token-batch.js';
import { engineOf, OpenTokenizer, vocabularyOf } from './open-tokenizer.js';

/** A checked batch call. */
interface BatchCall {
  texts: Texts;
  policy: Policy;
  template: Template;
  job: BatchJob;
}

/** An open vocabulary that encodes texts. */
export class EncodingTokenizer extends OpenTokenizer {
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
        if (options === undefined) return engineOf(this).encode(text, SPECIAL_AS_TEXT);
        const policy = policyOf(options, vocabularyOf(this));
        return templateOf(options, vocabularyOf(this)).around(engineOf(this).encode(text, policy));
      }
      const policy = policyOf(options, vocabularyOf(this));
      const template = templateOf(options, vocabularyOf(this));
      return template.around(engineOf(this).encodeBytes(textBytes(text, 'text'), policy));
    } catch (error) {
      throw fromCaller(failureInText(error, text, vocabularyOf(this)), EncodingTokenizer.prototype.encode);
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
        if (options === undefined) return engineOf(this).count(text, SPECIAL_AS_TEXT);
        const policy = policyOf(options, vocabularyOf(this));
        return templateOf(options, vocabularyOf(this)).size + engineOf(this).count(text, policy);
      }
      const policy = policyOf(options, vocabularyOf(this));
      const { size } = templateOf(options, vocabularyOf(this));
      return size + engineOf(this).countBytes(textBytes(text, 'text'), policy);
    } catch (error) {
      throw fromCaller(failureInText(error, text, vocabularyOf(this)), EncodingTokenizer.prototype.count);
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
      const policy = policyOf(options, vocabularyOf(this), OFFSET_OPTIONS);
      const unit = unitOf(options, text);
      const template = templateOf(options, vocabularyOf(this));
      const tokens =
        typeof text === 'string'
          ? engineOf(this).encodeWithOffsets(text, unit, policy)
          : engineOf(this).encodeBytesWithOffsets(textBytes(text, 'text'), unit, policy);
      return template.aroundWithOffsets(vocabularyOf(this).trimmer?.trim(tokens, text, unit, policy) ?? tokens);
    } catch (error) {
      throw fromCaller(failureInText(error, text, vocabularyOf(this)), EncodingTokenizer.prototype.encodeWithOffsets);
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
          checkHasDevices(engineOf(this), job.device, true);
          return engineOf(this).encodeKept?.(texts, policy, { template, padding: padding as Padding }, job.device) as DeviceBatch;
        }
        if (padding) return this.#padded(call, padding);
        const { ids, totals } = template.aroundRows(this.#ids(call, false));
        return new TokenBatch(ids, totals, template);
      });
    } catch (error) {
      throw fromCaller(error, EncodingTokenizer.prototype.encodeBatch);
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
      throw fromCaller(error, EncodingTokenizer.prototype.countBatch);
    }
  }

  /** Checks a batch call and passes it to `work`; errors say where in which text they are. */
  #batch<Result>(given: unknown, options: BatchOptions | undefined, names: readonly string[], work: (call: BatchCall) => Result): Result {
    const special = specialOf(options, names);
    const { threads, device, cacheBytes } = jobOf(options);
    checkHasDevices(engineOf(this), device);
    const template = templateOf(options, vocabularyOf(this));
    const texts = checkedTexts(given);
    const policy = policyFor(special, vocabularyOf(this));
    try {
      return work({ texts, policy, template, job: { threads, device, cacheBytes } });
    } catch (error) {
      if (!(error instanceof TokenizerError) || error.row === undefined) throw error;
      throw failureInText(error, textAt(texts, error.row), vocabularyOf(this), error.row);
    }
  }

  /** Encodes, or only counts, every text of a batch: the ids (empty when counting), and the totals before and after each. */
  #ids({ texts, policy, job }: BatchCall, counting: boolean): BatchIds {
    return engineOf(this).encodeTogether?.(texts, policy, counting, job) ?? this.#batchHere(texts, policy, counting);
  }

  #padded(call: BatchCall, padding: Padding): AnyPaddedBatch {
    const { texts, policy, template, job } = call;
    const made = engineOf(this).encodePadded?.(texts, policy, { template, padding }, job.device) ?? this.#ids(call, false);
    if ('shape' in made) return made;
    const { ids, totals } = template.aroundRows(made);
    return padRows({ ids, offsets: totals, template }, padding);
  }

  #batchHere(texts: Texts, policy: Policy, counting: boolean): BatchIds {
    const totals = new Uint32Array(textCount(texts) + 1);
    const session = engineOf(this).begin(policy, counting);
    try {
      feedTexts(session, texts, totals);
      return { ids: counting ? new Uint32Array(0) : session.take(), totals };
    } finally {
      session.end();
    }
  }
}
