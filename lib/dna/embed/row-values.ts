// A model's results: one value per row, in an array, or in a typed array with equally many numbers per row.

import { unexpected } from '../../base/errors.js';
import { typedArrayKind } from '../../base/views.js';

/**
 * A model's return value: an element for each row, or a typed array with equally many numbers for each.
 *
 * @example
 * ```ts
 * const oneForEach: RowValues = ['first', 'second'];
 * const twoForEach: RowValues = Float32Array.of(0, 1, 2, 3);
 * oneForEach.length; // 2
 * twoForEach.length; // 4
 * ```
 */
export interface RowValues extends ArrayLike<unknown> {
  /** Like an array's. */
  slice(begin?: number, end?: number): unknown;
}

/** The number of elements per row. Throws if the values cannot be divided evenly among `rows` rows. */
export function widthOf(values: unknown, rows: number): number {
  if (Array.isArray(values)) {
    if (values.length === rows) return 1;
  } else if (typedArrayKind(values) !== undefined) {
    const { length } = values as ArrayLike<unknown>;
    if (length > 0 && length % rows === 0) return length / rows;
  }
  throw unexpected(
    `an array with a value for each of ${rows} rows, or a typed array of a multiple of ${rows} numbers,`,
    'the result of run',
    values,
  );
}

/**
 * A model's values for some sequences: `rows` of them, of which the first has index `from` in the source.
 *
 * @example
 * ```ts
 * using dna = await DnaTokenizer.load('hyenadna');
 * const lengths = (batch: DnaBatch) => Array.from(batch.indexes, () => batch.shape[1]);
 * for await (const embedded of embed(dna, ['ACGT', 'GGTT'], lengths, { batchSize: 2 })) {
 *   const { values, from, rows }: Embedded<number[]> = embedded;
 *   [values, from, rows]; // [[4, 4], 0, 2]
 * }
 * ```
 */
export interface Embedded<Values> {
  /** The model's values for these rows: an element for each, or equally many numbers in a typed array. */
  values: Values;
  from: number;
  rows: number;
}

/** Puts rows back into the order of the source. */
export class RowOrder<Values extends RowValues> {
  /** The next row to yield. */
  #next = 0;
  /** Values to yield next, of consecutive rows. */
  #ready: Embedded<Values> | undefined;
  /** Values of later rows, by index. */
  readonly #waiting = new Map<number, Values>();

  /** Takes the values of some rows, whose indexes ascend. Throws if the values cannot be divided evenly. */
  take(values: Values, indexes: ArrayLike<number>): void {
    const rows = indexes.length;
    const width = widthOf(values, rows);
    const from = indexes[0] as number;
    if (from === this.#next && indexes[rows - 1] === from + rows - 1) {
      this.#ready = { values, from, rows };
      this.#next += rows;
      return;
    }
    for (let row = 0; row < rows; row++) {
      this.#waiting.set(indexes[row] as number, values.slice(row * width, (row + 1) * width) as Values);
    }
  }

  /** Yields the values that are due, in arrays as large as possible. */
  *due(): Generator<Embedded<Values>> {
    if (this.#ready) yield this.#ready;
    this.#ready = undefined;
    let run: Values[] = [];
    for (let next = this.#waiting.get(this.#next); ; next = this.#waiting.get(this.#next)) {
      if (run.length > 0 && (next === undefined || !isAlike(next, run[0] as Values))) {
        yield { values: joined(run), from: this.#next - run.length, rows: run.length };
        run = [];
      }
      if (next === undefined) return;
      run.push(next);
      this.#waiting.delete(this.#next++);
    }
  }
}

/** Whether two rows' values fit in one array. */
function isAlike(a: RowValues, b: RowValues): boolean {
  return a.constructor === b.constructor && a.length === b.length;
}

function joined<Values extends RowValues>(rows: readonly Values[]): Values {
  const [first] = rows as readonly [Values];
  if (rows.length === 1) return first;
  if (Array.isArray(first)) return rows.flat(1) as unknown as Values;
  const Kind = first.constructor as new (length: number) => Values & { set(values: ArrayLike<unknown>, at: number): void };
  const all = new Kind(rows.length * first.length);
  rows.forEach((row, index) => all.set(row, index * first.length));
  return all;
}
