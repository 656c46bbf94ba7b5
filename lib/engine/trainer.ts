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
    begin({ vocabularySize, minFrequency, maxTokenLength, ties, flags, alphabet, scanner, pattern, reserved }, threads) {
      const options = Uint32Array.of(vocabularySize, minFrequency, maxTokenLength, ties, flags);
      const engine = take();
      const handle = checked(engine, engine.trainerCreate(options, alphabet, scanner, '', threads));
      try {
        if (pattern) checked(engine, engine.trainerSetPattern(handle, pattern));
        for (const token of reserved) checked(engine, engine.trainerReserve(handle, token));
      } catch (error) {
        engine.trainerRelease(handle);
        throw error;
      }
      return trainingOf(engine, handle);
    },
    resume(checkpoint, threads) {
      const engine = take();
      return trainingOf(engine, checked(engine, engine.trainerRestore(checkpoint, '', threads)));
    },
  };
}

/** `handle`: of the training, which is released at the end. */
function trainingOf(engine: TrainerEngine, handle: Handle): Trainer {
  const progress = new Uint32Array(PROGRESS_WORDS);
  return {
    feed(bytes, last) {
      let begin = 0;
      do {
        const end = Math.min(begin + MAX_TEXT, bytes.length);
        const part = end - begin === bytes.length ? bytes : bytes.subarray(begin, end);
        checked(engine, engine.trainerFeed(handle, part, Number(last && end === bytes.length)));
        begin = end;
      } while (begin < bytes.length);
    },
    start: () => void checked(engine, engine.trainerStart(handle)),
    step: (work) => checked(engine, engine.trainerStep(handle, work, progress)) < -1,
    merges: () => progress[MERGE_COUNT] as number,
    learned: () => ({
      bytes: present(engine, engine.trainerTokenBytes(handle)),
      offsets: present(engine, engine.trainerTokenOffsets(handle)),
      merges: present(engine, engine.trainerMerges(handle)),
    }),
    save: () => present(engine, engine.trainerSave(handle)),
    end: () => engine.trainerRelease(handle),
  };
}

function checked(engine: TrainerEngine, answer: number): number {
  if (answer === -1) throw failedIn(engine, DOING);
  return answer;
}

function present<T>(engine: TrainerEngine, answer: T | undefined): T {
  if (answer === undefined) throw failedIn(engine, DOING);
  return answer;
}
