// The options of calls that encode batches, files, or beside the calling thread.

import { ENCODE_OPTIONS, type EncodeOptions } from './arguments.js';
import type { JobOptions } from '../engine/background.js';
import { type AnyDevice, checkedDevice, type DeviceName } from '../engine/devices.js';
import { outOfRange, unexpected } from '../base/errors.js';
import { checkedByteCount, checkedInteger, checkOptionNames, optionNames } from '../base/option-objects.js';
import { checkedPadding, type Padding, type PadOptions } from '../engine/padding.js';

/**
 * How far the parts of a long text overlap. Parts are joined only where this is proved correct, so the ids equal the whole
 * text's for any values.
 *
 * @example
 * ```ts
 * const overlap: OverlapOptions = { chunkLength: 16_384, overlapLength: 512, threshold: 4 };
 * await tokenizer.countAsync('hello world', { strategy: { overlap } }); // 2
 * ```
 */
export interface OverlapOptions {
  /** Bytes of text in a part, at least 256. Default: 16 to 128 KiB, by the length of the text. */
  chunkLength?: number | undefined;
  /** Bytes by which parts overlap, at most 2^20. Default 512. */
  overlapLength?: number | undefined;
  /** How many common piece ends are needed to join two parts; with fewer, text is encoded again. Default 1. */
  threshold?: number | undefined;
}

/**
 * Options of the calls that return promises of ids, and of `encodeFile`.
 *
 * @example
 * ```ts
 * const options: AsyncOptions = { signal: AbortSignal.timeout(60_000), threads: 2 };
 * await tokenizer.countAsync('hello world', options); // 2
 * ```
 */
export interface AsyncOptions extends EncodeOptions {
  /** The most threads or workers to use. Default: as many as the host provides. */
  threads?: number | undefined;
  /**
   * How Node's threads divide a long text. `'cuts'`, the default: where pieces probably end, which is checked when the parts are
   * joined. `'overlap'`: parts overlap, and two are joined where both have a piece end. `{ overlap: … }` sets the lengths. The ids
   * are the same, and the speed is about equal: it is there for comparing ways to divide a text.
   */
  strategy?: 'cuts' | 'overlap' | { overlap: OverlapOptions } | undefined;
  /** The most bytes of cached pieces per thread; like `cacheBytes` of `load`, for this call. */
  cacheBytes?: number | undefined;
  /** Aborts the work: the promise is rejected with the signal's reason immediately. */
  signal?: AbortSignal | undefined;
}

export const ASYNC_OPTIONS = [
  ...ENCODE_OPTIONS,
  ...optionNames<Omit<AsyncOptions, keyof EncodeOptions>>({ threads: true, strategy: true, cacheBytes: true, signal: true }),
];

/**
 * Options of `encodeFile`.
 *
 * @example
 * ```ts
 * const options: FileOptions = { mmap: false };
 * for await (const { ids } of tokenizer.encodeFile('hello.txt', options)) ids.length; // 2
 * ```
 */
export interface FileOptions extends AsyncOptions {
  /**
   * Whether to map the file into memory instead of reading it. True is your promise that nobody shortens the file meanwhile,
   * which would end the process with SIGBUS. By default only files that cannot be shortened are mapped: a sealed memfd, or a file
   * on a read-only file system. Where files cannot be mapped (WebAssembly, Windows, Electron) they are read.
   */
  mmap?: boolean | undefined;
}

export const FILE_OPTIONS = [...ASYNC_OPTIONS, 'mmap'];

/**
 * Options of `encodeBatchAsync`.
 *
 * @example
 * ```ts
 * const options: AsyncBatchOptions = { device: 'cpu' };
 * (await tokenizer.encodeBatchAsync(['hello world'], options)).length; // 1
 * ```
 */
export interface AsyncBatchOptions extends AsyncOptions {
  /**
   * Where the batch runs. Default: `CRAYON_DEVICE`, else `'auto'`. The ids are the same everywhere. `'cuda'` and `'hip'`
   * are errors (`DEVICE_UNAVAILABLE`, `DEVICE_UNSUPPORTED`) if there is no such device or it has no kernels for the
   * vocabulary. If a device fails, the CPU does its work, and a process warning says so.
   */
  device?: DeviceName | undefined;
}

/**
 * Options of `encodeBatch` for a padded batch.
 *
 * @example
 * ```ts
 * const options: PaddedBatchOptions = { pad: { length: 3, padId: 7 } };
 * tokenizer.encodeBatch(['hello world'], options).ids; // Int32Array [24912, 2375, 7]
 * ```
 */
export interface PaddedBatchOptions<Pad extends PadOptions = PadOptions> extends BatchOptions {
  /** Pads the result like {@link TokenBatch.pad} with these options; a device writes the padded batch directly. */
  pad: Pad;
}

/**
 * Options of `encodeBatchAsync` for a padded batch.
 *
 * @example
 * ```ts
 * const options: AsyncPaddedBatchOptions = { pad: { side: 'left' }, threads: 2 };
 * (await tokenizer.encodeBatchAsync(['hello world', 'hello'], options)).ids; // Int32Array [24912, 2375, 0, 24912]
 * ```
 */
export interface AsyncPaddedBatchOptions<Pad extends PadOptions = PadOptions>
  extends AsyncBatchOptions,
    Pick<PaddedBatchOptions<Pad>, 'pad'> {}

export const ASYNC_BATCH_OPTIONS = [...ASYNC_OPTIONS, 'device', 'pad', 'resident'];

/**
 * Options of `encodeBatch` and `countBatch`.
 *
 * @example
 * ```ts
 * const options: BatchOptions = { threads: 1 };
 * tokenizer.countBatch(['hello world', 'hello'], options); // Uint32Array [2, 1]
 * ```
 */
export interface BatchOptions extends EncodeOptions {
  /**
   * The most threads for a large batch, including the calling one. Default: as many as the process may use. WebAssembly
   * always uses one.
   */
  threads?: number | undefined;
  /** The most bytes of cached pieces per thread; like `cacheBytes` of `load`, for this call. */
  cacheBytes?: number | undefined;
  /** Where the batch runs, as in {@link AsyncBatchOptions}. `'auto'` does not wait for a device to start. */
  device?: DeviceName | undefined;
}

/**
 * Options of `encodeBatch` for a batch that stays on a device.
 *
 * @example
 * ```ts
 * const options: ResidentBatchOptions = { device: 'cuda', resident: true, pad: { length: 512, truncate: true, type: 'bigint64' } };
 * tokenizer.encodeBatch(['hello world'], options); // throws TokenizerError (DEVICE_UNAVAILABLE)
 * ```
 */
export interface ResidentBatchOptions<Pad extends PadOptions = PadOptions> extends BatchOptions {
  /**
   * Keeps the result in device memory, padded as `pad` says: see {@link DeviceBatch}. A missing device is an error
   * (`DEVICE_UNAVAILABLE`, `DEVICE_UNSUPPORTED`), and so is a failing one (`DEVICE_FAILED`). `'auto'` takes any available device,
   * however small the batch.
   */
  resident: true;
  /** How rows are padded: a resident batch is a matrix. Default: as with `{}`. */
  pad?: Pad | undefined;
}

/**
 * Options of `encodeBatchAsync` for a batch that stays on a device.
 *
 * @example
 * ```ts
 * const options: AsyncResidentBatchOptions = { device: 'cuda', resident: true, signal: AbortSignal.timeout(60_000) };
 * await tokenizer.encodeBatchAsync(['hello world'], options); // throws TokenizerError (DEVICE_UNAVAILABLE)
 * ```
 */
export interface AsyncResidentBatchOptions<Pad extends PadOptions = PadOptions>
  extends AsyncBatchOptions,
    Pick<ResidentBatchOptions<Pad>, 'resident' | 'pad'> {}

export const COUNT_OPTIONS = [...ENCODE_OPTIONS, 'threads', 'cacheBytes', 'device'];
export const PAD_BATCH_OPTIONS = [...COUNT_OPTIONS, 'pad'];
export const BATCH_OPTIONS = [...PAD_BATCH_OPTIONS, 'resident'];

/** The padding that the options ask for; option names need not be checked yet. A resident batch is always padded. */
export function paddingOf(options: { pad?: PadOptions | undefined; resident?: boolean | undefined } | undefined): Padding | undefined {
  const pad = options?.pad;
  if (pad === undefined && !options?.resident) return undefined;
  return checkedPadding(pad === undefined ? {} : pad, 'pad');
}

/** The background job that the options describe. Option names are already checked. */
export function jobOf(options: AsyncBatchOptions | undefined): JobOptions & { device?: AnyDevice | undefined } {
  if (options === undefined) return {};
  const { threads, signal } = options;
  const strategy = strategyOf(options.strategy);
  const device = checkedDevice(options.device);
  const cacheBytes = checkedByteCount(options.cacheBytes, 'cacheBytes');
  if (threads !== undefined) checkedInteger(threads, 'threads', 1);
  checkSignal(signal);
  return { threads, strategy, cacheBytes, signal, device };
}

const OVERLAP_OPTIONS = optionNames<OverlapOptions>({ chunkLength: true, overlapLength: true, threshold: true });

function strategyOf(strategy: AsyncOptions['strategy']): JobOptions['strategy'] {
  if (strategy === undefined || strategy === 'cuts' || strategy === 'overlap') return strategy;
  if (typeof strategy !== 'object' || strategy === null || !('overlap' in strategy)) {
    throw outOfRange("'cuts', 'overlap' or { overlap: … }", 'strategy', strategy);
  }
  const { overlap } = strategy;
  checkOptionNames(overlap, OVERLAP_OPTIONS, 'strategy.overlap');
  const checked = (name: keyof OverlapOptions, least: number, limit: number) => {
    const value = overlap[name];
    return value === undefined ? undefined : checkedInteger(value, `strategy.overlap.${name}`, least, limit);
  };
  return {
    overlap: {
      chunkLength: checked('chunkLength', 256, 2 ** 31 - 1),
      overlapLength: checked('overlapLength', 1, 2 ** 20),
      threshold: checked('threshold', 1, 2 ** 31 - 1),
    },
  };
}

/** Not by its class: test environments and polyfills bring their own. */
export function checkSignal(signal: unknown): void {
  if (signal === undefined) return;
  const { aborted, addEventListener, removeEventListener } = Object(signal) as Partial<AbortSignal>;
  const isSignal = typeof aborted === 'boolean' && typeof addEventListener === 'function' && typeof removeEventListener === 'function';
  if (!isSignal) throw unexpected('an AbortSignal', 'signal', signal);
}
