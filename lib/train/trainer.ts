// The only interface between trainBpe and an engine. Types only.

import type { UnsharedUint8Array } from '../base/typed-arrays.js';

/** Training settings for an engine: see crayon_trainer_options. */
export interface TrainerSettings {
  vocabularySize: number;
  minFrequency: number;
  /** In bytes; 0: unlimited. */
  maxTokenLength: number;
  /** 0: of equally frequent pairs the larger one; 1: the smaller one. */
  ties: 0 | 1;
  /** 1: the alphabet has only bytes that occur. */
  flags: 0 | 1;
  /** The 256 bytes in the order of their ids. */
  alphabet: Uint8Array;
  scanner: string;
  /** For the scanner `pattern`: its section of a cartridge. */
  pattern?: Uint8Array | undefined;
  /** The tokens with the first ids. */
  reserved: Uint8Array[];
}

/** The learned vocabulary: token i is bytes[offsets[i], offsets[i + 1]); merges are triples of left, right, result. */
export interface Learned {
  bytes: UnsharedUint8Array;
  offsets: Uint32Array;
  merges: Uint32Array;
}

/** A training. Every function throws a TokenizerError on failure. */
export interface Trainer {
  /** Feeds a part of a text; `last` ends the text. */
  feed(bytes: Uint8Array, last: boolean): void;
  /** Ends the texts. */
  start(): void;
  /** Merges for a while: `work` million occurrences. False once the training is done. */
  step(work: number): boolean;
  /** The number of merges so far. */
  merges(): number;
  learned(): Learned;
  /** A checkpoint, once the texts have ended. */
  save(): UnsharedUint8Array;
  end(): void;
}

/** Begins a training, or resumes one from its checkpoint, which is past its `start`. */
export interface TrainerFactory {
  begin(settings: TrainerSettings, threads: number): Trainer;
  resume(checkpoint: Uint8Array, threads: number): Trainer;
}
