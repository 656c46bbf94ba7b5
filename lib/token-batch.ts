/**
 * The ids of many texts in one array: row i is `ids[offsets[i]]` up to `ids[offsets[i + 1]]`.
 *
 * @example
 * ```ts
 * const batch = tokenizer.encodeBatch(['hello', 'world']);
 * for (const row of batch) console.log(row.length);
 * ```
 */
export class TokenBatch implements Iterable<Uint32Array> {
  /** All ids, row after row. */
  readonly ids: Uint32Array;
  /** Where each row begins, and the end of the last: one more than there are rows. */
  readonly offsets: Uint32Array;

  /** @internal */
  constructor(ids: Uint32Array, offsets: Uint32Array) {
    this.ids = ids;
    this.offsets = offsets;
  }

  /** The number of rows. */
  get length(): number {
    return this.offsets.length - 1;
  }

  /** The ids of text `index`, as a view of `ids`; throws a `RangeError` if there is no such row. */
  row(index: number): Uint32Array {
    const from = this.offsets[index];
    const to = this.offsets[index + 1];
    if (from === undefined || to === undefined) {
      throw new RangeError(`expected a row from 0 to ${this.length - 1} but received ${String(index)}`);
    }
    return this.ids.subarray(from, to);
  }

  *[Symbol.iterator](): Iterator<Uint32Array> {
    for (let index = 0; index < this.length; index++) yield this.row(index);
  }
}
