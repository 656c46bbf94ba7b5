// Decides which records to keep: those that the model and the policies accept.

import type { BaseError, Region } from './failures.js';
import type { FileChecks } from './output.js';

/** A record, and how many of the rows belong to it. */
export interface RecordRows {
  record: number;
  name: string;
  rows: number;
  /** Bases so far. */
  bases: number;
  /** Whether some of its rows came before. */
  hasBegun: boolean;
  hasEnded: boolean;
}

/** Facts about rows, by number. */
export interface RowFacts {
  checks: FileChecks;
  failures: ReadonlyMap<number, BaseError>;
  /** The number of unknown ids. */
  unknown: Uint32Array;
  /** The number of ids. */
  counts: (row: number) => number;
  region: (row: number) => Region;
}

/** The records to keep. The checks are told about the others, and may refuse to leave them out. */
export function keptRows(records: readonly RecordRows[], facts: RowFacts): RecordRows[] {
  let first = 0;
  return records.filter((record) => {
    const end = first + record.rows;
    try {
      check(record, first, end, facts);
      return true;
    } catch (error) {
      facts.checks.refuse(error);
      return false;
    } finally {
      first = end;
    }
  });
}

function check(record: RecordRows, first: number, end: number, { checks, failures, unknown, counts, region }: RowFacts): void {
  const { unknowns } = checks;
  if (!record.hasBegun) unknowns.begin();
  for (let row = first; row < end; row++) {
    const failure = failures.get(row);
    if (failure) throw failure;
    unknowns.add(counts(row), unknown[row] as number, () => region(row));
  }
  if (record.hasEnded) unknowns.end(record);
}
