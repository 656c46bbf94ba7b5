// The ids of many texts, and their rows.

import { beginAtCallers, refused } from '../base/errors.js';
import { inspectAs } from '../base/public-objects.js';
import { checkedPadding, type PaddedBatch, type PadOptions, padRows } from '../engine/padding.js';
import type { Template } from './id-template.js';
import type { UnsharedBigInt64Array, UnsharedUint32Array } from '../base/typed-arrays.js';

/**
 * The ids of many texts in one array: row i is `ids[offsets[i]]` up to `ids[offsets[i + 1]]`.
 *
 * @example
 * ```ts
 * const batch = tokenizer.encodeBatch(['hello world', 'hello']);
 * batch.ids; // Uint32Array [24912, 2375, 24912]
 * batch.offsets; // Uint32Array [0, 2, 3]
 * ```
 */
export class TokenBatch implements Iterable<UnsharedUint32Array> {
  /** All ids, row after row. */
  readonly ids: UnsharedUint32Array;
  /** Where each row begins, and the end of the last: one more entry than there are rows. */
  readonly offsets: UnsharedUint32Array;

  /** The ids around each text, which `truncate` keeps. */
  readonly #template: Template | undefined;

  /** @internal */
  constructor(ids: UnsharedUint32Array, offsets: UnsharedUint32Array, template?: Template) {
    this.ids = ids;
    this.offsets = offsets;
    this.#template = template;
  }

  /**
   * The number of rows.
   *
   * @example
   * ```ts
   * tokenizer.encodeBatch(['hello world', 'hello']).length; // 2
   * ```
   */
  get length(): number {
    return this.offsets.length - 1;
  }

  /**
   * The ids of text `index`, as a view of `ids`. Throws a `RangeError` if there is no such row.
   *
   * @example
   * ```ts
   * const batch = tokenizer.encodeBatch(['hello world', 'hello']);
   * batch.row(1); // Uint32Array [24912]
   * batch.row(2); // throws RangeError
   * ```
   */
  row(index: number): UnsharedUint32Array {
    const from = this.offsets[index];
    const to = this.offsets[index + 1];
    if (from === undefined || to === undefined) {
      throw refused(`\`index\` must be a row from 0 to ${this.length - 1}`, index);
    }
    return this.ids.subarray(from, to);
  }

  /**
   * The rows as one rectangle, each padded with `padId` to the same length, and a mask that tells ids from padding. A
   * row longer than `length` is a `RangeError`, or is cut off if `truncate` is true.
   *
   * @example
   * ```ts
   * const batch = tokenizer.encodeBatch(['hello world', 'hello']);
   * const { ids, mask, shape } = batch.pad();
   * ids; // Int32Array [24912, 2375, 24912, 0]
   * mask; // Int32Array [1, 1, 1, 0]
   * shape; // [2, 2]
   * batch.pad({ length: 3, side: 'left', padId: 7, type: 'bigint64' }).ids; // BigInt64Array [7n, 24912n, 2375n, 7n, 7n, 24912n]
   * batch.pad({ length: 1, truncate: true }).ids; // Int32Array [24912, 24912]
   * ```
   */
  pad(options?: PadOptions & { type?: 'int32' | undefined }): PaddedBatch;
  pad(options: PadOptions & { type: 'bigint64' }): PaddedBatch<UnsharedBigInt64Array>;
  pad(options?: PadOptions): PaddedBatch | PaddedBatch<UnsharedBigInt64Array>;
  pad(options: PadOptions = {}): PaddedBatch | PaddedBatch<UnsharedBigInt64Array> {
    return padRows({ ids: this.ids, offsets: this.offsets, template: this.#template }, checkedPadding(options));
  }

  /**
   * The rows, in order.
   *
   * @example
   * ```ts
   * [...tokenizer.encodeBatch(['hello world', 'hello'])].map((row) => row.length); // [2, 1]
   * ```
   */
  *[Symbol.iterator](): Iterator<UnsharedUint32Array> {
    for (let index = 0; index < this.length; index++) yield this.row(index);
  }
  /** @internal */
  get [Symbol.toStringTag](): string {
    return 'TokenBatch';
  }
}

beginAtCallers(TokenBatch);
inspectAs(
  TokenBatch.prototype,
  ({ length }) => `TokenBatch(${length})`,
  ({ ids, offsets }) => ({ ids, offsets }),
);
