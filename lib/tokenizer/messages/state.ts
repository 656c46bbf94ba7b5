// What counting a request knows, and what its messages leave to be counted after them.

import type { Dialect } from './dialects.js';
import type { Ledger } from './ledger.js';

export interface Request {
  readonly model: string;
  /** Sizes of images by their URLs, as the user gives them. */
  readonly imageSizes: unknown;
  readonly dialect: Dialect;
  readonly ledger: Ledger;
  /** The text of the first system message, behind which tools and the response format are written. */
  system: string | undefined;
  /** The calls so far, by their ids. */
  readonly calls: Map<unknown, Call>;
  /** Parallel calls. */
  readonly batches: Call[][];
}

/** A tool call. */
export interface Call {
  readonly name: string;
  readonly input: string;
  /** Whether the input is free text instead of JSON. */
  readonly isCustom: boolean;
  /** Whether it is one of parallel calls, so that its result is counted with theirs. */
  isBatched: boolean;
  result?: string;
}
