// Rows of different lengths as one rectangle, the form that models take.

import { outOfRange, unexpected } from './errors.js';
import { checkOptionNames, optionNames } from './options.js';
import type { UnsharedBigInt64Array, UnsharedInt32Array } from './typed-arrays.js';

/**
 * Options of {@link TokenBatch.pad}.
 *
 * @example
 * ```ts
 * const options: PadOptions = { length: 3, side: 'left', padId: 7 };
 * tokenizer.encodeBatch(['hello world']).pad(options).ids; // Int32Array [7, 24912, 2375]
 * ```
 */
export interface PadOptions {
  /** Ids in every row. Default: as many as the longest row has. */
  length?: number | undefined;
  /** Where the padding goes. Default `'right'`, behind the ids. */
  side?: 'right' | 'left' | undefined;
  /** What the padding is. Default 0, whatever token that is: models have an id for it, or none. */
  padId?: number | undefined;
  /** The elements of the arrays: those of an Int32Array (the default) or of a BigInt64Array, as ONNX models want. */
  type?: 'int32' | 'bigint64' | undefined;
}

const PAD_OPTIONS = optionNames<PadOptions>({ length: true, side: true, padId: true, type: true });

/**
 * Rows of equal length, one behind the other.
 *
 * @example
 * ```ts
 * const padded: PaddedBatch = tokenizer.encodeBatch(['hello world', 'hello']).pad();
 * padded; // { ids: Int32Array [24912, 2375, 24912, 0], mask: Int32Array [1, 1, 1, 0], shape: [2, 2] }
 * ```
 */
export interface PaddedBatch<Elements extends Int32Array | BigInt64Array = UnsharedInt32Array> {
  /** The ids, and `padId` where a row has none. */
  ids: Elements;
  /** 1 where `ids` has a token, 0 where it has padding. */
  mask: Elements;
  /** The number of rows, and of ids in each. */
  shape: [rows: number, length: number];
}

interface Rows {
  readonly ids: Uint32Array;
  readonly offsets: Uint32Array;
}

/** Pads the rows [offsets[i], offsets[i + 1]) of `ids`. */
export function padRows(rows: Rows, options: PadOptions): PaddedBatch | PaddedBatch<UnsharedBigInt64Array> {
  const { length, side, padId, type } = checked(options);
  const longest = longestRow(rows);
  const width = length ?? longest.length;
  if (width < longest.length) {
    throw outOfRange(`at least ${longest.length}, the ids of row ${longest.row},`, 'length', width);
  }
  const shape: [number, number] = [rows.offsets.length - 1, width];
  return type === 'int32' ? int32(rows, shape, side, padId) : bigint64(rows, shape, side, padId);
}

function int32(rows: Rows, shape: [number, number], side: Side, padId: number): PaddedBatch {
  const size = shape[0] * shape[1];
  const ids = new Int32Array(size).fill(padId);
  const mask = new Int32Array(size);
  eachRow(rows, shape[1], side, (row, at) => {
    for (let index = 0; index < row.length; index++) {
      const id = row[index] as number;
      if (id > GREATEST_INT32) throw outOfRange(`'bigint64', since there is the id ${id},`, 'type', 'int32');
      ids[at + index] = id;
    }
    mask.fill(1, at, at + row.length);
  });
  return { ids, mask, shape };
}

function bigint64(rows: Rows, shape: [number, number], side: Side, padId: number): PaddedBatch<UnsharedBigInt64Array> {
  const size = shape[0] * shape[1];
  const ids = new BigInt64Array(size).fill(BigInt(padId));
  const mask = new BigInt64Array(size);
  // Ids are written as the low and the high half of each element, which takes a fraction of the time of making bigints.
  // The low half is the first one: an engine that reads its files in place runs on little-endian machines alone.
  const halves = new Uint32Array(ids.buffer);
  eachRow(rows, shape[1], side, (row, at) => {
    for (let index = 0; index < row.length; index++) {
      halves[2 * (at + index)] = row[index] as number;
      halves[2 * (at + index) + 1] = 0;
    }
    mask.fill(1n, at, at + row.length);
  });
  return { ids, mask, shape };
}

type Side = 'right' | 'left';

const GREATEST_INT32 = 0x7fffffff;

/** Calls `put` with every row and where it goes. */
function eachRow({ ids, offsets }: Rows, width: number, side: Side, put: (row: Uint32Array, at: number) => void): void {
  for (let row = 0; row + 1 < offsets.length; row++) {
    const values = ids.subarray(offsets[row], offsets[row + 1]);
    put(values, row * width + (side === 'left' ? width - values.length : 0));
  }
}

function longestRow({ offsets }: Rows): { row: number; length: number } {
  let longest = { row: 0, length: 0 };
  for (let row = 0; row + 1 < offsets.length; row++) {
    const length = (offsets[row + 1] as number) - (offsets[row] as number);
    if (length > longest.length) longest = { row, length };
  }
  return longest;
}

function checked(options: PadOptions): PadOptions & { side: Side; padId: number; type: 'int32' | 'bigint64' } {
  checkOptionNames(options, PAD_OPTIONS);
  const { length, side = 'right', padId = 0, type = 'int32' } = options;
  if (length !== undefined) {
    if (typeof length !== 'number') throw unexpected('a number', 'length', length);
    if (!Number.isSafeInteger(length) || length < 0) throw outOfRange('an integer of 0 or more', 'length', length);
  }
  if (side !== 'right' && side !== 'left') throw unexpected("'right' or 'left'", 'side', side);
  if (type !== 'int32' && type !== 'bigint64') throw unexpected("'int32' or 'bigint64'", 'type', type);
  if (typeof padId !== 'number') throw unexpected('a number', 'padId', padId);
  if (padId !== (padId | 0)) throw outOfRange('an integer of 32 bits', 'padId', padId);
  return { length, side, padId, type };
}
