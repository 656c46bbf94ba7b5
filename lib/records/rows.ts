// Passes sequences from a reader to the maker of matrices, without an object for each. Types, and the name of the reader's
// method.

/** Takes sequences and stores them back to back. Bytes are copied. */
export interface Rows {
  /** Whether it wants no more. Checked between sequences. */
  readonly isFull: boolean;
  /** Appends bytes to the open sequence, or begins a new one. */
  add(bytes: Uint8Array, begin: number, end: number): void;
  /** Repeats the last `count` bytes of the sequence that has just ended, as the beginning of the next. */
  repeat(count: number): void;
  /** A copy of the last `count` bytes. */
  last(count: number): Uint8Array;
  /** Ends the open sequence, or adds an empty one. `header`: a number returned by `header`. */
  endRow(header: number): void;
  /** Drops the open sequence. */
  dropRow(): void;
  /** Stores a header for the sequences that share it, and returns its number. */
  header(bytes: Uint8Array, begin: number, end: number): number;
  /**
   * Adds whole sequences, as many as are wanted. The sequences lie back to back from `at`; the headers lie before
   * `headerEnd`, in reverse order. For each, `words` from `word` on hold the lengths of its header and its sequence. Returns
   * how many were added.
   */
  addAll(bytes: Uint8Array, at: number, headerEnd: number, parts: Uint32Array, word: number, count: number): number;
}

/** A reader that fills rows instead of yielding items. */
export interface RowSource {
  /** Fills rows; false at the end of the source. Returns a promise if it must wait for bytes. */
  fill(rows: Rows): boolean | Promise<boolean>;
  /** Ends the reading. */
  end(): void;
}

/** The name of a reader's method that returns its row source, or undefined once items have been read. */
export const ROWS = Symbol.for('crayon-tokenizer.rows');

/** The row source of an object that may be a reader. */
export function rowSourceOf(source: object): RowSource | undefined {
  return (source as { [ROWS]?: () => RowSource | undefined })[ROWS]?.();
}
