// Where `crayon dna encode` writes ids: what the forms of its output have in common. Types only.

import type { DnaGiven } from './model.js';
import type { SequencePart } from './sequences.js';
import type { NpyType } from '../output/npy.js';
import type { RnaPolicy } from './rna.js';
import type { UnknownPolicy, Unknowns } from './unknown.js';

/** What the command is asked for. */
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
  /** Leaves out records that are damaged or rejected, and goes on behind them. */
  skipDamaged?: boolean;
  unknown?: UnknownPolicy;
  rna?: RnaPolicy;
}

/** What the records of a file are checked with. */
export interface FileChecks {
  unknowns: Unknowns;
  /** Takes note of a record that is left out because of this error; throws any error because of which none may be left out. */
  refuse(error: unknown): void;
}

/** What has become of a file. */
export interface FileEnding {
  unknowns: Unknowns;
  /** Why it ended early. */
  error?: string | undefined;
  /** How many records were left out, if any may be. */
  damaged?: number | undefined;
  rejected?: number | undefined;
}

/** Where ids go. */
export interface IdOutput extends AsyncDisposable {
  /** Whether the rest is of no use after a failure. */
  readonly isOne: boolean;
  start(): Promise<void>;
  begin(file: string, checks: FileChecks): void;
  /** Takes a part of a sequence. Each time it yields, what it holds is to be written. */
  take(part: SequencePart): Generator<void>;
  /** Writes what it holds. */
  flush(): Promise<void>;
  /** The record that has begun is damaged or rejected: nothing of it remains. */
  leave(): Promise<void>;
  end(ending: FileEnding): Promise<void>;
  /** All have ended. Returns what is to be reported. */
  finish(): Promise<string>;
}
