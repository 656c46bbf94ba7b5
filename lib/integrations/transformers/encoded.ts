// What a call returns: its types, and rows made into it.

import { columnOf, offsetsIn, type Part, type Rows, sequencesOf } from '../encodings/encoding-rows.js';

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
 * What a call returns: each column is a tensor, a list with a value for each token, or one list of values for each text.
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
  /** 0 for tokens of a row's first text, 1 for tokens of its second one; null for ids around texts and for padding. */
  sequence_ids(batch_index?: number): (number | null)[];
}

/** What each column says of a token. */
const COLUMNS = {
  input_ids: ({ source }: Part, index: number) => source.ids[index] as number,
  attention_mask: ({ mask }: Part) => mask,
  token_type_ids: ({ typeId }: Part) => typeId,
  special_tokens_mask: ({ special }: Part) => special,
  offset_mapping: (part: Part, index: number): [number, number] => [...offsetsIn(part, index)],
  assistant_masks: ({ source }: Part, index: number) => source.assistant?.[index] ?? 0,
};

export type Column = keyof typeof COLUMNS;

/** Columns as tensors, which need rows of one length. */
export function tensorsOf(Tensor: TensorClass, rows: readonly Rows[], columns: readonly Column[]): Record<string, unknown> {
  const length = rows[0]?.length ?? 0;
  const other = rows.findIndex((row) => row.length !== length);
  if (other >= 0) {
    throw new RangeError(
      `rows must have one length for a tensor; row 0 has ${length} ids, row ${other} has ${rows[other]?.length}: pass padding: true and truncation: true, or return_tensor: false`,
    );
  }
  return Object.fromEntries(
    columns.map((column) => {
      const dims = column === 'offset_mapping' ? [rows.length, length, 2] : [rows.length, length];
      return [column, new Tensor('int64', elementsOf(rows, column, dims), dims)];
    }),
  );
}

function elementsOf(rows: readonly Rows[], column: Column, dims: readonly number[]): BigInt64Array {
  const elements = new BigInt64Array(dims.reduce((size, dim) => size * dim, 1));
  // Writing the lower halves of integers is several times as fast as making a BigInt of each. Every host is little-endian.
  const halves = new Int32Array(elements.buffer);
  let at = 0;
  for (const row of rows) {
    for (const value of columnOf<number | [number, number]>(row, COLUMNS[column])) {
      if (typeof value === 'number') halves[at] = value;
      else [halves[at], halves[at + 2]] = value;
      at += typeof value === 'number' ? 2 : 4;
    }
  }
  return elements;
}

/** Columns as lists with an element for each row. */
export function listsOf(rows: readonly Rows[], columns: readonly Column[]): Record<string, unknown[]> {
  return Object.fromEntries(columns.map((column) => [column, rows.map((row) => columnOf<unknown>(row, COLUMNS[column]))]));
}

/** The columns of rows, and their words, which are found when they are asked for. */
export class BatchEncodingOf {
  readonly #rows: readonly Rows[];

  constructor(columns: Readonly<Record<string, unknown>>, rows: readonly Rows[]) {
    Object.assign(this, columns);
    this.#rows = rows;
  }

  word_ids(batch_index = 0): (number | null)[] {
    return columnOf(this.#row(batch_index), ({ source }, index) => source.wordAt(index));
  }

  sequence_ids(batch_index = 0): (number | null)[] {
    return sequencesOf(this.#row(batch_index));
  }

  #row(index: number): Rows {
    const row = this.#rows[index];
    if (!row) throw new RangeError(`\`batch_index\` must be below ${this.#rows.length}; received ${index}`);
    return row;
  }
}
