// Pads rows of different lengths to a rectangle, the form that models take.

import { outOfRange, refused, unexpected } from '../base/errors.js';
import { checkedBoolean, checkedChoice, checkedInteger, checkOptionNames, optionNames } from '../base/option-objects.js';
import { drained, type Work } from '../base/time-slices.js';
import type { UnsharedBigInt64Array, UnsharedInt32Array } from '../base/typed-arrays.js';

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
  /** Ids per row. Default: the longest row's number. A longer row is a `RangeError`, unless `truncate` is true. */
  length?: number | undefined;
  /** Cut rows longer than `length` at the end of the text; ids that `addSpecialTokens` puts after a text stay. Default false. */
  truncate?: boolean | undefined;
  /** The padding side. Default `'right'`, after the ids. */
  side?: 'right' | 'left' | undefined;
  /**
   * The padding value. Default 0, whichever token that is: some models have a padding id, others none. Any integer from −2³¹ to
   * 2³¹ − 1, with both element types; losses ignore −100.
   */
  padId?: number | undefined;
  /** The element type of the arrays: Int32Array (the default), or BigInt64Array, which ONNX models expect. */
  type?: 'int32' | 'bigint64' | undefined;
}

const PAD_OPTIONS = optionNames<PadOptions>({ length: true, truncate: true, side: true, padId: true, type: true });

/**
 * Rows of equal length, back to back.
 *
 * @example
 * ```ts
 * const padded: PaddedBatch = tokenizer.encodeBatch(['hello world', 'hello']).pad();
 * padded; // { ids: Int32Array [24912, 2375, 24912, 0], mask: Int32Array [1, 1, 1, 0], shape: [2, 2] }
 * ```
 */
export interface PaddedBatch<Elements extends Int32Array | BigInt64Array = UnsharedInt32Array> {
  /** The ids, followed or preceded by `padId`. */
  ids: Elements;
  /** 1 for a token, 0 for padding. */
  mask: Elements;
  /** The number of rows, and of ids per row. */
  shape: [rows: number, length: number];
}

interface Rows {
  readonly ids: Uint32Array;
  readonly offsets: Uint32Array;
  /** The ids around each row's text. */
  readonly template?: { readonly suffix: Uint32Array; readonly size: number } | undefined;
}

/** Checked options of padding. */
export interface Padding {
  /** Undefined: the longest row's. */
  length: number | undefined;
  truncate: boolean;
  side: 'right' | 'left';
  padId: number;
  type: 'int32' | 'bigint64';
}

/** How to build rows: ids are put around them, then they are padded. */
export interface PadForm {
  template: { readonly prefix: Uint32Array; readonly suffix: Uint32Array; readonly size: number };
  padding: Padding;
}

export type AnyPaddedBatch = PaddedBatch | PaddedBatch<UnsharedBigInt64Array>;

/** Elements to write between two checks of the clock. */
const SLICE = 256 * 1024;

/** Pads the rows [offsets[i], offsets[i + 1]) of `ids`. */
export function padRows(rows: Rows, padding: Padding): AnyPaddedBatch {
  return drained(padInSlices(rows, padding));
}

/** Pads in slices, with other work in between. */
export function* padInSlices(rows: Rows, padding: Padding): Work<AnyPaddedBatch> {
  const longest = longestRow(rows);
  const width = padding.length ?? longest.length;
  if (width < longest.length) checkCanCut(rows, padding, width, longest);
  const count = rows.offsets.length - 1;
  const batch = emptyBatch(count, width, padding);
  const together = Math.max(1, Math.floor(SLICE / Math.max(1, width)));
  for (let first = 0; first < count; first += together) {
    if (first > 0) yield;
    writeRows(rows, padding, batch, first, Math.min(count, first + together));
  }
  return batch;
}

/** Throws if rows longer than `width` must not be cut. */
function checkCanCut({ template }: Rows, { truncate }: Padding, width: number, longest: { row: number; length: number }): void {
  if (!truncate) throw tooLong(longest.row, longest.length, width);
  const size = template?.size ?? 0;
  if (width < size) throw tooNarrow(size, width);
}

/** The error of a row with `size` ids. */
export function tooLong(row: number, size: number, length: number): RangeError {
  return refused(`\`length\` must be at least ${size}, which row ${row} has, unless \`truncate\` is true`, length);
}

/** The error of rows that have no room for the ids around a text. */
export function tooNarrow(size: number, length: number): RangeError {
  return refused(`\`length\` must be at least ${size}, the number of ids around a text`, length);
}

function emptyBatch(count: number, width: number, { type }: Padding): AnyPaddedBatch {
  const size = count * width;
  const shape: [number, number] = [count, width];
  try {
    return type === 'int32'
      ? { ids: new Int32Array(size), mask: new Int32Array(size), shape }
      : { ids: new BigInt64Array(size), mask: new BigInt64Array(size), shape };
  } catch {
    throw new RangeError(`cannot pad ${count} ${count === 1 ? 'row' : 'rows'} to ${width} ids: they do not fit into memory`);
  }
}

/** Writes rows from `first` up to `last`. */
function writeRows(
  rows: Rows,
  { side, padId }: Padding,
  { ids, mask, shape: [, width] }: AnyPaddedBatch,
  first: number,
  last: number,
): void {
  const isWide = ids instanceof BigInt64Array;
  const put = isWide ? wideIds(ids) : narrowIds(ids);
  const one = isWide ? 1n : 1;
  ids.fill((isWide ? BigInt(padId) : padId) as never, first * width, last * width);
  for (let row = first; row < last; row++) {
    const values = cut(rows.ids.subarray(rows.offsets[row], rows.offsets[row + 1]), width, rows.template?.suffix.length ?? 0);
    const at = row * width + (side === 'left' ? width - values.length : 0);
    put(values, at);
    mask.fill(one as never, at, at + values.length);
  }
}

/** At most `width` values, including the last `after` ones. */
function cut(values: Uint32Array, width: number, after: number): Uint32Array {
  if (values.length <= width) return values;
  if (after === 0) return values.subarray(0, width);
  const row = values.slice(0, width);
  row.set(values.subarray(values.length - after), width - after);
  return row;
}

type Put = (values: Uint32Array, at: number) => void;

function narrowIds(ids: Int32Array): Put {
  return (values, at) => {
    for (let index = 0; index < values.length; index++) {
      const id = values[index] as number;
      if (id > GREATEST_INT32) throw refused(`\`type\` must be 'bigint64' for the id ${id}`, 'int32');
      ids[at + index] = id;
    }
  };
}

/**
 * Written as the low and the high half of each element, which takes a fraction of the time of creating bigints. The low half
 * comes first: an engine that reads its files in place runs only on little-endian machines.
 */
function wideIds({ buffer }: BigInt64Array): Put {
  const halves = new Uint32Array(buffer);
  return (values, at) => {
    for (let index = 0; index < values.length; index++) {
      halves[2 * (at + index)] = values[index] as number;
      halves[2 * (at + index) + 1] = 0;
    }
  };
}

export const GREATEST_INT32 = 0x7fffffff;

function longestRow({ offsets }: Rows): { row: number; length: number } {
  let longest = { row: 0, length: 0 };
  for (let row = 0; row + 1 < offsets.length; row++) {
    const length = (offsets[row + 1] as number) - (offsets[row] as number);
    if (length > longest.length) longest = { row, length };
  }
  return longest;
}

/** `name`: the caller's name for the object. */
export function checkedPadding(options: PadOptions, name?: string): Padding {
  checkOptionNames(options, PAD_OPTIONS, name);
  const { length, truncate = false, side = 'right', padId = 0, type = 'int32' } = options;
  if (length !== undefined) checkedInteger(length, 'length', 0);
  checkedBoolean(truncate, 'truncate');
  checkedChoice(side, 'side', ['right', 'left']);
  checkedChoice(type, 'type', ['int32', 'bigint64']);
  if (typeof padId !== 'number') throw unexpected('a number', 'padId', padId);
  if (padId !== (padId | 0)) throw outOfRange('an integer of 32 bits', 'padId', padId);
  return { length, truncate, side, padId, type };
}
