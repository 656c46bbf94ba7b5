// Checks the options of DnaTokenizer's methods. Each option is read once, before the sequences.

import { checkedSpecial, SPECIAL_AS_TEXT, type SpecialPolicy } from '../api/arguments.js';
import { jobOf } from '../api/async-options.js';
import type { JobOptions } from '../engine/background.js';
import type { Policy } from '../engine/engine.js';
import { type AnyDevice, checkedDevice, type DeviceName } from '../engine/devices.js';
import { outOfRange, unexpected } from '../base/errors.js';
import { checkOptionNames, optionNames } from '../base/option-objects.js';
import type { UnsharedBigInt64Array, UnsharedInt32Array, UnsharedUint8Array } from '../base/typed-arrays.js';
import { plainBytes, typedArrayKind } from '../base/views.js';
import type { IdArray, IdType } from '../engine/dna-engine.js';

/**
 * The element types of ids.
 *
 * @example
 * ```ts
 * const type: DnaIdType = 'uint8';
 * using dna = await DnaTokenizer.load('hyenadna');
 * dna.encode('ACGT', { type }); // Uint8Array [7, 8, 9, 10]
 * ```
 */
export type DnaIdType = 'uint8' | 'uint16' | 'int32' | 'bigint64';

/**
 * The array for a type of ids.
 *
 * @example
 * ```ts
 * const ids: DnaIdArray<'bigint64'> = BigInt64Array.of(7n);
 * ids.length; // 1
 * ```
 */
export type DnaIdArray<Type extends DnaIdType = DnaIdType> = {
  uint8: UnsharedUint8Array;
  uint16: ReturnType<Uint16ArrayConstructor['of']>;
  int32: UnsharedInt32Array;
  bigint64: UnsharedBigInt64Array;
}[Type];

/**
 * Options of {@link DnaTokenizer.encode}.
 *
 * @example
 * ```ts
 * using dna = await DnaTokenizer.load('hyenadna');
 * const options: DnaEncodeOptions<'int32'> = { addSpecialTokens: true, length: 6 };
 * dna.encode('ACGT', options); // Int32Array [4, 7, 8, 9, 10, 1]
 * ```
 */
export interface DnaEncodeOptions<Type extends DnaIdType = DnaIdType> {
  /** The element type of the result. Default: `out`'s, or `'int32'`. */
  type?: Type | undefined;
  /** Add the ids that the model expects before and after a sequence. Default: the option of `load`, which is false. */
  addSpecialTokens?: boolean | undefined;
  /**
   * Special tokens in a sequence, such as `'[MASK]'`: `'text'`, ordinary letters, mostly unknown (default); `'allow'`, their
   * ids, as in the model's own tokenizer; `'forbid'`, an error (`SPECIAL_FORBIDDEN`); or a list of the tokens that become
   * their ids. Each part between two of them is encoded as a separate sequence.
   */
  special?: SpecialPolicy | undefined;
  /** The exact number of ids: fewer are padded, and more are an error unless `truncate` is true. */
  length?: number | undefined;
  /** With `length`: cut off the end of a longer sequence; the special tokens stay. Default false. */
  truncate?: boolean | undefined;
  /** The padding side. Default: the model's. */
  side?: 'left' | 'right' | undefined;
  /** An array for the ids; the result is a view of it. Without `length` it may be longer than needed. */
  out?: DnaIdArray<Type> | undefined;
}

/**
 * Options of {@link DnaTokenizer.encodeBatch}.
 *
 * @example
 * ```ts
 * using dna = await DnaTokenizer.load('hyenadna');
 * const options: DnaBatchOptions<'int32'> = { side: 'right', length: 3 };
 * dna.encodeBatch(['AC', 'G'], options).ids; // Int32Array [7, 8, 4, 9, 4, 4]
 * ```
 */
export interface DnaBatchOptions<Type extends DnaIdType = DnaIdType> extends Omit<DnaEncodeOptions<Type>, 'out' | 'length'> {
  /** Ids per row. Default: {@link DnaDiscovery.modelLength}, if there is one, else the longest row's number. */
  length?: number | undefined;
  /**
   * The element type of the mask: bytes, the type of the ids (`'ids'`), which ONNX models expect, or no mask
   * (`'none'`). Default `'uint8'`.
   */
  mask?: 'uint8' | 'ids' | 'none' | undefined;
  /** Arrays to write to, such as an earlier call's matrix; they may be longer than needed. */
  out?: { ids: DnaIdArray<Type>; mask?: Uint8Array | DnaIdArray<Type> | undefined } | undefined;
  /**
   * The most threads for a large matrix, including the calling one. Default: as many as the process may use. WebAssembly
   * always uses one.
   */
  threads?: number | undefined;
  /** Where the matrix is written, as in `AsyncBatchOptions`. */
  device?: DeviceName | undefined;
  /** Encode the reverse complement of each sequence, as {@link reverseComplement} has it. Default false. */
  reverseComplement?: boolean | undefined;
}

/**
 * Additional options for a matrix that stays on a device.
 *
 * @example
 * ```ts
 * using dna = await DnaTokenizer.load('hyenadna');
 * const options: DnaBatchOptions<'int32'> & DnaResident = { device: 'cuda', resident: true, length: 512 };
 * dna.encodeBatch(['ACGT'], options); // throws TokenizerError (DEVICE_UNAVAILABLE)
 * ```
 */
export interface DnaResident {
  /**
   * Keeps the matrix and its mask in device memory: see {@link DnaDeviceMatrix}. A missing device is an error, as in
   * `ResidentBatchOptions`; so is a vocabulary without tables. Cannot be combined with `out`.
   */
  resident: true;
}

/** Options of either kind. */
export type AnyBatchOptions = DnaBatchOptions & { resident?: boolean | undefined };

/**
 * Options of {@link DnaTokenizer.encodeBatchAsync}.
 *
 * @example
 * ```ts
 * using dna = await DnaTokenizer.load('hyenadna');
 * const options: DnaBatchAsyncOptions<'int32'> = { signal: AbortSignal.timeout(60_000), threads: 2 };
 * (await dna.encodeBatchAsync(['ACGT'], options)).ids; // Int32Array [7, 8, 9, 10]
 * ```
 */
export interface DnaBatchAsyncOptions<Type extends DnaIdType = DnaIdType> extends DnaBatchOptions<Type> {
  /** Aborts the work: the promise is rejected with the signal's reason immediately. */
  signal?: AbortSignal | undefined;
}

const ENCODE_OPTIONS = optionNames<DnaEncodeOptions>({
  type: true,
  addSpecialTokens: true,
  special: true,
  length: true,
  truncate: true,
  side: true,
  out: true,
});
export const BATCH_OPTIONS = [
  ...ENCODE_OPTIONS,
  ...optionNames<Omit<AnyBatchOptions, keyof DnaEncodeOptions>>({
    mask: true,
    threads: true,
    device: true,
    reverseComplement: true,
    resident: true,
  }),
];
const ASYNC_OPTIONS = [...BATCH_OPTIONS, ...optionNames<Pick<DnaBatchAsyncOptions, 'signal'>>({ signal: true })];

/** How to encode sequences. */
export interface Shape {
  type: IdType;
  around: boolean;
  /** A policy, or the names of the special tokens to recognize. */
  special: Policy | readonly string[];
  length: number | undefined;
  truncate: boolean;
  side: 'left' | 'right' | undefined;
}

/** How to encode the sequences of a batch. */
export interface BatchShape extends Shape {
  mask: 'uint8' | 'ids' | 'none';
  ids: IdArray | undefined;
  maskOut: IdArray | undefined;
  threads: number | undefined;
  device: AnyDevice | undefined;
  reverseComplement: boolean;
  resident: boolean;
}

const TYPES: Record<string, IdType> = {
  Uint8Array: 'uint8',
  Uint16Array: 'uint16',
  Int32Array: 'int32',
  BigInt64Array: 'bigint64',
};
export const WIDTHS: Record<IdType, number> = { uint8: 1, uint16: 2, int32: 4, bigint64: 8 };

const PLAIN: Omit<Shape, 'around'> = { type: 'int32', special: SPECIAL_AS_TEXT, length: undefined, truncate: false, side: undefined };

/** What calls get that do not set it: whether there are ids around sequences, and the ids of a row of a batch. */
export interface RowDefaults {
  around: boolean;
  length: number | undefined;
}

/** The key, among options of `batches`, of a function that gets the pace of its line before the first matrix: `embed` sets it. */
export const PACE = Symbol('pace');

export interface Pace {
  /** Ends the work ahead: what has begun is finished, and further matrices begin when requested. False if that changes nothing. */
  sequential(): Promise<boolean>;
}

/** `around`: whether sequences get ids around them by default. */
export function checkedEncode(options: DnaEncodeOptions | undefined, around: boolean): Shape & { out: IdArray | undefined } {
  if (options === undefined) return { ...PLAIN, around, out: undefined };
  checkOptionNames(options, ENCODE_OPTIONS);
  const { out } = options;
  return { ...shapeOf(options, out, around), out: out && plainIds(out, 'out') };
}

/** The checked signal. The other options are not checked yet. */
export function checkedAsync(options: DnaBatchAsyncOptions | undefined): Pick<JobOptions, 'signal'> & AnyBatchOptions {
  if (options === undefined) return {};
  checkOptionNames(options, ASYNC_OPTIONS);
  const { signal, ...rest } = options;
  return { ...rest, signal: jobOf({ signal }).signal };
}

export function checkedBatch(options: AnyBatchOptions = {}, { around, length }: RowDefaults): BatchShape {
  checkOptionNames(options, BATCH_OPTIONS);
  const { mask = 'uint8', out } = options;
  if (mask !== 'uint8' && mask !== 'ids' && mask !== 'none') throw unexpected("'uint8', 'ids' or 'none'", 'mask', mask);
  if (out !== undefined && (typeof out !== 'object' || out === null)) throw unexpected('{ ids, mask }', 'out', out);
  const { ids, mask: maskArray } = out ?? {};
  const shape = shapeOf(options, ids, around);
  if (out && !ids) throw unexpected('a typed array', 'out.ids', ids);
  const maskType = mask === 'ids' ? shape.type : 'uint8';
  if (mask !== 'none' && maskArray !== undefined && TYPES[typedArrayKind(maskArray) ?? ''] !== maskType) {
    throw unexpected(`an array of ${maskType}`, 'out.mask', maskArray);
  }
  const maskOut = mask === 'none' || maskArray === undefined ? undefined : plainIds(maskArray, 'out.mask');
  const { threads } = jobOf({ threads: options.threads });
  const device = checkedDevice(options.device);
  const reverseComplement = booleanOr(options.reverseComplement, false, 'reverseComplement');
  const resident = booleanOr(options.resident, false, 'resident');
  if (resident && out) throw leaveOut('out', 'with `resident`, the matrix stays on a device');
  const rows = shape.length ?? length;
  return { ...shape, length: rows, mask, ids: ids && plainIds(ids, 'out.ids'), maskOut, threads, device, reverseComplement, resident };
}

function shapeOf(options: Omit<DnaEncodeOptions, 'out'>, out: unknown, around: boolean): Shape {
  const { type: typeName, addSpecialTokens, special, length, truncate, side } = options;
  if (typeName !== undefined && !Object.hasOwn(WIDTHS, typeName))
    throw unexpected("'uint8', 'uint16', 'int32' or 'bigint64'", 'type', typeName);
  const ofOut = out === undefined ? undefined : TYPES[typedArrayKind(out) ?? ''];
  if (out !== undefined && ofOut === undefined) throw unexpected('a Uint8Array, Uint16Array, Int32Array or BigInt64Array', 'out', out);
  if (ofOut && typeName && ofOut !== typeName) throw unexpected(`an array of ${typeName}`, 'out', out);
  if (side !== undefined && side !== 'left' && side !== 'right') throw unexpected("'left' or 'right'", 'side', side);
  return {
    type: typeName ?? ofOut ?? 'int32',
    around: booleanOr(addSpecialTokens, around, 'addSpecialTokens'),
    special: checkedSpecial(special),
    length: countOrNone(length, 'length', 0),
    truncate: booleanOr(truncate, false, 'truncate'),
    side,
  };
}

/** The most columns of a matrix. */
const MOST = 2 ** 32 - 2;

/** An optional integer, at least `least`. */
export function countOrNone(value: unknown, name: string, least: number): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'number') throw unexpected('a number', name, value);
  if (!Number.isInteger(value) || value < least || value > MOST) throw outOfRange(`an integer of ${least} or more`, name, value);
  return value;
}

const CLASSES = { uint8: Uint8Array, uint16: Uint16Array, int32: Int32Array, bigint64: BigInt64Array };

/** A plain view of an array; a subclass could override its properties. */
function plainIds(array: unknown, name: string): IdArray {
  const Plain = CLASSES[TYPES[typedArrayKind(array) ?? ''] as IdType];
  const bytes = plainBytes(array as IdArray, name);
  return new Plain(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.length / Plain.BYTES_PER_ELEMENT) as IdArray;
}

/** The error for an option that must not be set. */
export function leaveOut(name: string, why: string): TypeError {
  return new TypeError(`\`${name}\` must be left out: ${why}`);
}

export function booleanOr(value: unknown, otherwise: boolean, name: string): boolean {
  if (value === undefined) return otherwise;
  if (typeof value !== 'boolean') throw unexpected('a boolean', name, value);
  return value;
}
