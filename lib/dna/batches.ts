// Sequences as they come, as matrices for a model.

import { quotedName, TokenizerError, unexpected } from '../tokenizer/errors.js';
import { checkOptionNames, optionNames } from '../tokenizer/options.js';
import type { Texts, TextRows } from '../tokenizer/text-rows.js';
import { plainBytes, typedArrayKind } from '../tokenizer/views.js';
import type { DnaEngine, IdArray } from './engine.js';
import { failureInSequence } from './failures.js';
import type { DnaMatrix, MaskType } from './matrix.js';
import { BATCH_OPTIONS, type BatchShape, checkedBatch, countOrNone, type DnaBatchOptions, type DnaIdType } from './options.js';
import { rowsOf } from './sequences.js';

/**
 * A sequence with a name, such as those of `readFasta`.
 *
 * @example
 * ```ts
 * using dna = await DnaTokenizer.load('hyenadna');
 * const record: DnaRecord = { name: 'chr1', sequence: 'ACGT' };
 * for await (const { names } of dna.batches([record], { batchSize: 1 })) names; // ['chr1']
 * ```
 */
export interface DnaRecord {
  name?: string | undefined;
  sequence: string | Uint8Array;
}

/**
 * Options of {@link DnaTokenizer.batches}.
 *
 * @example
 * ```ts
 * using dna = await DnaTokenizer.load('hyenadna');
 * const options: BatchesOptions = { batchSize: 64, length: 512, truncate: true, type: 'bigint64', mask: 'ids' };
 * for await (const { shape } of dna.batches(['ACGT'], options)) shape; // [1, 512]
 * ```
 */
export interface BatchesOptions<Type extends DnaIdType = DnaIdType> extends Omit<DnaBatchOptions<Type>, 'out'> {
  /** The most rows of a matrix. */
  batchSize: number;
  /** The most ids of a matrix, if it has more than one row. Default 1,048,576. */
  tokensPerCall?: number | undefined;
  /** New arrays for each matrix, instead of the same. Default false. */
  copy?: boolean | undefined;
}

/**
 * A matrix, and the sequences that its rows are of.
 *
 * @example
 * ```ts
 * using dna = await DnaTokenizer.load('hyenadna');
 * for await (const batch of dna.batches(['ACGT', 'GG'], { batchSize: 2, length: 4 })) {
 *   const { indexes }: DnaBatch = batch;
 *   indexes; // Uint32Array [0, 1]
 * }
 * ```
 */
export interface DnaBatch<Type extends DnaIdType = 'int32', Mask extends MaskType = 'uint8'> extends DnaMatrix<Type, Mask> {
  /** Which sequence each row is of, counted from the first one of the source. */
  indexes: Float64Array | Uint32Array;
  /** The names of the records; undefined for a sequence without one. */
  names: (string | undefined)[];
}

/** What batches are made with. */
export interface BatchMaker {
  /** Throws if the tokenizer has been closed. */
  engine(): DnaEngine;
  counts(engine: DnaEngine, rows: TextRows, around: boolean): Uint32Array;
  fill(engine: DnaEngine, texts: Texts, shape: BatchShape): DnaMatrix<DnaIdType, MaskType>;
  /** The name of the vocabulary. */
  name: string;
}

const OPTIONS = optionNames<BatchesOptions>({
  ...(Object.fromEntries(BATCH_OPTIONS.filter((name) => name !== 'out').map((name) => [name, true])) as Record<
    Exclude<keyof DnaBatchOptions, 'out'>,
    true
  >),
  batchSize: true,
  tokensPerCall: true,
  copy: true,
});

const TOKENS_PER_CALL = 1024 * 1024;

/** A sequence of the source that waits for its matrix. */
interface Waiting {
  index: number;
  name: string | undefined;
  sequence: string | Uint8Array;
}

export async function* batchesOf(
  source: unknown,
  options: BatchesOptions,
  around: boolean,
  make: BatchMaker,
): AsyncGenerator<DnaBatch<DnaIdType, MaskType>, void, undefined> {
  checkOptionNames(options, OPTIONS);
  const { batchSize, tokensPerCall = TOKENS_PER_CALL, copy = false, ...rest } = options;
  const size = countOrNone(batchSize, 'batchSize', 1);
  if (size === undefined) throw unexpected('a number', 'batchSize', batchSize);
  const most = countOrNone(tokensPerCall, 'tokensPerCall', 1) as number;
  if (typeof copy !== 'boolean') throw unexpected('a boolean', 'copy', copy);
  const shape = checkedBatch(rest, around);
  const buffers = copy ? undefined : new Buffers();
  // With a length no more rows are needed than one matrix has; without, those of equal length are looked for among batchSize.
  const together = shape.length === undefined ? size : rowsWithin(most, shape.length, size);
  for await (const waiting of portions(source, together)) {
    const asked = make.engine();
    const engine = asked.prepared ? await asked.prepared(copies(rowsOf(waiting.map(({ sequence }) => sequence)))) : asked;
    const { length } = shape;
    const groups = length === undefined ? grouped(forItems(waiting, () => countsOf(waiting, make, engine, shape.around)), size, most) : [{ length, rows: waiting.keys() }];
    for (const group of groups) {
      make.engine();
      const rows = [...group.rows].map((row) => waiting[row] as Waiting);
      const own = { ...shape, length: group.length, ...buffers?.for(rows.length * group.length) };
      const matrix = forItems(rows, () => make.fill(engine, rows.map(({ sequence }) => sequence), own));
      buffers?.keep(matrix);
      yield { ...matrix, indexes: indexesOf(rows), names: rows.map(({ name }) => name) };
    }
  }
}

function countsOf(rows: readonly Waiting[], make: BatchMaker, engine: DnaEngine, around: boolean): Uint32Array {
  try {
    return make.counts(engine, rowsOf(rows.map(({ sequence }) => sequence)), around);
  } catch (error) {
    throw failureInSequence(error, (row) => rows[row]?.sequence ?? '', make.name, undefined);
  }
}

/** Does it; an error that is about a row is about an item of the source then. */
function forItems<Result>(rows: readonly Waiting[], work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    const item = error instanceof TokenizerError && error.row !== undefined ? rows[error.row] : undefined;
    if (!item || !(error instanceof TokenizerError)) throw error;
    const { message, code, position } = error;
    const title = `item ${item.index} of the source${item.name === undefined ? '' : ` (${quotedName(item.name)})`}`;
    throw new TokenizerError(message.replace(/^sequences\[\d+\]/, () => title), { code, position, row: item.index });
  }
}

/** Rows of a matrix: as many as have `most` ids together, but one at least. */
function rowsWithin(most: number, length: number, size: number): number {
  return Math.min(size, Math.max(1, Math.floor(most / Math.max(1, length))));
}

/** Rows with as many ids each, by the first of them. */
function* grouped(counts: Uint32Array, size: number, most: number): Generator<{ length: number; rows: number[] }> {
  const groups = new Map<number, number[]>();
  counts.forEach((count, row) => {
    const group = groups.get(count);
    if (group) group.push(row);
    else groups.set(count, [row]);
  });
  for (const [length, rows] of groups) {
    const together = rowsWithin(most, length, size);
    for (let at = 0; at < rows.length; at += together) yield { length, rows: rows.slice(at, at + together) };
  }
}

/** The sequences of a source, some at a time. */
async function* portions(source: unknown, size: number): AsyncGenerator<Waiting[], void, undefined> {
  let portion: Waiting[] = [];
  let index = 0;
  for await (const item of iterableOf(source)) {
    portion.push(waitingOf(item, index++));
    if (portion.length < size) continue;
    yield portion;
    portion = [];
  }
  if (portion.length > 0) yield portion;
}

function iterableOf(source: unknown): Iterable<unknown> | AsyncIterable<unknown> {
  const isIterable = typeof source === 'object' && source !== null && (Symbol.iterator in source || Symbol.asyncIterator in source);
  if (isIterable && typedArrayKind(source) === undefined) return source as Iterable<unknown>;
  throw unexpected('an iterable of sequences or records', 'source', source);
}

function waitingOf(item: unknown, index: number): Waiting {
  const isRecord = typeof item === 'object' && item !== null && typedArrayKind(item) === undefined;
  const { name, sequence } = (isRecord ? item : { sequence: item }) as Partial<DnaRecord>;
  const where = isRecord ? `source[${index}].sequence` : `source[${index}]`;
  if (typeof sequence === 'string') return { index, name, sequence };
  if (typedArrayKind(sequence) !== 'Uint8Array') throw unexpected('a string or a Uint8Array', where, sequence);
  return { index, name, sequence: plainBytes(sequence as Uint8Array, where).slice() }; // a reader may use its memory again
}

function indexesOf(rows: readonly Waiting[]): Uint32Array | Float64Array {
  const list = rows.map(({ index }) => index);
  return (list.at(-1) as number) <= 0xffffffff ? Uint32Array.from(list) : Float64Array.from(list);
}

function copies({ bytes, offsets }: TextRows): Uint8Array[] {
  return Array.from({ length: offsets.length - 1 }, (_, row) => bytes.slice(offsets[row], offsets[row + 1]));
}

/** The arrays that all matrices of a call share: the largest so far. */
class Buffers {
  #ids: IdArray | undefined;
  #mask: IdArray | undefined;

  /** Those that hold so many elements. */
  for(size: number): Pick<BatchShape, 'ids' | 'maskOut'> {
    const fitting = (array: IdArray | undefined) => (array && array.length >= size ? array : undefined);
    return { ids: fitting(this.#ids), maskOut: fitting(this.#mask) };
  }

  keep({ ids, mask }: DnaMatrix<DnaIdType, MaskType>): void {
    if (!this.#ids || ids.length > this.#ids.length) this.#ids = ids;
    if (mask && (!this.#mask || mask.length > this.#mask.length)) this.#mask = mask;
  }
}
