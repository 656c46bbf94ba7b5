// Turns incoming sequences into matrices for a model, and reads and encodes ahead of the consumer if it asks for that:
//
//   source ─▶ buffer of rows ─▶ its matrices, in order ─▶ the next matrices, begun by other threads ─▶ the requested matrix

import { type FromCallSite, quotedName, saysTooLarge, TokenizerError, unexpected } from '../base/errors.js';
import { checkOptionNames, optionNames } from '../base/option-objects.js';
import { pause } from '../base/time-slices.js';
import { isPromise } from '../base/views.js';
import type { TextRows } from '../engine/text-rows.js';
import type { DnaEngine, IdArray, Maybe } from '../engine/dna-engine.js';
import { failureInSequence } from './sequence-failures.js';
import type { DnaDeviceMatrix, DnaMatrix, MaskType } from './matrix.js';
import { type AnyMatrix, type BegunMatrix, type DnaEncoder, isTakenBack, sequencesOf } from './sequence-encoder.js';
import {
  BATCH_OPTIONS,
  type BatchShape,
  checkedBatch,
  countOrNone,
  type DnaBatchOptions,
  type DnaIdType,
  PACE,
  type Pace,
  type RowDefaults,
} from './dna-options.js';
import { RowBuffer } from './row-buffer.js';
import { sequenceSource } from './sequence-sources.js';

/**
 * A sequence with a name, such as a record of `readFasta`.
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
  /**
   * Create new arrays for each matrix. By default a few arrays are reused in turn and valid until the next matrix is
   * requested; after that threads may have taken their memory, and they are empty. Default false.
   */
  copy?: boolean | undefined;
  /**
   * The most matrices to read and encode while one is used: worthwhile if you wait for something else meanwhile. Default 0: the
   * source is read when a matrix is requested.
   */
  ahead?: number | undefined;
}

/**
 * A matrix, and the sequences of its rows.
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
  /** The sequence of each row, as an index in the source. */
  indexes: Float64Array | Uint32Array;
  /** The names of the records; undefined for a sequence without one. Converted to strings when first read. */
  readonly names: (string | undefined)[];
}

/**
 * A matrix that stays on a device, and the sequences of its rows. It is in use until it is freed; matrices that are never requested
 * free themselves.
 *
 * @example
 * ```ts
 * using dna = await DnaTokenizer.load('hyenadna');
 * const options = { batchSize: 2, device: 'cuda', resident: true } as const;
 * const batches: AsyncIterator<DnaDeviceBatch> = dna.batches(['ACGT'], options);
 * await batches.next(); // throws TokenizerError (DEVICE_UNAVAILABLE)
 * ```
 */
export interface DnaDeviceBatch<Type extends DnaIdType = 'int32', Mask extends MaskType = 'uint8'>
  extends DnaDeviceMatrix<Type, Mask>,
    Pick<DnaBatch, 'indexes' | 'names'> {}

/** The context for making batches. */
export interface BatchMaker {
  /** Throws if the tokenizer has been closed. */
  engine(shape: BatchShape): DnaEngine;
  /** The tokenizer that the engine's tables were made from. */
  upstream: ((shape: BatchShape) => DnaEngine) | undefined;
  encoder: DnaEncoder;
  name: string;
  /** Makes errors begin where the user asked for the batches. */
  explained: FromCallSite;
}

type Batch = DnaBatch<DnaIdType, MaskType> | DnaDeviceBatch<DnaIdType, MaskType>;

const OPTIONS = [
  ...BATCH_OPTIONS.filter((name) => name !== 'out'),
  ...optionNames<Omit<BatchesOptions, keyof DnaBatchOptions>>({ batchSize: true, tokensPerCall: true, copy: true, ahead: true }),
];

const TOKENS_PER_CALL = 1024 * 1024;
const MOST_AHEAD = 64;

/** Our errors begin where the user asked for the batches; the source's errors keep their stack. */
export async function* batchesOf(
  source: unknown,
  options: BatchesOptions,
  defaults: RowDefaults,
  make: BatchMaker,
): AsyncGenerator<Batch, void, undefined> {
  let line: BatchLine | undefined;
  try {
    line = lineOf(source, options, defaults, make);
    for (;;) {
      const next = line.next();
      const batch = isPromise(next) ? await next : next;
      if (!batch) return;
      yield batch;
    }
  } catch (error) {
    throw error === line?.thrown ? error : make.explained(error);
  } finally {
    await line?.end();
  }
}

function lineOf(
  source: unknown,
  options: BatchesOptions & { [PACE]?: (pace: Pace) => void },
  defaults: RowDefaults,
  make: BatchMaker,
): BatchLine {
  if (options !== undefined) checkOptionNames(options, OPTIONS);
  const {
    batchSize,
    tokensPerCall = TOKENS_PER_CALL,
    copy = false,
    ahead = 0,
    [PACE]: givePace,
    ...rest
  } = (options as typeof options | undefined) ?? ({} as Partial<typeof options>);
  const size = countOrNone(batchSize, 'batchSize', 1);
  if (size === undefined) throw new TypeError('`batchSize` must be set: it has no default');
  const maxIds = countOrNone(tokensPerCall, 'tokensPerCall', 1) as number;
  const further = Math.min(countOrNone(ahead, 'ahead', 0) as number, MOST_AHEAD);
  if (typeof copy !== 'boolean') throw unexpected('a boolean', 'copy', copy);
  const shape = checkedBatch(rest, defaults);
  const arrays = copy || shape.resident ? undefined : arrayRing(further + 1);
  const line = new BatchLine(source, { size, maxIds: maxIds, shape, arrays, ahead: further }, make);
  givePace?.(line);
  return line;
}

interface LineOptions {
  size: number;
  /** The most ids of a matrix. */
  maxIds: number;
  shape: BatchShape;
  arrays: NextArrays | undefined;
  ahead: number;
}

/** Rows of a buffer that form one matrix. */
interface Group {
  buffer: RowBuffer;
  engine: DnaEngine;
  /** If undefined, all rows of the buffer. */
  rows: number[] | undefined;
  length: number;
  /** Whether this is the last group of the buffer. */
  isLast: boolean;
}

/** A matrix in progress; `take` throws or rejects if it failed. */
interface Coming {
  take(): Maybe<Batch>;
  release(): void;
}

/** The matrices of a source, one after the other. */
class BatchLine implements Pace {
  readonly #source;
  readonly #options: LineOptions;
  readonly #make: BatchMaker;
  readonly #engine: () => DnaEngine;
  #groups: Iterator<Group> | undefined;
  #sequences = 0;
  /** Memory of a buffer that is no longer in use. */
  #spare: Uint8Array | undefined;
  /** Whether the source is exhausted, and whether the line is. */
  #isRead = false;
  #hasEnded = false;
  readonly #coming: Coming[] = [];
  /** The read being waited for. */
  #reading: Promise<void> | undefined;
  /** Whether it will advance once the consumer waits. */
  #isDue = false;

  constructor(source: unknown, options: LineOptions, make: BatchMaker) {
    this.#source = sequenceSource(source);
    this.#options = options;
    this.#make = make;
    this.#engine = () => make.engine(options.shape);
  }

  /** An error thrown by the source itself. */
  get thrown(): unknown {
    return this.#source.thrown;
  }

  /** The next matrix; undefined at the end. */
  next(): Maybe<Batch | undefined> {
    if (this.#coming.length === 0) {
      const reading = this.#reading ?? this.#prepare(false);
      if (reading) return reading.then(() => this.next());
    }
    const coming = this.#coming.shift();
    if (!coming) return undefined;
    let taken: Maybe<Batch> | undefined;
    try {
      this.#engine();
      this.#advanceLater();
      taken = coming.take();
      return isPromise(taken) ? taken.finally(() => coming.release()) : taken;
    } finally {
      if (!isPromise(taken)) coming.release();
    }
  }

  async sequential(): Promise<boolean> {
    const hasAhead = this.#options.ahead > 0;
    this.#options.ahead = 0;
    for (const [at, coming] of this.#coming.entries()) {
      const take = await (async () => coming.take())().then((batch) => () => batch, thrower);
      this.#coming[at] = { take, release: () => coming.release() };
    }
    return hasAhead;
  }

  async end(): Promise<void> {
    this.#hasEnded = this.#isRead = true;
    for (const coming of this.#coming) coming.release();
    this.#coming.length = 0;
    await this.#source.end();
  }

  /**
   * Prepares as many matrices as allowed, in the next turn of the event loop: the consumer waits then. A consumer that does not wait gets
   * one matrix after the other, since reading would hold it up, and the memory of a second matrix costs more than encoding into it.
   */
  #advanceLater(): void {
    if (this.#isDue || this.#options.ahead === 0) return;
    this.#isDue = true;
    void pause().then(() => {
      this.#isDue = false;
      if (!this.#reading) this.#advance();
    });
  }

  #advance(): void {
    while (!this.#isRead && this.#coming.length < this.#options.ahead) {
      if (this.#prepare(true)?.then(() => this.#advance())) return;
    }
  }

  /** Adds a matrix or an error; returns a promise if it must wait. */
  #prepare(isAhead: boolean): Promise<void> | undefined {
    if (this.#isRead) return undefined;
    try {
      const group = this.#group();
      if (!isPromise(group)) return this.#add(group, isAhead);
      const leave = () => (this.#reading = undefined);
      this.#reading = group.then((group) => this.#add(group, isAhead)).catch((error) => this.#fail(error));
      this.#reading.then(leave, leave);
      return this.#reading;
    } catch (error) {
      this.#fail(error);
      return undefined;
    }
  }

  #add(group: Group | undefined, isAhead: boolean): undefined {
    if (this.#hasEnded) return;
    if (group) this.#coming.push(this.#begin(group, isAhead));
    else this.#isRead = true;
  }

  #fail(error: unknown): void {
    this.#isRead = true;
    this.#coming.push({ take: thrower(error), release: () => undefined });
  }

  #group(): Maybe<Group | undefined> {
    const next = this.#groups?.next();
    if (next && !next.done) return next.value;
    const { size, maxIds, shape } = this.#options;
    // With a length, one matrix's rows suffice; without, rows of equal length are sought among batchSize rows.
    const buffer = new RowBuffer(
      this.#sequences,
      shape.length === undefined ? size : rowsWithin(maxIds, shape.length, size),
      this.#engine,
      this.#spare,
    );
    this.#spare = undefined;
    const filled = this.#source.fill(buffer);
    return isPromise(filled) ? filled.then(() => this.#firstOf(buffer)) : this.#firstOf(buffer);
  }

  #firstOf(buffer: RowBuffer): Maybe<Group | undefined> {
    if (buffer.count === 0) return undefined;
    this.#sequences += buffer.count;
    try {
      if (this.#options.shape.reverseComplement) buffer.reverse();
    } catch (error) {
      throw titled(error, buffer, (row) => row);
    }
    return prepared(this.#engine(), buffer.rows, (engine) => this.#grouped(buffer, engine));
  }

  #grouped(buffer: RowBuffer, engine: DnaEngine, mayFallBack = true): Maybe<Group | undefined> {
    const { size, maxIds, shape } = this.#options;
    if (shape.length !== undefined) return { buffer, engine, rows: undefined, length: shape.length, isLast: true };
    let counts: Uint32Array;
    try {
      counts = engine.countRows(buffer.rows, shape.around);
    } catch (error) {
      const upstream = mayFallBack ? this.#upstreamFor(error) : undefined;
      if (upstream) return prepared(upstream, buffer.rows, (engine) => this.#grouped(buffer, engine, false));
      throw this.#explained(error, { buffer, engine });
    }
    this.#groups = groupsOf(buffer, engine, counts, size, maxIds);
    return this.#groups.next().value as Group;
  }

  #begin(group: Group, isAhead: boolean): Coming {
    const { buffer, engine, rows, length, isLast } = group;
    const { shape, arrays } = this.#options;
    const lines = rows ? rowsFrom(buffer.rows, rows) : buffer.rows;
    const count = lines.offsets.length - 1;
    const slot = arrays?.(count * length, isAhead);
    const explained = (error: unknown) => this.#explained(error, group);
    const mayRepeat = (error: unknown) => !shape.resident && saysTooLarge(error);
    let begun: BegunMatrix;
    try {
      begun = this.#make.encoder.begin(engine, lines, { ...shape, length, ...slot?.arrays }, isAhead);
    } catch (error) {
      if (!mayRepeat(error)) throw explained(error);
      begun = { finish: thrower(error), release: () => undefined };
    }
    const taken = (matrix: AnyMatrix): Batch => {
      if ('ids' in matrix) slot?.keep(matrix);
      if (isLast) this.#spare = buffer.memory;
      return batchOf(matrix, buffer, rows);
    };
    const refused = (error: unknown): never => {
      throw explained(error);
    };
    const again = (error: unknown): Maybe<AnyMatrix> => {
      if (!mayRepeat(error)) throw error;
      return this.#encodedAlone(engine, lines, length);
    };
    const take = (): Maybe<Batch> => {
      try {
        const matrix = attempt(() => begun.finish(), again);
        return isPromise(matrix) ? matrix.then(taken).catch(refused) : taken(matrix);
      } catch (error) {
        return refused(error);
      }
    };
    return { take, release: () => begun.release() };
  }

  /** A matrix that was too large elsewhere, on this thread alone; where that fails as well, by the tokenizer behind the tables. */
  #encodedAlone(engine: DnaEngine, rows: TextRows, length: number): Maybe<AnyMatrix> {
    const shape: BatchShape = { ...this.#options.shape, length, device: 'cpu', threads: 1 };
    const encodeWith = (engine: DnaEngine) => this.#make.encoder.begin(engine, rows, shape, false).finish();
    return attempt(
      () => encodeWith(engine),
      (error) => {
        const upstream = this.#upstreamFor(error);
        if (!upstream) throw error;
        return prepared(upstream, rows, encodeWith);
      },
    );
  }

  /** The tokenizer behind the tables, if they failed on something too large. */
  #upstreamFor(error: unknown): DnaEngine | undefined {
    return saysTooLarge(error) ? this.#make.upstream?.(this.#options.shape) : undefined;
  }

  /** Converts an error about a row to one about an item of the source. */
  #explained(error: unknown, { buffer, engine, rows, length }: Partial<Group> & Pick<Group, 'buffer' | 'engine'>): unknown {
    const rowOf = (row: number) => (rows ? (rows[row] as number) : row);
    const encoding = { ...this.#options.shape, engine, name: this.#make.name, length };
    const failure = failureInSequence(error, (row) => buffer.sequence(rowOf(row)), encoding);
    return titled(failure, buffer, rowOf);
  }
}

/** An error about a row as one about an item of the source. */
function titled(failure: unknown, buffer: RowBuffer, rowOf: (row: number) => number): unknown {
  if (!(failure instanceof TokenizerError) || failure.row === undefined) return failure;
  const { message, code, position } = failure;
  const row = rowOf(failure.row);
  const name = buffer.name(row);
  const title = `item ${buffer.first + row} of the source${name === undefined ? '' : ` (${quotedName(name)})`}`;
  return new TokenizerError(
    message.replace(/^sequences\[\d+\]/, () => title),
    { code, position, row: buffer.first + row },
  );
}

function thrower(error: unknown): () => never {
  return () => {
    throw error;
  };
}

/** What `work` gives; where it fails, at once or later, what `otherwise` gives. */
function attempt<T>(work: () => Maybe<T>, otherwise: (error: unknown) => Maybe<T>): Maybe<T> {
  try {
    const done = work();
    return isPromise(done) ? done.catch(otherwise) : done;
  } catch (error) {
    return otherwise(error);
  }
}

/** What `use` gives for an engine, once it has the ids of these rows. */
function prepared<T>(engine: DnaEngine, rows: TextRows, use: (engine: DnaEngine) => Maybe<T>): Maybe<T> {
  return engine.prepared ? engine.prepared(sequencesOf(rows)).then(use) : use(engine);
}

function batchOf(matrix: AnyMatrix, buffer: RowBuffer, rows: readonly number[] | undefined): Batch {
  const count = matrix.shape[0];
  const row = (index: number) => (rows ? (rows[index] as number) : index);
  const Indexes = buffer.first + buffer.count <= 0x100000000 ? Uint32Array : Float64Array;
  const indexes = new Indexes(count);
  for (let index = 0; index < count; index++) indexes[index] = buffer.first + row(index);
  let names: (string | undefined)[] | undefined;
  const namesOf = () => (names ??= Array.from(indexes, (_, index) => buffer.name(row(index))));
  // A batch on a device has its own memory, and cannot be copied.
  if ('toHost' in matrix) {
    const more = { indexes: { value: indexes, enumerable: true }, names: { get: namesOf, enumerable: true } };
    return Object.defineProperties(matrix, more) as DnaDeviceBatch<DnaIdType, MaskType>;
  }
  return {
    ...matrix,
    indexes,
    get names() {
      return namesOf();
    },
  };
}

/** Rows for a matrix: as many as have `maxIds` ids together, but at least one. */
function rowsWithin(maxIds: number, length: number, size: number): number {
  return Math.min(size, Math.max(1, Math.floor(maxIds / Math.max(1, length))));
}

/** Groups of rows with equally many ids, ordered by their first row. */
function* groupsOf(buffer: RowBuffer, engine: DnaEngine, counts: Uint32Array, size: number, maxIds: number): Generator<Group> {
  const groups = new Map<number, number[]>();
  counts.forEach((count, row) => {
    const group = groups.get(count);
    if (group) group.push(row);
    else groups.set(count, [row]);
  });
  let left = counts.length;
  for (const [length, rows] of groups) {
    const together = rowsWithin(maxIds, length, size);
    for (let at = 0; at < rows.length; at += together) {
      const some = rows.slice(at, at + together);
      left -= some.length;
      yield { buffer, engine, rows: some.length === counts.length ? undefined : some, length, isLast: left === 0 };
    }
  }
}

/** A selection of the rows, stored back to back. */
function rowsFrom({ bytes, offsets }: TextRows, rows: readonly number[]): TextRows {
  const newOffsets = new Uint32Array(rows.length + 1);
  rows.forEach((row, index) => {
    newOffsets[index + 1] = (newOffsets[index] as number) + (offsets[row + 1] as number) - (offsets[row] as number);
  });
  const all = new Uint8Array(newOffsets[rows.length] as number);
  rows.forEach((row, index) => all.set(bytes.subarray(offsets[row], offsets[row + 1]), newOffsets[index]));
  return { bytes: all, offsets: newOffsets };
}

type WrittenArrays = { ids: IdArray; mask?: IdArray | undefined };

/**
 * Arrays for the next matrix, if any are large enough for `size` elements, and a function that keeps the matrix's arrays for reuse.
 * `isLastInUse`: if not, the next matrix gets the arrays of the last one, which are in the cache.
 */
type NextArrays = (
  size: number,
  isLastInUse: boolean,
) => { arrays: Pick<BatchShape, 'ids' | 'maskOut'>; keep(matrix: WrittenArrays): void };

/** The arrays that the matrices of a call share in rotation: `count`, as many as can be in progress or in use at once. */
function arrayRing(count: number): NextArrays {
  const slots: { ids?: IdArray | undefined; mask?: IdArray | undefined }[] = Array.from({ length: count }, () => ({}));
  let last = 0;
  return (size, isLastInUse) => {
    if (isLastInUse) last = (last + 1) % count;
    const slot = slots[last] as (typeof slots)[number];
    const fitting = (array: IdArray | undefined) => (array && array.length >= size ? takenBack(array) : undefined);
    const arrays = { ids: fitting(slot.ids), maskOut: fitting(slot.mask) };
    slot.ids = arrays.ids ?? slot.ids;
    slot.mask = arrays.maskOut ?? slot.mask;
    const keep = ({ ids, mask }: WrittenArrays) => {
      if (!slot.ids || ids.length > slot.ids.length) slot.ids = ids;
      if (mask && (!slot.mask || mask.length > slot.mask.length)) slot.mask = mask;
    };
    return { arrays, keep };
  };
}

/**
 * Moves the memory of an array that a caller has seen to a new array. The caller, who may still hold the old one, cannot
 * transfer memory that threads write to. Undefined if it has already been transferred, or cannot be.
 */
function takenBack(array: IdArray): IdArray | undefined {
  if (!isTakenBack(array)) return array;
  const Kind = array.constructor as new (buffer: ArrayBuffer, at: number, length: number) => IdArray;
  const { byteOffset, length } = array;
  const buffer = array.buffer as ArrayBuffer; // callers' own arrays are not in the ring
  try {
    return new Kind(structuredClone(buffer, { transfer: [buffer] }), byteOffset, length);
  } catch {
    return undefined;
  }
}
