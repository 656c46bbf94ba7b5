// What trains: the one interface between trainBpe and an engine. Types only.

import type { UnsharedUint8Array } from '../base/typed-arrays.js';

/** What to train, as an engine takes it: see crayon_trainer_options. */
export interface TrainerSettings {
  vocabularySize: number;
  minFrequency: number;
  /** In bytes; 0: any. */
  maxTokenLength: number;
  /** 0: of equal pairs the larger one; 1: the smaller one. */
  ties: 0 | 1;
  /** 1: only bytes that occur are in the alphabet. */
  flags: 0 | 1;
  /** The 256 bytes in the order of their ids. */
  alphabet: Uint8Array;
  scanner: string;
  /** Of the scanner `pattern`: its section of a cartridge. */
  pattern?: Uint8Array | undefined;
  /** Tokens with the first ids. */
  reserved: Uint8Array[];
}

/** What has been learned: token i is bytes[offsets[i], offsets[i + 1]); merges are triples of left, right, result. */
export interface Learned {
  bytes: UnsharedUint8Array;
  offsets: Uint32Array;
  merges: Uint32Array;
}

/** A training. Every function throws a TokenizerError if it fails. */
export interface Trainer {
  /** A part of a text; `last` ends it. */
  feed(bytes: Uint8Array, last: boolean): void;
  /** Ends the texts. */
  start(): void;
  /** Merges for a while: `work` million occurrences. False when the training is done. */
  step(work: number): boolean;
  /** How many merges there are. */
  merges(): number;
  learned(): Learned;
  /** A checkpoint, once the texts have ended. */
  save(): UnsharedUint8Array;
  end(): void;
}

/** Begins a training, or goes on with one from its checkpoint, which is past its `start`. */
export interface TrainerFactory {
  begin(settings: TrainerSettings, threads: number): Trainer;
  resume(checkpoint: Uint8Array, threads: number): Trainer;
}
