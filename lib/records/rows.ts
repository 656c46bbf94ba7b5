// The way of sequences from a reader to what makes matrices of them, without an object for each. Types, and the name by which
// a reader gives it.

/** Takes sequences, one behind the other. Bytes are copied. */
export interface Rows {
  /** Whether it wants no more of them. It is asked between two. */
  readonly isFull: boolean;
  /** Bytes of the sequence that is open, or of a new one. */
  add(bytes: Uint8Array, begin: number, end: number): void;
  /** As many as came last, of a sequence that has ended, once more: the first ones of the next. */
  repeat(count: number): void;
  /** A copy of them. */
  last(count: number): Uint8Array;
  /** Ends the sequence that is open, or an empty one. `header`: a number of `header`. */
  endRow(header: number): void;
  /** Drops what is open. */
  dropRow(): void;
  /** Keeps a header, for sequences that have it: its number. */
  header(bytes: Uint8Array, begin: number, end: number): number;
  /**
   * Whole sequences at once, as many as are wanted: from `at` on one behind the other; their headers end at `headerEnd`, each
   * before that of the one before it. Of each, `words` from `word` on have the length of its header and its sequence. Returns
   * how many.
   */
  addAll(bytes: Uint8Array, at: number, headerEnd: number, parts: Uint32Array, word: number, count: number): number;
}

/** A reader that fills rows, instead of giving items. */
export interface RowSource {
  /** Fills them; false at the end of the source. It is a promise where bytes have to be waited for. */
  fill(rows: Rows): boolean | Promise<boolean>;
  /** Nobody reads on. */
  end(): void;
}

/** The method of a reader that gives it; undefined if items of it have been read already. */
export const ROWS = Symbol.for('crayon-tokenizer.rows');

/** Of what may be a reader. */
export function rowSourceOf(source: object): RowSource | undefined {
  return (source as { [ROWS]?: () => RowSource | undefined })[ROWS]?.();
}
