// Counts tokens and records assumptions: an estimate begins where the published rules end, and only this module knows
// whether the user wants one.

import { refused } from '../../base/errors.js';

export type Count = (text: string) => number;

export interface Ledger {
  readonly estimates: boolean;
  readonly count: Count;
  readonly assumptions: Set<string>;
  /** Goes beyond the published rules by an assumption, given as a sentence; throws a gap if no estimate is wanted. */
  assume(assumption: string, name: string, received: unknown, expected?: string): void;
}

const gaps = new WeakSet<Error>();

/** An error that `estimate: true` would avoid. */
export function gap(name: string, received: unknown, expected?: string): RangeError {
  const rule = expected === undefined ? 'is counted by no published rule: leave it out, or set' : `must be ${expected}, unless you set`;
  const error = refused(`\`${name}\` ${rule} \`estimate: true\``, received);
  gaps.add(error);
  return error;
}

/** The result of `count`, or undefined if it meets a gap in the published rules. */
export function ifPublished<T>(count: () => T): T | undefined {
  try {
    return count();
  } catch (error) {
    if (gaps.has(error as Error)) return undefined;
    throw error;
  }
}

export function ledgerOf(count: Count, estimates: boolean): Ledger {
  const assumptions = new Set<string>();
  return {
    estimates,
    count,
    assumptions,
    assume(assumption, name, received, expected) {
      if (!estimates) throw gap(name, received, expected);
      assumptions.add(assumption);
    },
  };
}
