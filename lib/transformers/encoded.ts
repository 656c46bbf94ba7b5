// What a call returns: its types, and rows made into it.

import type { Column, Padded, Row } from './rows.js';
import { elementsOf, lengthOf, listOf } from './rows.js';

/**
 * A class of tensors, such as `Tensor` of transformers.js or of onnxruntime.
 *
 * @example
 * ```ts
 * import type { TensorClass } from 'crayon-tokenizer/transformers';
 *
 * class Tensor {
 *   constructor(readonly type: string, readonly data: BigInt64Array, readonly dims: readonly number[]) {}
 * }
 * const made: TensorClass<Tensor> = Tensor;
 * ```
 */
export type TensorClass<Tensor = unknown> = new (type: 'int64', data: BigInt64Array, dims: number[]) => Tensor;

/**
 * What a call returns: each column a tensor, or a list with a value for each token, or such a list for each text.
 *
 * @example
 * ```ts
 * import { AutoTokenizer, type BatchEncoding } from 'crayon-tokenizer/transformers';
 *
 * const model = { type: 'WordLevel', unk_token: '?', vocab: { '?': 0, hello: 1, world: 2 } };
 * const file = { model, pre_tokenizer: { type: 'Whitespace' } };
 * const tokenizer = await AutoTokenizer.from_pretrained({ 'tokenizer.json': file });
 * const encoded: BatchEncoding<number[]> = tokenizer('hello world');
 * encoded.word_ids(); // [0, 1]
 * ```
 */
export interface BatchEncoding<Item, Offsets = unknown, Samples = unknown> {
  input_ids: Item;
  /** 1 for tokens, 0 for padding. */
  attention_mask: Item;
  /** In most models 0 for the first text, 1 for the second. */
  token_type_ids?: Item;
  /** 1 for ids around texts and for padding. */
  special_tokens_mask?: Item;
  /** Where each token starts and ends in its text, in UTF-16 units. */
  offset_mapping?: Offsets;
  /** 1 for the tokens that the assistant wrote. */
  assistant_masks?: Item;
  /** The text that each row comes from. */
  overflow_to_sample_mapping?: Samples;
  /** The number of each token's word in its text, for a row; null for ids around texts and for padding. */
  word_ids(batch_index?: number): (number | null)[];
  /** 0 for the tokens of the first text of a row, 1 for those of the second; null for ids around texts and for padding. */
  sequence_ids(batch_index?: number): (number | null)[];
}

/** Columns as tensors, which need rows of one length. */
export function tensorsOf(
  Tensor: TensorClass,
  rows: readonly Row[],
  columns: readonly Column[],
  padded: Padded | undefined,
): Record<string, unknown> {
  const lengths = rows.map((row) => Math.max(lengthOf(row), padded?.length ?? 0));
  const [length = 0] = lengths;
  const other = lengths.findIndex((each) => each !== length);
  if (other >= 0) {
    throw new RangeError(
      `expected padding: true and truncation: true, or return_tensor: false, for rows of different lengths: row 0 has ${length} ids, row ${other} has ${lengths[other]}`,
    );
  }
  return Object.fromEntries(
    columns.map((column) => {
      const dims = column === 'offset_mapping' ? [rows.length, length, 2] : [rows.length, length];
      return [column, new Tensor('int64', elementsOf(rows, column, length, padded), dims)];
    }),
  );
}

/** Columns as lists with an element for each row. */
export function listsOf(rows: readonly Row[], columns: readonly Column[], padded: Padded | undefined): Record<string, unknown[]> {
  return Object.fromEntries(columns.map((column) => [column, rows.map((row) => listOf(row, column, padded))]));
}
