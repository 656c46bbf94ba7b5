// A text that an engine keeps with its ids, to be edited. Types only.

import type { UnsharedUint32Array } from '../base/typed-arrays.js';

/**
 * The range of ids that an edit changed: ids [from, from + removed) became `inserted` others, which begin at `from`.
 *
 * @example
 * ```ts
 * using text = tokenizer.document('hello world');
 * const change: TextChange = text.append('s');
 * change; // { from: 1, removed: 1, inserted: 1 }
 * ```
 */
export interface TextChange {
  /** The number of the first changed id. */
  from: number;
  /** How many ids are gone. */
  removed: number;
  /** How many ids are there instead. */
  inserted: number;
}

/** Positions are in the document's unit: UTF-16 units of a text of strings, or bytes of a text of bytes. */
export interface EditedText {
  /** The length and the number of ids. */
  readonly length: number;
  readonly count: number;
  /**
   * Replaces [start, end) by a string, or by bytes if they are the unit. A failure has its position in the new text. `ranges`: the text
   * has a mask as in `Mask`, whose `control` is the document's list of tokens; starts and ends of what a template wrote of the new part.
   */
  replace(start: number, end: number, text: string | Uint8Array, ranges?: Uint32Array): TextChange;
  /** Ids [from, to). */
  ids(from: number, to: number): UnsharedUint32Array;
  /** The number of the first token that ends after a position. */
  tokenAt(position: number): number;
  /** Text [from, to): a string, or bytes if they are the unit. */
  text(from: number, to: number): string | Uint8Array;
  fork(): EditedText;
  /** Closed by its engine's `close`, too; may be called again. */
  close(): void;
}
