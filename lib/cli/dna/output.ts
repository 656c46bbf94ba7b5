// Where `crayon dna encode` writes ids: the common interface of its output forms. Types only.

import type { DnaGiven } from './model.js';
import type { SequencePart } from './read-sequences.js';
import type { NpyType } from './npy.js';
import type { RnaPolicy } from './rna.js';
import type { UnknownPolicy, Unknowns } from './unknown.js';

/** The command's options. */
export interface DnaEncodeGiven extends DnaGiven {
  model: string;
  output?: string;
  type: NpyType;
  length?: number;
  truncate?: boolean;
  window?: number;
  stride?: number;
  side?: 'left' | 'right';
  specialTokens?: boolean;
  reverseComplement?: boolean;
  mask?: string;
  names?: string;
  progress: boolean;
  json: boolean;
  /** Leave out damaged and rejected records, and continue after them. */
  skipDamaged?: boolean;
  unknown?: UnknownPolicy;
  rna?: RnaPolicy;
}

/** The checks on a file's records. */
export interface FileChecks {
  unknowns: Unknowns;
  /** Records that a record is left out because of this error; throws an error for which none may be left out. */
  refuse(error: unknown): void;
}

/** The outcome of a file. */
export interface FileEnding {
  unknowns: Unknowns;
  /** Why it ended early. */
  error?: string | undefined;
  /** How many records were left out, if any may be. */
  damaged?: number | undefined;
  rejected?: number | undefined;
}

/** A destination for ids. */
export interface IdOutput extends AsyncDisposable {
  /** Whether a failure makes the rest useless. */
  readonly isOne: boolean;
  start(): Promise<void>;
  begin(file: string, checks: FileChecks): void;
  /** Takes a part of a sequence. Each time it yields, `flush` must be called. */
  take(part: SequencePart): Generator<void>;
  /** Writes everything it holds. */
  flush(): Promise<void>;
  /** Drops the current record, which is damaged or rejected. */
  leave(): Promise<void>;
  end(ending: FileEnding): Promise<void>;
  /** Ends the output. Returns text for the report. */
  finish(): Promise<string>;
}
