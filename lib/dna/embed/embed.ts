// Runs sequences through a model in micro-batches, as in DNATok's pipeline, without losing or repeating a row when the model
// runs out of memory.
//
//   source ─ batches() ─▶ matrix ─ limit ─▶ rows of it ─ model ─▶ values ─ order ─▶ { values, from, rows }

import { type FromCallSite, fromCallSite, outOfRange, saysTooLarge, unexpected } from '../../base/errors.js';
import { checkPlainObject } from '../../base/option-objects.js';
import { typedArrayKind } from '../../base/views.js';
import type { BatchesOptions, DnaBatch, DnaRecord } from '../batches.js';
import type { MaskType } from '../matrix.js';
import { type DnaIdType, leaveOut, PACE, type Pace } from '../dna-options.js';
import { jobOf } from '../../api/async-options.js';
import { isSession, type OnnxSession, runOf } from './onnx-session.js';
import { type Embedded, RowOrder, type RowValues } from './row-values.js';

/**
 * The progress of `embed`, after each model call.
 *
 * @example
 * ```ts
 * using dna = await DnaTokenizer.load('hyenadna');
 * const seen: EmbedProgress[] = [];
 * const run = ({ indexes }: DnaBatch) => [...indexes];
 * const options = { batchSize: 2, onProgress: (progress: EmbedProgress) => seen.push(progress) };
 * for await (const { rows } of embed(dna, ['AC', 'GT', 'TT', 'CC'], run, options)) rows; // 2
 * seen; // [{ rows: 2, ids: 4, calls: 1, failures: 0 }, { rows: 4, ids: 8, calls: 2, failures: 0 }]
 * ```
 */
export interface EmbedProgress {
  /** Sequences completed. */
  rows: number;
  /** Their ids, including padding. */
  ids: number;
  /** Model calls, including failed ones. */
  calls: number;
  /** Calls that were too large, and were repeated. */
  failures: number;
}

/**
 * Options of {@link embed}, in addition to the options of {@link DnaTokenizer.batches}.
 *
 * @example
 * ```ts
 * using dna = await DnaTokenizer.load('hyenadna');
 * const options: EmbedOptions = { batchSize: 64, length: 512, truncate: true };
 * for await (const { rows } of embed(dna, ['ACGT'], ({ shape }) => [shape[1]], options)) rows; // 1
 * ```
 */
export interface EmbedOptions<Type extends DnaIdType = DnaIdType> extends Omit<BatchesOptions<Type>, 'copy'> {
  /** As in {@link BatchesOptions}, but 1 by default. */
  ahead?: number | undefined;
  /** The output of an ONNX session to use. Default: its first. */
  output?: string | undefined;
  /** Called after each successful model call. */
  onProgress?: ((progress: EmbedProgress) => void) | undefined;
  /**
   * Whether a failure of the model means that its rows were too many, in addition to the errors that are known: out of memory, and
   * too many elements for 32-bit indexes.
   */
  isTooLarge?: ((error: unknown) => boolean) | undefined;
  /** Aborts the work before the next model call: the iterable throws the signal's reason. */
  signal?: AbortSignal | undefined;
}

/**
 * The source of `embed`'s batches: a {@link DnaTokenizer}.
 *
 * @example
 * ```ts
 * using dna = await DnaTokenizer.load('hyenadna');
 * const batches: BatchSource = dna;
 * for await (const { rows } of embed(batches, ['ACGT'], ({ shape }) => [shape[1]], { batchSize: 1 })) rows; // 1
 * ```
 */
export interface BatchSource {
  /** Like {@link DnaTokenizer.batches}. */
  batches<Type extends DnaIdType = 'int32', Mask extends MaskType = 'uint8'>(
    source: Iterable<string | Uint8Array | DnaRecord> | AsyncIterable<string | Uint8Array | DnaRecord>,
    options: BatchesOptions<Type> & { mask?: Mask | undefined },
  ): AsyncGenerator<DnaBatch<Type, Mask>, void, undefined>;
}

type Batch = DnaBatch<DnaIdType, MaskType>;
type Run = (batch: Batch) => unknown;

/**
 * Runs a model over incoming sequences or records in micro-batches: the matrices of {@link DnaTokenizer.batches}, with the next
 * one read and encoded while the promise of `run` is awaited.
 *
 * `run`: either a function or an ONNX Runtime session. The function gets a matrix (`ids`, `mask`, `shape`, `indexes`, `names`),
 * which it may use until it has answered, and returns, or promises, an array with a value for each row, or a typed array with
 * equally many numbers for each. The session has int64 inputs `input_ids` and optionally `attention_mask` and `token_type_ids`.
 *
 * If a call is too large (out of memory, or 32-bit indexing, recognized by the messages of CUDA, PyTorch, ONNX Runtime and others;
 * `isTooLarge` adds to them), it is repeated from its first row with half the rows; after some successful calls, the number rises
 * again. A single row that is too large is repeated once no other matrix is in progress, and none is begun ahead from then on.
 * Results come in the order of the source, each sequence once. Any other failure, or a second one of a single row, ends the
 * iterable.
 *
 * @example
 * ```ts
 * using dna = await DnaTokenizer.load('hyenadna');
 * const model = async ({ ids, shape: [rows, length] }: DnaBatch) => Float32Array.from({ length: rows }, (_, row) => ids[row * length]!);
 * const all = [];
 * for await (const { values, from } of embed(dna, ['ACGT', 'CCAA', 'GGTT'], model, { batchSize: 2 })) all.push([from, ...values]);
 * all; // [[0, 7, 8], [2, 9]]
 * ```
 */
export function embed<Values extends RowValues, Type extends DnaIdType = 'int32', Mask extends MaskType = 'uint8'>(
  tokenizer: BatchSource,
  source: Iterable<string | Uint8Array | DnaRecord> | AsyncIterable<string | Uint8Array | DnaRecord>,
  run: (batch: DnaBatch<Type, Mask>) => Values | PromiseLike<Values>,
  options: EmbedOptions<Type> & { mask?: Mask | undefined },
): AsyncGenerator<Embedded<Values>, void, undefined>;
export function embed(
  tokenizer: BatchSource,
  source: Iterable<string | Uint8Array | DnaRecord> | AsyncIterable<string | Uint8Array | DnaRecord>,
  run: OnnxSession,
  options: EmbedOptions,
): AsyncGenerator<Embedded<RowValues>, void, undefined>;
export function embed(
  tokenizer: BatchSource,
  source: Iterable<string | Uint8Array | DnaRecord> | AsyncIterable<string | Uint8Array | DnaRecord>,
  run: Run | OnnxSession,
  options: EmbedOptions,
): AsyncGenerator<Embedded<RowValues>, void, undefined> {
  return embedded(tokenizer, source, run, options, fromCallSite(embed));
}

async function* embedded(
  tokenizer: BatchSource,
  source: Iterable<string | Uint8Array | DnaRecord> | AsyncIterable<string | Uint8Array | DnaRecord>,
  model: unknown,
  options: EmbedOptions,
  explained: FromCallSite,
): AsyncGenerator<Embedded<RowValues>, void, undefined> {
  let run: Run;
  let rest: BatchesOptions;
  const { onProgress, signal, output, isTooLarge, ...others } = (options as EmbedOptions | undefined) ?? ({} as EmbedOptions);
  try {
    if (options !== undefined) checkPlainObject(options, 'options');
    if (typeof tokenizer?.batches !== 'function') throw unexpected('a DnaTokenizer', 'tokenizer', tokenizer);
    const { resident } = others as { resident?: unknown };
    if (resident) throw leaveOut('resident', 'models get matrices in the memory of the CPU');
    if (onProgress !== undefined && typeof onProgress !== 'function') throw unexpected('a function', 'onProgress', onProgress);
    if (isTooLarge !== undefined && typeof isTooLarge !== 'function') throw unexpected('a function', 'isTooLarge', isTooLarge);
    jobOf({ signal }); // checks it
    [run, rest] = modelOf(model, output, others);
  } catch (error) {
    throw explained(error);
  }
  let pace: Pace | undefined;
  const { ahead = 1 } = rest;
  const paced: BatchesOptions = Object.assign(rest, { ahead, [PACE]: (line: Pace) => (pace = line) });
  const limit = new BatchLimit();
  const order = new RowOrder<RowValues>();
  const progress: EmbedProgress = { rows: 0, ids: 0, calls: 0, failures: 0 };
  for await (const batch of tokenizer.batches(source, paced) as AsyncIterable<Batch>) {
    const [rows, length] = batch.shape;
    for (let at = 0; at < rows; ) {
      signal?.throwIfAborted();
      const some = rowsOf(batch, at, at + limit.rowsOf(rows - at, length));
      const count = some.shape[0];
      let values: RowValues;
      progress.calls++;
      try {
        values = (await run(some)) as RowValues;
      } catch (error) {
        if (!(saysTooLarge(error) || isTooLarge?.(error) === true) || isGone(some)) throw error;
        if (!limit.failed(count, length) && !(await pace?.sequential())) throw error;
        progress.failures++;
        continue;
      }
      limit.succeeded();
      at += count;
      progress.rows += count;
      progress.ids += count * length;
      onProgress?.({ ...progress });
      try {
        order.take(values, some.indexes);
      } catch (error) {
        throw explained(error);
      }
      yield* order.due();
    }
  }
}

/** The model as a function, and the options of its batches. */
function modelOf(model: unknown, output: string | undefined, options: BatchesOptions): [Run, BatchesOptions] {
  if (isSession(model)) {
    const { type = 'bigint64', mask = 'ids' } = options;
    if (type !== 'bigint64') throw outOfRange("'bigint64' for an ONNX session", 'type', type);
    if (mask !== 'ids') throw outOfRange("'ids' for an ONNX session", 'mask', mask);
    return [runOf(model, output) as Run, { ...options, type, mask }];
  }
  if (typeof model !== 'function') throw unexpected('a function from batches to values, or an ONNX session,', 'run', model);
  if (output !== undefined) throw leaveOut('output', 'it is for an ONNX session, and `run` is a function');
  return [model as Run, options];
}

/** A range of a batch's rows: views of its arrays. */
function rowsOf(batch: Batch, begin: number, end: number): Batch {
  const [rows, length] = batch.shape;
  if (begin === 0 && end >= rows) return batch;
  const of = <Kind extends { subarray(begin: number, end: number): Kind }>(array: Kind) => array.subarray(begin * length, end * length);
  const unknownPerRow = batch.unknownPerRow.subarray(begin, end);
  return {
    ids: of(batch.ids as Uint8Array) as Batch['ids'],
    mask: batch.mask && (of(batch.mask as Uint8Array) as Batch['mask']),
    shape: [end - begin, length],
    unknown: unknownPerRow.reduce((sum, each) => sum + each, 0),
    unknownPerRow,
    indexes: batch.indexes.subarray(begin, end),
    get names() {
      return batch.names.slice(begin, end);
    },
  };
}

/** Whether the model has transferred the ids, such as to a worker, and not returned them. */
function isGone({ ids, shape }: Batch): boolean {
  return typedArrayKind(ids) !== undefined && ids.length !== shape[0] * shape[1];
}

/** Successful calls before doubling the rows again; failures raise this number up to the second one. */
const PATIENCE = 16;
const MOST_PATIENCE = 1024;

/** A limit in ids, which determine the memory, but at least one row. */
class BatchLimit {
  #ids = Number.POSITIVE_INFINITY;
  #patience = PATIENCE;
  /** Calls at the limit since it changed. */
  #calls = 0;
  /** Whether the limit has been raised since the last failure. */
  #isRaised = false;

  /** How many of `rows` rows with `length` ids each to pass. */
  rowsOf(rows: number, length: number): number {
    return Math.min(rows, Math.max(1, Math.floor(this.#ids / Math.max(1, length))));
  }

  succeeded(): void {
    if (this.#ids === Number.POSITIVE_INFINITY || ++this.#calls < this.#patience) return;
    this.#calls = 0;
    this.#ids *= 2;
    this.#isRaised = true;
  }

  /** False if the number of rows cannot be reduced. */
  failed(rows: number, length: number): boolean {
    if (rows <= 1) return false;
    // The raise failed: each failure costs a call, so try again later next time.
    if (this.#isRaised) this.#patience = Math.min(2 * this.#patience, MOST_PATIENCE);
    this.#isRaised = false;
    this.#calls = 0;
    this.#ids = Math.floor(rows / 2) * Math.max(1, length);
    return true;
  }
}
