// What tasks ask of the reader of a range, whatever the kind of its input.

import type { TextBatch } from '../text-batch.js';

/** What a reader calls for a record that has no document: where the record begins, and why. Throws unless such records are left out. */
export type Damaged = (begin: number, reason: string) => void;

export interface DocumentReader extends AsyncDisposable {
  /** Adds documents until the batch has this many bytes. False if there are no more. */
  fill(batch: TextBatch, size: number): Promise<boolean>;
  /** Behind the last document added: where to go on. */
  readonly position: number;
  /** Documents without text, which are left out. */
  readonly empty: number;
  /** Bytes of the file that have been read, about. */
  readonly fileBytes: number;
}

/** The longest document in bytes: its offsets have 32 bits, and V8's strings half a gigabyte. */
export const LONGEST = 2 ** 29 - 25;
