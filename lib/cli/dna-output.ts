// Where `crayon dna encode` writes ids: what the forms of its output have in common. Types only.

import type { DnaGiven } from './dna-model.js';
import type { SequencePart } from './dna-sequences.js';
import type { NpyType } from './npy.js';

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
  /** Leaves out damaged records, and goes on behind them. */
  skipDamaged?: boolean;
}

/** Where ids go. */
export interface IdOutput extends AsyncDisposable {
  /** Whether the rest is of no use after a failure. */
  readonly isOne: boolean;
  start(): Promise<void>;
  begin(file: string): void;
  /** Takes a part of a sequence. Each time it yields, what it holds is to be written. */
  take(part: SequencePart): Generator<void>;
  /** Writes what it holds. */
  flush(): Promise<void>;
  /** The record that has begun is damaged: nothing of it remains. */
  leave(): Promise<void>;
  /** The file has ended; `error`: early, and why. `damaged`: how many records were left out, if any may be. */
  end(error?: string, damaged?: number): Promise<void>;
  /** All have ended. Returns what is to be reported. */
  finish(): Promise<string>;
}
