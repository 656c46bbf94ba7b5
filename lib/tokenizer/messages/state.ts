// The state of counting a request, including what messages leave to be counted after them.

import type { Dialect } from './dialects.js';
import type { Ledger } from './ledger.js';

export interface Request {
  readonly model: string;
  /** Sizes of images by URL, from the user. */
  readonly imageSizes: unknown;
  readonly dialect: Dialect;
  readonly ledger: Ledger;
  /** The text of the first system message, after which tools and the response format are written. */
  system: string | undefined;
  /** The calls so far, by id. */
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
  /** Whether it is a parallel call, whose result is counted with the others'. */
  isBatched: boolean;
  result?: string;
}
