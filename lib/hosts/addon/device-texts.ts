// Batches of texts on accelerators, for one vocabulary.

import { outOfRange, TokenizerError } from '../../base/errors.js';
import type { DeviceBatch } from '../../engine/device-batch.js';
import type { AnyDevice } from '../../engine/devices.js';
import type { BatchIds, EngineTokenizer, Policy } from '../../engine/engine.js';
import { type AnyPaddedBatch, GREATEST_INT32, type PadForm, tooLong, tooNarrow } from '../../engine/padding.js';
import { partOf } from '../../base/views.js';
import { failureInRow, textAt, textCount, type TextRows, type Texts } from '../../engine/text-rows.js';
import type { Work } from '../../base/time-slices.js';
import { untilAborted } from '../../base/abort.js';
import { addon, type Handle } from './addon.js';
import { DeviceJob } from './device-job.js';
import {
  afterFailure,
  type Accelerator,
  type Choice,
  chosenDevice,
  deviceHandle,
  keepingDevice,
  keepingFailure,
  succeeded,
} from './addon-devices.js';
import { keptBatch, type KeptForm } from './kept-batch.js';
import { isShared, mostBytesOf } from './addon-job.js';
import { threadCount } from './thread-count.js';

const COUNT = 1;
/** Bytes of strings to convert between two checks of the clock. */
const SLICE = 256 * 1024;
/** Bytes of texts from which on several threads make them ready. */
const SHARED = 256 * 1024;
/** The limit of crayon_device_job_pad. */
const MOST_AROUND = 64;
const MOST_COLUMNS = 2 ** 32 - 2;
/** The limit of offsets, which are 32-bit words. */
const MOST_BYTES = 2 ** 32 - 1;

const encoder = new TextEncoder();

/** What an asynchronous batch needs. */
interface Later {
  policy: Policy;
  /** The most threads; undefined: all. */
  threads: number | undefined;
  signal: AbortSignal | undefined;
  /** Runs work in turns of the event loop. */
  inTimeSlices(work: Work<void>, signal: AbortSignal | undefined): Promise<void>;
  /** Encodes on the CPU. */
  onCpu(texts: Texts): Promise<BatchIds>;
}

export class DeviceTexts {
  readonly #engine: EngineTokenizer;
  readonly #handle: Handle;
  #unsupported: string | null | undefined;
  #size: number | undefined;

  constructor(engine: EngineTokenizer, handle: Handle) {
    this.#engine = engine;
    this.#handle = handle;
  }

  /** Why devices have no kernels for the vocabulary; undefined if they may have them. */
  unsupported(): string | undefined {
    this.#unsupported ??= addon.deviceSupports(this.#handle) === 0 ? reasonOf(this.#engine) : null;
    return this.#unsupported ?? undefined;
  }

  /** The device for a batch; undefined means the CPU. `isWaitedFor`: whether the calling thread blocks for the ids. */
  choose(texts: Texts, device: AnyDevice | undefined, isWaitedFor: boolean): Choice | undefined {
    const warmUp = (kind: Accelerator) => this.#warmUp(kind);
    const bytes = () => (this.#isLeftToCpu() ? 0 : mostBytesOf(texts));
    const choice = chosenDevice({ device, bytes, unsupported: () => this.unsupported(), isWaitedFor, warmUp });
    return choice && mostBytesOf(texts) <= MOST_BYTES ? choice : undefined;
  }

  /**
   * Whether `'auto'` needs no device. With a pattern from the file, a text may have few or no places to divide it: the CPU handles
   * those parts. Texts for WordPiece are normalized on the CPU, which may take three times as long as the rest
   * (bench/results/gpu-h100.md).
   */
  #isLeftToCpu(): boolean {
    const { model, scanner } = this.#engine.describe();
    return scanner === 'pattern' || isOfWords(model);
  }

  /** A padded batch, or its ids if the device cannot pad it. */
  padded(form: PadForm): Wanted<AnyPaddedBatch | BatchIds> {
    return {
      flags: 0,
      begin: (job, rows) => {
        if (this.#canPad(rows, form)) job.pad(form);
      },
      result: (job, rows) => job.padded(rows, form.padding.type) ?? IDS.result(job, rows),
    };
  }

  /** The result of a batch; undefined if the CPU must encode it. */
  run<Result>(texts: Texts, policy: Policy, wanted: Wanted<Result>, device: AnyDevice | undefined): Result | undefined {
    const choice = this.choose(texts, device, true);
    if (!choice) return undefined;
    const joined = new Joined(texts, true);
    for (const _ of joined.work()) void _;
    let job: DeviceJob | undefined;
    try {
      job = jobOf(choice, this.#handle, joined.rows, policy, wanted);
      job.run();
      return resultOf(choice, job, texts, wanted);
    } catch (error) {
      const { row } = afterFailure(choice, error);
      if (row !== undefined) this.#encodeRow(textAt(texts, row), row, policy);
      return undefined;
    } finally {
      job?.release();
    }
  }

  /** The same on a Node thread, with a handle that stays open meanwhile. */
  async submit<Result>(
    choice: Choice,
    tokenizer: Handle,
    texts: Texts,
    wanted: Wanted<Result>,
    { policy, threads, signal, inTimeSlices, onCpu }: Later,
  ): Promise<Result | undefined> {
    const joined = new Joined(texts, false);
    await inTimeSlices(joined.work(), signal);
    signal?.throwIfAborted();
    let row: number | undefined;
    let job: DeviceJob | undefined;
    try {
      const begun = (job = jobOf(choice, tokenizer, joined.rows, policy, wanted, threads));
      await untilAborted(signal, begun.submit(), () => begun.release());
      return resultOf(choice, begun, texts, wanted);
    } catch (error) {
      signal?.throwIfAborted();
      ({ row } = afterFailure(choice, error));
    } finally {
      job?.release();
    }
    if (row === undefined) return undefined;
    try {
      await onCpu([textAt(texts, row)]);
    } catch (failure) {
      throw failureInRow(failure, row);
    }
    return undefined;
  }

  /** A padded batch that stays on a device. Throws if there is no device or it fails: the CPU does not take over. */
  keep(texts: Texts, policy: Policy, form: PadForm, device: AnyDevice | undefined): DeviceBatch {
    const choice = this.#keeping(texts, form, device);
    const joined = new Joined(texts, true);
    for (const _ of joined.work()) void _;
    const steps = keepingSteps(choice, textCount(texts), form);
    try {
      let step = steps.next();
      while (!step.done) {
        const job = jobOf(choice, this.#handle, joined.rows, policy, step.value);
        try {
          job.run();
          step = steps.next(resultOf(choice, job, texts, step.value));
        } finally {
          job.release();
        }
      }
      return step.value;
    } catch (error) {
      const row = rowRefused(error);
      if (row !== undefined) checkLength(this.#encodeRow(textAt(texts, row), row, policy), row, form);
      throw keepingFailure(choice, error);
    }
  }

  /** The same on a Node thread, with a handle that stays open meanwhile. */
  async keepLater(
    tokenizer: Handle,
    texts: Texts,
    form: PadForm,
    device: AnyDevice | undefined,
    { policy, threads, signal, inTimeSlices, onCpu }: Later,
  ): Promise<DeviceBatch> {
    const choice = this.#keeping(texts, form, device);
    const joined = new Joined(texts, false);
    await inTimeSlices(joined.work(), signal);
    const steps = keepingSteps(choice, textCount(texts), form);
    try {
      let step = steps.next();
      while (!step.done) {
        signal?.throwIfAborted();
        const job = jobOf(choice, tokenizer, joined.rows, policy, step.value, threads);
        try {
          await untilAborted(signal, job.submit(), () => job.release());
          step = steps.next(resultOf(choice, job, texts, step.value));
        } finally {
          job.release();
        }
      }
      return step.value;
    } catch (error) {
      signal?.throwIfAborted();
      const row = rowRefused(error);
      if (row !== undefined) checkLength(await lengthOf(textAt(texts, row), row, onCpu), row, form);
      throw keepingFailure(choice, error);
    }
  }

  /** The device for a resident batch. Throws if that is not possible. */
  #keeping(texts: Texts, { template, padding: { length, type } }: PadForm, device: AnyDevice | undefined): Choice {
    const choice = keepingDevice(device, () => this.unsupported());
    const refuse = (why: string) => new TokenizerError(`cannot use the device '${choice.kind}': ${why}`, { code: 'DEVICE_UNSUPPORTED' });
    if (mostBytesOf(texts) > MOST_BYTES) throw refuse('the texts may have more than 4 GiB together');
    if (Math.max(template.prefix.length, template.suffix.length) > MOST_AROUND) throw refuse('too many ids are around each text');
    if (type === 'int32' && this.#vocabularySize() > GREATEST_INT32) throw refuse("some ids require type 'bigint64'");
    if (length !== undefined && length > MOST_COLUMNS) throw outOfRange(`at most ${MOST_COLUMNS}`, 'length', length);
    if (length !== undefined && length < template.size && textCount(texts) > 0) {
      throw tooNarrow(template.size, length);
    }
    return choice;
  }

  #vocabularySize(): number {
    return (this.#size ??= this.#engine.describe().vocabularySize);
  }

  /** Whether the device can pad the rows. In all other cases padding is an error, or has nothing to do. */
  #canPad(rows: number, { template: { prefix, suffix, size }, padding: { length, truncate, type } }: PadForm): boolean {
    if (truncate || rows === 0 || length === 0 || prefix.length > MOST_AROUND || suffix.length > MOST_AROUND) return false;
    if (length !== undefined && (length < size || length > MOST_COLUMNS)) return false;
    return type === 'bigint64' || this.#vocabularySize() <= GREATEST_INT32;
  }

  /** Throws the error of a row that a device left to the CPU; otherwise returns its number of ids. */
  #encodeRow(text: string | Uint8Array, row: number, policy: Policy): number {
    try {
      return this.#engine.encode(text, policy).length;
    } catch (failure) {
      throw failureInRow(failure, row);
    }
  }

  /** Opens the context with an empty batch. */
  #warmUp(kind: Accelerator): void {
    if (warming.has(kind)) return;
    warming.add(kind);
    const handle = deviceHandle(kind) as Handle;
    const choice: Choice = { kind, handle, isNamed: false };
    const job = jobOf(choice, this.#handle, { bytes: new Uint8Array(0), offsets: new Uint32Array(1) }, 0, IDS);
    const done = job.submit().then(() => succeeded(choice, job));
    done.catch((error: unknown) => void afterFailure(choice, error)).finally(() => job.release());
  }
}

const warming = new Set<Accelerator>();

/** What a job is to do, and how to read its result. */
export interface Wanted<Result> {
  flags: number;
  begin?(job: DeviceJob, rows: number): void;
  result(job: DeviceJob, rows: number): Result;
}

export const IDS: Wanted<BatchIds> = { flags: 0, result: (job, rows) => ({ totals: job.totals(rows), ids: job.take() }) };
export const COUNTS: Wanted<BatchIds> = { flags: COUNT, result: (job, rows) => ({ totals: job.totals(rows), ids: new Uint32Array(0) }) };

/** The jobs for a device: first count the rows' ids, if no length is given; then produce their matrix. */
function* keepingSteps(choice: Choice, rows: number, { template, padding }: PadForm): Generator<Wanted<unknown>, DeviceBatch, unknown> {
  const { type } = padding;
  let columns = padding.length ?? 0;
  if (rows > 0 && columns === 0) {
    const { totals } = (yield COUNTS) as BatchIds;
    for (let row = 0; row < rows; row++) {
      const count = (totals[row + 1] as number) - (totals[row] as number);
      checkLength(count, row, { template, padding });
      if (padding.length === undefined) columns = Math.max(columns, count + template.size);
    }
  }
  const form: KeptForm = { rows, columns, type, mask: type };
  if (rows === 0 || columns === 0) return keptBatch(choice, undefined, form);
  return (yield {
    flags: 0,
    begin: (job) => job.keep({ template, padding: { ...padding, length: columns } }),
    result: (job) => keptBatch(choice, job, form),
  }) as DeviceBatch;
}

/** Throws if a row with `count` ids is too long. */
function checkLength(count: number, row: number, { template, padding: { length, truncate } }: PadForm): void {
  const size = count + template.size;
  if (length === undefined || size <= length || truncate) return;
  throw tooLong(row, size, length);
}

/** The number of ids of a row that a device left to the CPU; throws the row's error. */
async function lengthOf(text: string | Uint8Array, row: number, onCpu: Later['onCpu']): Promise<number> {
  try {
    const { totals } = await onCpu([text]);
    return totals[1] as number;
  } catch (failure) {
    throw failureInRow(failure, row);
  }
}

function rowRefused(error: unknown): number | undefined {
  return error instanceof TokenizerError && error.code === 'ROW_REFUSED' ? error.position : undefined;
}

function jobOf(
  { handle }: Choice,
  tokenizer: Handle,
  { bytes, offsets }: TextRows,
  policy: Policy,
  { flags, begin }: Wanted<unknown>,
  threads = threadCount(),
): DeviceJob {
  const job = new DeviceJob(() => addon.deviceTexts(handle, tokenizer, policy, flags, bytes, offsets));
  if (threads > 1 && bytes.length >= SHARED) job.useThreads(threads);
  begin?.(job, offsets.length - 1);
  return job;
}

function resultOf<Result>(choice: Choice, job: DeviceJob, texts: Texts, wanted: Wanted<Result>): Result {
  const result = wanted.result(job, textCount(texts));
  succeeded(choice, job);
  return result;
}

/**
 * The texts, back to back. Bytes of the caller's are used as they are only while the caller waits for the ids, and no other thread
 * may write to them: they are read more than once, and a caller that goes on may transfer them.
 */
class Joined {
  rows: TextRows;
  /** What is not yet joined. */
  readonly #texts: readonly (string | Uint8Array)[];

  constructor(texts: Texts, isWaitedFor: boolean) {
    this.rows = 'offsets' in texts ? texts : { bytes: new Uint8Array(0), offsets: new Uint32Array(texts.length + 1) };
    this.#texts = !('offsets' in texts) ? texts : isWaitedFor && !isShared(texts.bytes) ? [] : [texts.bytes];
  }

  *work(): Work<void> {
    const texts = this.#texts;
    const { bytes: callersBytes, offsets } = this.rows;
    if (texts.length === 0) return;
    const bytes = new Uint8Array(mostBytesOf(texts));
    let at = 0;
    let turn = SLICE;
    for (const [index, text] of texts.entries()) {
      const { length } = text; // transferred bytes would have none
      for (let from = 0, to = 0; from < length; from = to) {
        to = typeof text === 'string' ? endOfPart(text, from + SLICE) : Math.min(from + SLICE, length);
        const part = partOf(text, from, to);
        const into = bytes.subarray(at);
        if (typeof part === 'string') at += encoder.encodeInto(part, into).written;
        else {
          into.set(part);
          at += part.length;
        }
        if (at >= turn) yield void (turn = at + SLICE);
      }
      if (text !== callersBytes) offsets[index + 1] = at;
      if (at >= turn) yield void (turn = at + SLICE);
    }
    this.rows = { bytes: bytes.subarray(0, at), offsets };
  }
}

/** An index close to `end`, not inside a surrogate pair. */
function endOfPart(text: string, end: number): number {
  if (end >= text.length) return text.length;
  return (text.charCodeAt(end - 1) & 0xfc00) === 0xd800 ? end - 1 : end;
}

/** WordPiece and WordLevel, which run on the same kernels. */
function isOfWords(model: string): boolean {
  return model === 'wordpiece' || model === 'wordlevel';
}

function reasonOf(engine: EngineTokenizer): string {
  const { model, scanner, normalizer } = engine.describe();
  if (isOfWords(model) && !['bert', 'whitespace_split'].includes(scanner)) {
    const words = scanner === 'none' ? 'without a pretokenizer' : `with the pretokenizer ${scanner}`;
    return `devices have no kernels for ${model === 'wordlevel' ? 'WordLevel' : 'WordPiece'} ${words}`;
  }
  if (model === 'bpe' && scanner === 'none')
    return 'devices have kernels for BPE without a pretokenizer only where each byte is a token, no two tokens have the same score, and a normalizer changes nothing but spaces';
  if (normalizer !== '') return `devices have no kernels for the normalizer ${normalizer}`;
  if (model === 'bpe') return `devices have no kernels for the pretokenizer ${scanner}`;
  if (model === 'longest-match' && scanner !== 'none') return `devices have no kernels for longest match with the pretokenizer ${scanner}`;
  return 'devices have no kernels for this kind of vocabulary';
}
