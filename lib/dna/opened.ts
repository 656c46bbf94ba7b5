// What opening or discovering a vocabulary gives.

import type { DnaDiscovery } from './discovery.js';
import type { DnaEngine } from './engine.js';

/**
 * Why a discovered tokenizer calls the one it was made from.
 *
 * @example
 * ```ts
 * using dna = await DnaTokenizer.discover((sequence) => [sequence.length]);
 * const { reason, example } = dna.fallback as DnaFallback;
 * reason; // "it has no id for each base: 'AAA' are other than 3 ids"
 * example?.expected; // [3]
 * ```
 */
export interface DnaFallback {
  /** The reason, in words. */
  reason: string;
  /** The first sequence that showed it, with the other tokenizer's ids, and the tables' ids if there were tables. */
  example?: { sequence: string; expected: readonly number[]; received?: readonly number[] | undefined } | undefined;
}

/** The result of `load` or `discover`. */
export interface OpenedDna {
  engine: DnaEngine;
  /** Whether sequences get ids around them by default. */
  around: boolean;
  fallback?: DnaFallback | undefined;
  /** The tokenizer that the tables were made from, where tables are too large. */
  upstream?: (() => DnaEngine) | undefined;
  discovery?: DnaDiscovery | undefined;
}
