// Rows of ids as the parts that they consist of, and what a model takes made of them: lists or the elements of tensors.

import type { Piece } from '../vocabulary/pieces.js';
import type { Range, Side } from '../vocabulary/lengths.js';
import type { Spans } from './truncation.js';

/** Adjacent ids of a row: tokens of a text, or ids around texts. */
export interface Part {
  ids: ArrayLike<number>;
  type: number;
  isSpecial: boolean;
  /** Start and end of each id in its text; undefined where nobody asked, and for ids around texts. */
  offsets?: Uint32Array | undefined;
  /** 1 for each id that the assistant wrote; undefined where nobody asked. */
  assistant?: Uint8Array | undefined;
  /** Whether the text is the first or the second, and which of its tokens is the first here; undefined for ids around texts. */
  sequence?: 0 | 1;
  from?: number;
}

export type Row = readonly Part[];

/** The tokens of a text. */
export interface Tokens {
  ids: Uint32Array;
  offsets?: Uint32Array | undefined;
  assistant?: Uint8Array | undefined;
}

/** The ids of one text or two in their template: the row of what is kept, then one row for each way to combine what overflows. */
export function rowsOf(pieces: readonly Piece[], texts: readonly Tokens[], spans: readonly Spans[], overflows: boolean): [Row, ...Row[]] {
  let rows: [Row, ...Row[]] = [[]];
  for (const piece of pieces) {
    if ('ids' in piece) {
      const part: Part = { ids: piece.ids, type: piece.type_id, isSpecial: true };
      const [first, ...others] = rows;
      rows = [[...first, part], ...others.map((row) => [...row, part])];
      continue;
    }
    const which = piece.seq === 'A' ? 0 : 1;
    const [kept, ...others] = spans[which] as Spans;
    const tokens = texts[which] as Tokens;
    const main = cut(tokens, kept, piece.type_id, which);
    // Hugging Face gives the type of the template only to what is kept.
    const rest = overflows ? others.map((span) => cut(tokens, span, which, which)) : [];
    rows = combined(rows, [main, ...rest]);
  }
  return rows;
}

/** In the order of Hugging Face's merge_with. */
function combined([first, ...overflowing]: [Row, ...Row[]], [main, ...rest]: [Part, ...Part[]]): [Row, ...Row[]] {
  const rows: [Row, ...Row[]] = [[...first, main]];
  for (const row of overflowing) for (const part of [main, ...rest]) rows.push([...row, part]);
  for (const part of rest) rows.push([...first, part]);
  return rows;
}

function cut({ ids, offsets, assistant }: Tokens, [start, end]: Range, type: number, sequence: 0 | 1): Part {
  return {
    ids: ids.subarray(start, end),
    type,
    isSpecial: false,
    offsets: offsets?.subarray(2 * start, 2 * end),
    assistant: assistant?.subarray(start, end),
    sequence,
    from: start,
  };
}

export function lengthOf(row: Row): number {
  return row.reduce((sum, { ids }) => sum + ids.length, 0);
}

/** What a column says of each id. */
export type Column = 'input_ids' | 'attention_mask' | 'token_type_ids' | 'special_tokens_mask' | 'offset_mapping' | 'assistant_masks';

/** How rows reach their length. */
export interface Padded {
  /** Of every row. */
  length: number;
  side: Side;
  id: number;
  type: number;
}

/** The values of a column in a row, each passed to `put` with its place. */
function visit(row: Row, column: Column, padded: Padded | undefined, put: (at: number, value: number) => void): void {
  const own = lengthOf(row);
  const missing = padded ? Math.max(0, padded.length - own) : 0;
  const width = column === 'offset_mapping' ? 2 : 1;
  const before = padded?.side === 'left' ? missing : 0;
  if (missing > 0) {
    const value = {
      input_ids: padded?.id ?? 0,
      token_type_ids: padded?.type ?? 0,
      special_tokens_mask: 1,
      attention_mask: 0,
      offset_mapping: 0,
      assistant_masks: 0,
    }[column];
    const from = before > 0 ? 0 : own;
    for (let at = from * width; at < (from + missing) * width; at++) put(at, value);
  }
  let at = before * width;
  for (const { ids, type, isSpecial, offsets, assistant } of row) {
    const { length } = ids;
    if (column === 'input_ids') for (let i = 0; i < length; i++) put(at++, ids[i] as number);
    else if (column === 'offset_mapping') for (let i = 0; i < 2 * length; i++) put(at++, offsets?.[i] ?? 0);
    else if (column === 'assistant_masks') for (let i = 0; i < length; i++) put(at++, assistant?.[i] ?? 0);
    else {
      const value = column === 'attention_mask' ? 1 : column === 'token_type_ids' ? type : Number(isSpecial);
      for (let i = 0; i < length; i++) put(at++, value);
    }
  }
}

/** A row of a column as a list; of pairs, for offsets. */
export function listOf(row: Row, column: Column, padded: Padded | undefined): number[] | [number, number][] {
  const length = Math.max(lengthOf(row), padded?.length ?? 0);
  const values = new Array<number>(column === 'offset_mapping' ? 2 * length : length).fill(0);
  visit(row, column, padded, (at, value) => {
    values[at] = value;
  });
  if (column !== 'offset_mapping') return values;
  const pairOf = (index: number): [number, number] => [values[2 * index] as number, values[2 * index + 1] as number];
  return Array.from({ length: values.length / 2 }, (_, index) => pairOf(index));
}

/** The elements of a tensor with a row for each row, all of one length. */
export function elementsOf(rows: readonly Row[], column: Column, length: number, padded: Padded | undefined): BigInt64Array {
  const width = column === 'offset_mapping' ? 2 * length : length;
  const elements = new BigInt64Array(rows.length * width);
  // Writing the lower halves of integers is several times as fast as making a BigInt of each. Every host is little-endian.
  const halves = new Int32Array(elements.buffer);
  rows.forEach((row, index) => {
    const from = index * width;
    visit(row, column, padded, (at, value) => {
      halves[2 * (from + at)] = value;
    });
  });
  return elements;
}
