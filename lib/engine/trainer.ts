// Trains vocabularies: crayon_trainer.

import type { UnsharedUint8Array } from '../base/typed-arrays.js';
import { type EngineHost, failedIn } from './binding.js';
import type { Handle, TrainerFunctions } from './functions.js';

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

type TrainerEngine = EngineHost & TrainerFunctions;

const DOING = 'cannot train';
/** Bytes of text in a call: a module's instance has memory for as many. */
const MAX_TEXT = 128 * 1024;
/** The words of crayon_trainer_step's progress, and the index of the one that counts merges. */
const PROGRESS_WORDS = 10;
const MERGE_COUNT = 1;

/** `take`: where a training runs. */
export function trainerOn(take: () => TrainerEngine): TrainerFactory {
  return {
    begin(settings, threads) {
      const { vocabularySize, minFrequency, maxTokenLength, ties, flags, alphabet, scanner } = settings;
      const options = Uint32Array.of(vocabularySize, minFrequency, maxTokenLength, ties, flags);
      const engine = take();
      const training = new Training(engine, engine.trainerCreate(options, alphabet, scanner, '', threads));
      training.set(settings);
      return training;
    },
    resume(checkpoint, threads) {
      const engine = take();
      return new Training(engine, engine.trainerRestore(checkpoint, '', threads));
    },
  };
}

class Training implements Trainer {
  readonly #engine: TrainerEngine;
  readonly #trainer: Handle;
  readonly #progress = new Uint32Array(PROGRESS_WORDS);

  constructor(engine: TrainerEngine, trainer: Handle) {
    this.#engine = engine;
    this.#trainer = this.#check(trainer);
  }

  set({ pattern, reserved }: TrainerSettings): void {
    try {
      if (pattern) this.#check(this.#engine.trainerSetPattern(this.#trainer, pattern));
      for (const token of reserved) this.#check(this.#engine.trainerReserve(this.#trainer, token));
    } catch (error) {
      this.end();
      throw error;
    }
  }

  feed(bytes: Uint8Array, last: boolean): void {
    let begin = 0;
    do {
      const end = Math.min(begin + MAX_TEXT, bytes.length);
      const part = end - begin === bytes.length ? bytes : bytes.subarray(begin, end);
      this.#check(this.#engine.trainerFeed(this.#trainer, part, Number(last && end === bytes.length)));
      begin = end;
    } while (begin < bytes.length);
  }

  start(): void {
    this.#check(this.#engine.trainerStart(this.#trainer));
  }

  step(work: number): boolean {
    return this.#check(this.#engine.trainerStep(this.#trainer, work, this.#progress)) < -1;
  }

  merges(): number {
    return this.#progress[MERGE_COUNT] as number;
  }

  learned(): Learned {
    const bytes = this.#result(this.#engine.trainerTokenBytes(this.#trainer));
    const offsets = this.#result(this.#engine.trainerTokenOffsets(this.#trainer));
    return { bytes, offsets, merges: this.#result(this.#engine.trainerMerges(this.#trainer)) };
  }

  save() {
    return this.#result(this.#engine.trainerSave(this.#trainer));
  }

  end(): void {
    this.#engine.trainerRelease(this.#trainer);
  }

  #check(answer: number): number {
    if (answer === -1) throw failedIn(this.#engine, DOING);
    return answer;
  }

  #result<T>(answer: T | undefined): T {
    if (answer === undefined) throw failedIn(this.#engine, DOING);
    return answer;
  }
}
