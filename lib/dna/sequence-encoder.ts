// Sequences to ids, the same on every host: one sequence, or the rows of a matrix, encoded by the calling thread, by others or by a
// device.

import { untilAborted } from '../base/abort.js';
import { outOfRange, refused, TokenizerError } from '../base/errors.js';
import { inTimeSlices, type Work } from '../base/time-slices.js';
import type { UnsharedUint32Array } from '../base/typed-arrays.js';
import type { DeviceBatch } from '../engine/device-batch.js';
import { checkHasDevices, checkHasKernels, notKept } from '../engine/devices.js';
import { textAt, type TextRows, type Texts } from '../engine/text-rows.js';
import { reverseRows, turnedBack } from './bases.js';
import {
  type DnaEngine,
  idArray,
  type IdArray,
  type MatrixPlan,
  type Maybe,
  PAD_LEFT,
  PAD_RIGHT,
  TRUNCATED,
  WITH_TEMPLATE,
} from '../engine/dna-engine.js';
import { failureInSequence, type SequenceAt } from './sequence-failures.js';
import type { DnaDeviceMatrix, DnaMatrix, MaskType } from './matrix.js';
import { type BatchShape, type DnaIdArray, type DnaIdType, type Shape, WIDTHS } from './dna-options.js';
import { bytesOfSequence, ownRowsOf, rowsOf } from './sequence-bytes.js';

/** Bytes of sequences to encode between two checks of the clock: about a millisecond in WebAssembly. */
const SLICE = 1024 * 1024;

export type AnyMatrix = DnaMatrix<DnaIdType, MaskType> | DnaDeviceMatrix<DnaIdType, MaskType>;

/** A matrix to write, and its mask in the caller's form. */
interface Plan extends MatrixPlan {
  count: number;
  result: IdArray | undefined;
}

/** A matrix that other threads or a device may be working on. */
export interface BegunMatrix {
  /** The matrix, or a promise if a device writes it; throws the engine's error, with the row. */
  finish(): Maybe<AnyMatrix>;
  release(): void;
}

/** A matrix that stays on a device, as a job: see `KeptJob`. */
interface KeptMatrixJob extends BegunMatrix {
  run(): AnyMatrix;
  start(): void;
  finish(): Promise<AnyMatrix>;
}

/** Encodes the sequences of one vocabulary. */
export class DnaEncoder {
  readonly #name: string;
  readonly #size: number;

  constructor(name: string, size: number) {
    this.#name = name;
    this.#size = size;
  }

  encode(engine: DnaEngine, sequence: string | Uint8Array, shape: Shape & { out: IdArray | undefined }): IdArray {
    this.#check(engine, shape);
    const { type, around, length, out } = shape;
    const bytes = bytesOfSequence(sequence, engine);
    try {
      if (length !== undefined) {
        const ids = outputFor(out, type, length, 'out');
        engine.encodeInto(bytes, flagsOf(shape, engine), ids);
        return ids;
      }
      if (!out) return engine.encode(bytes, type, around);
      return out.subarray(0, engine.encodeInto(bytes, around ? WITH_TEMPLATE : 0, out));
    } catch (error) {
      if (out && length === undefined && error instanceof TokenizerError && error.code === 'TEXT_TOO_LONG') {
        throw outOfRange('an array that holds all ids of the sequence', 'out', out);
      }
      throw failureInSequence(error, () => sequence, { engine, name: this.#name, length });
    }
  }

  /** The number of ids of a sequence. `around`: with the ids around it. */
  count(engine: DnaEngine, sequence: string | Uint8Array, around: boolean): number {
    try {
      const bytes = bytesOfSequence(sequence, engine);
      return engine.countRows({ bytes, offsets: Uint32Array.of(0, bytes.length) }, around)[0] as number;
    } catch (error) {
      const { code, position } = error as TokenizerError;
      const withoutRow = error instanceof TokenizerError ? new TokenizerError(error.message, { code, position }) : error;
      throw failureInSequence(withoutRow, () => sequence, { engine, name: this.#name, length: undefined });
    }
  }

  encodeRows(engine: DnaEngine, texts: Texts, shape: BatchShape): AnyMatrix {
    this.#check(engine, shape);
    const rows = shape.reverseComplement ? ownRows(texts, engine, shape)[0] : rowsOf(texts, engine);
    const { resident, threads } = shape;
    let columns = shape.length;
    try {
      if (resident) return released(this.#keptJob(engine, rows, shape), (job) => job.run());
      const likely = columns === undefined ? likelyLength(engine, rows, shape.around) : undefined;
      const tried = likely === undefined ? undefined : triedMatrix(engine, planOf(engine, rows, shape, likely), threads);
      if (tried) return tried;
      const plan = planOf(engine, rows, shape);
      ({ columns } = plan);
      if (plan.count > 0) engine.encodeRows(plan, threads);
      return matrixOf(plan);
    } catch (error) {
      throw failureInSequence(error, (row) => textAt(texts, row), { ...shape, engine, name: this.#name, length: columns });
    }
  }

  /** A matrix of sequences, made by other threads or in slices. The texts are read before it returns. */
  async encodeRowsLater(engine: DnaEngine, texts: Texts, shape: BatchShape, signal: AbortSignal | undefined): Promise<AnyMatrix> {
    this.#check(engine, shape);
    const [rows, textOf] = ownRows(texts, engine, shape);
    let columns = shape.length;
    try {
      if (shape.resident) {
        const job = this.#keptJob(engine, rows, shape);
        return await released(job, () => untilAborted(signal, job.finish(), () => job.release()));
      }
      const ready = engine.prepared ? await untilAborted(signal, engine.prepared(sequencesOf(rows)), () => undefined) : engine;
      // The caller's arrays are written at the end: they might be transferred meanwhile.
      const plan = planOf(ready, rows, { ...shape, ids: undefined, maskOut: undefined });
      ({ columns } = plan);
      const outs = shape.ids && outputsFor(shape, plan.ids.length);
      if (plan.count > 0) await encodedLater(ready, plan, shape.threads, signal);
      const matrix = matrixOf(plan);
      if (!outs) return matrix;
      const { ids, mask } = matrix;
      return { ...matrix, ids: written(ids, outs.ids, 'out.ids'), mask: mask && written(mask, outs.mask, 'out.mask') };
    } catch (error) {
      throw failureInSequence(error, textOf, { ...shape, engine, name: this.#name, length: columns });
    }
  }

  /** Starts a matrix on a device or, for one that is wanted later, on other threads, if that is worthwhile. */
  begin(engine: DnaEngine, rows: TextRows, shape: BatchShape, isAhead: boolean): BegunMatrix {
    this.#check(engine, shape);
    const { device, resident, threads } = shape;
    if (resident) {
      const job = this.#keptJob(engine, rows, shape);
      job.start();
      return job;
    }
    let devicePlan: Plan | undefined;
    const planOfDevice = () => (devicePlan ??= planOf(engine, rows, withOwnArrays(shape)));
    const isEmpty = rows.offsets.length === 1 || shape.length === 0;
    const onDevice = isEmpty ? undefined : engine.deviceJob?.({ rows, device }, planOfDevice, threads);
    if (onDevice) {
      onDevice.start();
      return { finish: () => onDevice.done().then(() => matrixOf(planOfDevice())), release: () => onDevice.release() };
    }
    const plan = planOf(engine, rows, { ...shape, device: 'cpu' });
    const job = isAhead && plan.count > 0 && threads !== 1 ? engine.job?.(plan, threads) : undefined;
    job?.start();
    return {
      finish: () => {
        if (job) released(job, () => job.run?.());
        else if (plan.count > 0) engine.encodeRows(plan, threads);
        return matrixOf(plan);
      },
      release: () => job?.release(),
    };
  }

  /** Throws if the type is too small for the vocabulary's ids, or if there is no device as wanted. */
  #check(engine: DnaEngine, { type, device, resident }: Shape & Partial<Pick<BatchShape, 'device' | 'resident'>>): void {
    checkHasKernels(engine.whyNoKernels, device, resident);
    checkHasDevices(engine, device, resident);
    const { width } = engine.facts;
    if (WIDTHS[type] >= width) return;
    const wider = width === 2 ? 'uint16' : 'int32';
    throw refused(`\`type\` must hold ids up to ${this.#size - 1}, as '${wider}' does`, type);
  }

  #keptJob(engine: DnaEngine, rows: TextRows, shape: BatchShape): KeptMatrixJob {
    const { type, mask, device } = shape;
    const unknown = new Uint32Array(rows.offsets.length - 1);
    const columns = shape.length ?? longestRow(engine, rows, shape.around);
    const maskType = mask === 'none' ? undefined : mask === 'ids' ? type : mask;
    const job = engine.keptJob?.({ rows, columns, flags: flagsOf(shape, engine), type, mask: maskType, unknown, device });
    if (!job) throw notKept(`devices have no kernels for ${this.#name}`);
    return {
      run: () => keptMatrixOf(job.run(), unknown),
      start: () => job.start(),
      finish: () => job.done().then((batch) => keptMatrixOf(batch, unknown)),
      release: () => job.release(),
    };
  }
}

/** What `work` gives with a job, which ends with it. */
function released<Job extends { release(): void }, Result>(job: Job, work: (job: Job) => Result): Result {
  let result: Result | undefined;
  try {
    result = work(job);
    if (result instanceof Promise) return result.finally(() => job.release()) as Result;
    return result;
  } finally {
    if (!(result instanceof Promise)) job.release();
  }
}

/** Undefined if a row has more ids than columns. */
function triedMatrix(engine: DnaEngine, plan: Plan, threads: number | undefined): AnyMatrix | undefined {
  try {
    engine.encodeRows(plan, threads);
    return matrixOf(plan);
  } catch (error) {
    if (!(error instanceof TokenizerError) || error.code !== 'TEXT_TOO_LONG') throw error;
    return undefined;
  }
}

/** `length`: the number of columns; by default the shape's, or enough for the longest row. */
function planOf(engine: DnaEngine, rows: TextRows, shape: BatchShape, length = shape.length): Plan {
  const count = rows.offsets.length - 1;
  const columns = length ?? longestRow(engine, rows, shape.around);
  const { ids, mask: result } = outputsFor(shape, count * columns);
  const mask = result instanceof Uint8Array || result === undefined ? result : new Uint8Array(count * columns);
  const unknown = new Uint32Array(count);
  return { rows, count, columns, flags: flagsOf(shape, engine), ids, mask, unknown, result, device: shape.device };
}

function outputsFor({ type, mask, ids, maskOut }: BatchShape, size: number): { ids: IdArray; mask: IdArray | undefined } {
  return {
    ids: outputFor(ids, type, size, 'out.ids'),
    mask: mask === 'none' ? undefined : outputFor(maskOut, mask === 'ids' ? type : 'uint8', size, 'out.mask'),
  };
}

/** The rows to encode, in memory of ours, and the caller's sequence for each. */
function ownRows(texts: Texts, engine: DnaEngine, { reverseComplement }: BatchShape): [TextRows, SequenceAt] {
  const rows = ownRowsOf(texts, engine);
  const textOf = (row: number) => textAt('offsets' in texts ? rows : texts, row);
  if (!reverseComplement) return [rows, textOf];
  reverseRows(rows, textOf, engine.bases);
  return [rows, 'offsets' in texts ? (row) => turnedBack(rows, row) : textOf];
}

/**
 * K-mer rows of equal length usually have as many ids each as the first; if none has more, that is the maximum. Counting all
 * would take as long as encoding them. Undefined for other rows.
 */
function likelyLength(engine: DnaEngine, { bytes, offsets }: TextRows, around: boolean): number | undefined {
  const [first = 0, second = 0] = offsets;
  if (engine.facts.unit !== 'kmer' || offsets.length < 3) return undefined;
  for (let row = 1; row < offsets.length; row++) {
    if ((offsets[row] as number) - (offsets[row - 1] as number) !== second - first) return undefined;
  }
  return engine.countRows({ bytes, offsets: offsets.subarray(0, 2) }, around)[0];
}

/** The most ids of a row. */
function longestRow(engine: DnaEngine, rows: TextRows, around: boolean): number {
  return engine.countRows(rows, around).reduce((longest, each) => Math.max(longest, each), 0);
}

function flagsOf({ around, truncate, side, length }: Shape, { facts }: DnaEngine): number {
  const pad = length === undefined && facts.padId === undefined ? 0 : (side ?? facts.side) === 'left' ? PAD_LEFT : PAD_RIGHT;
  return (around ? WITH_TEMPLATE : 0) | (truncate && length !== undefined ? TRUNCATED : 0) | pad;
}

/** The array for the ids: the beginning of the given one, or a new one. */
function outputFor(out: IdArray | undefined, type: DnaIdType, size: number, name: string): IdArray {
  if (!out) return idArray(type, size);
  if (out.length < size) throw outOfRange(`an array of at least ${size} elements`, name, out);
  return out.length === size ? out : out.subarray(0, size);
}

export function sequencesOf({ bytes, offsets }: TextRows): Uint8Array[] {
  return Array.from({ length: offsets.length - 1 }, (_, row) => bytes.slice(offsets[row], offsets[row + 1]));
}

/** Threads write only to arrays of at least this many bytes, and to their masks. */
const LARGE = 64 * 1024;

/** Whether an array that is used again must be taken back from a caller who may still hold it. */
export function isTakenBack(array: IdArray): boolean {
  return array.byteLength >= LARGE;
}

/** Without arrays that somebody else may still hold. */
function withOwnArrays(shape: BatchShape): BatchShape {
  const { ids, maskOut } = shape;
  return { ...shape, ids: ids && isTakenBack(ids) ? ids : undefined, maskOut: maskOut && isTakenBack(maskOut) ? maskOut : undefined };
}

async function encodedLater(engine: DnaEngine, plan: Plan, threads: number | undefined, signal: AbortSignal | undefined): Promise<void> {
  const job = engine.job?.(plan, threads);
  if (!job) return inTimeSlices(slices(engine, plan), signal);
  return released(job, () => untilAborted(signal, job.done(), () => job.release()));
}

/** Encodes a few rows at a time, without threads. */
function* slices(engine: DnaEngine, { rows: { bytes, offsets }, count, columns, flags, ids, mask, unknown }: Plan): Work<void> {
  for (let first = 0; first < count; ) {
    let last = first + 1;
    const end = (offsets[first] as number) + SLICE;
    while (last < count && (last - first) * columns < SLICE && (offsets[last + 1] as number) <= end) last++;
    const [from, to] = [first * columns, last * columns];
    const rows = { bytes, offsets: offsets.subarray(first, last + 1) };
    try {
      const part = { ids: ids.subarray(from, to), mask: mask?.subarray(from, to), unknown: unknown.subarray(first, last) };
      engine.encodeRows({ rows, columns, flags, ...part }, 1);
    } catch (error) {
      if (!(error instanceof TokenizerError) || error.row === undefined) throw error;
      throw new TokenizerError(error.message, { code: error.code, position: error.position, row: first + error.row });
    }
    first = last;
    if (first < count) yield;
  }
}

function matrixOf({ ids, mask, result, count, columns, unknown: unknownPerRow }: Plan): DnaMatrix<DnaIdType, MaskType> {
  if (mask !== undefined && result !== undefined && result !== mask) spread(mask, result);
  const unknown = sumOf(unknownPerRow);
  return { ids: ids as DnaIdArray, mask: result as DnaIdArray | undefined, shape: [count, columns], unknown, unknownPerRow };
}

function keptMatrixOf(batch: DeviceBatch, unknownPerRow: UnsharedUint32Array): AnyMatrix {
  return Object.assign(batch, { unknown: sumOf(unknownPerRow), unknownPerRow }) as DnaDeviceMatrix<DnaIdType, MaskType>;
}

function sumOf(counts: Uint32Array): number {
  let sum = 0;
  for (const each of counts) sum += each;
  return sum;
}

/** Copies the ids from our array to the caller's. */
function written(ids: DnaIdArray, to: IdArray | undefined, name: string): DnaIdArray {
  if (!to) return ids;
  if (to.length < ids.length) throw outOfRange(`an array of at least ${ids.length} elements`, name, to);
  (to as Uint8Array).set(ids as Uint8Array);
  return to as DnaIdArray;
}

/** Widens bytes to larger elements. */
function spread(bytes: Uint8Array, to: IdArray): void {
  if (!(to instanceof BigInt64Array)) return to.set(bytes);
  // Written as halves, which takes a fraction of the time of creating bigints; all supported machines are
  // little-endian.
  const halves = new Uint32Array(to.buffer, to.byteOffset, 2 * to.length);
  for (let index = 0; index < bytes.length; index++) {
    halves[2 * index] = bytes[index] as number;
    halves[2 * index + 1] = 0;
  }
}
