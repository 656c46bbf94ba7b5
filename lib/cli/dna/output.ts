// Where `crayon dna encode` writes ids: the interface of its output forms. Types only.

import type { FileIdType, ModelOptions } from './model.js';
import type { LeftOut, LeftOutOfFile } from './left-out.js';
import type { SequencePart } from './read-sequences.js';
import type { RnaPolicy, UnknownPolicy, Unknowns } from './letter-policies.js';

export interface EncodeDnaOptions extends ModelOptions {
  model: string;
  output?: string;
  type: FileIdType;
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

export interface FileChecks {
  unknowns: Unknowns;
  /** Records that a record is left out because of this error; throws an error for which none may be left out. */
  refuse(error: unknown): void;
}

/** A destination for ids. */
export interface IdOutput extends AsyncDisposable {
  /** Whether a failure makes the rest useless. */
  readonly isOne: boolean;
  start?(): Promise<void>;
  begin(file: string, checks: FileChecks): void;
  /** Takes a part of a sequence. Each time it yields, `flush` must be called. */
  take(part: SequencePart): Generator<void>;
  /** Writes everything it holds. */
  flush(): Promise<void>;
  /** Drops the current record, which is damaged or rejected. */
  leave(): Promise<void>;
  /** Ends a file. `error`: why it ended early. */
  end?(left: LeftOutOfFile, error: string | undefined): Promise<void>;
  /** Ends the output. Returns text for the report. */
  finish(left: LeftOut): Promise<string>;
}
