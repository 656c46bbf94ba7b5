// A training, on its own thread or the calling one: takes requests and sends answers, on every host.

import { failureOf, type PlainFailure, TokenizerError } from '../base/errors.js';
import type { Learned, Trainer, TrainerFactory, TrainerSettings } from '../engine/trainer.js';
import type { FileRange, TextRequest } from './training-texts.js';

/** First `begin`, then texts, then `finish`. */
export type TrainRequest = { begin: TrainBegin } | TextRequest | 'finish';

export interface TrainBegin {
  settings: TrainerSettings;
  threads: number;
  /** The bytes of text, and the most merges, if known. */
  bytes: number | undefined;
  merges: number | undefined;
  /** `about`: must be equal for a training to resume from the checkpoint. */
  checkpoint: { path: string; about: string } | undefined;
}

/**
 * Training progress: in the stage `'count'`, in bytes of text; in `'merge'`, in merges. `total`: the final value, if
 * known; training ends earlier when no frequent enough pair is left.
 *
 * @example
 * ```ts
 * const seen: TrainProgress[] = [];
 * await trainBpe('hello hello', { vocabularySize: 258, onProgress: (progress) => seen.push(progress) });
 * seen.at(-1); // { stage: 'merge', done: 2, total: 2 }
 * ```
 */
export interface TrainProgress {
  stage: 'count' | 'merge';
  done: number;
  total: number | undefined;
}

/** `taken`: one of the requests that carry texts is done. */
export type TrainAnswer = 'taken' | { progress: TrainProgress } | { learned: Learned } | { failure: PlainFailure };

/** What a host provides for a training. */
export interface TrainHost {
  factory(): TrainerFactory | Promise<TrainerFactory>;
  /** Reads a file; absent without files. */
  read?: (file: FileRange, take: (bytes: Uint8Array) => void) => void;
  /** Checkpoints; absent without files. */
  checkpoints?: Checkpoints;
  /** Lets the thread's other work proceed, if it has any. */
  pause?: () => Promise<void>;
}

/** Files that hold a training's state. */
export interface Checkpoints {
  /** Undefined if there is none. Throws if it belongs to another training. */
  load(path: string, about: string): Uint8Array | undefined;
  save(path: string, about: string, state: Uint8Array): void;
}

/** Million occurrences to merge per step: a few hundredths of a second. */
const WORK = 1;
/** Milliseconds between reports. */
const REPORT = 100;
/** Milliseconds between checkpoints. */
const CHECKPOINT = 30_000;

/** Answers requests in order. */
export class TrainSession {
  readonly #host: TrainHost;
  readonly #say: (answer: TrainAnswer) => void;
  #begin: TrainBegin | undefined;
  #trainer: Trainer | undefined;
  #isResumed = false;
  #bytes = 0;
  #reported = 0;
  #before: Promise<void> = Promise.resolve();
  #hasEnded = false;

  constructor(host: TrainHost, say: (answer: TrainAnswer) => void) {
    this.#host = host;
    this.#say = say;
  }

  /** Queues a request after the previous ones. */
  request(request: TrainRequest): void {
    this.#before = this.#before.then(async () => {
      if (this.#hasEnded) return;
      try {
        await this.#do(request);
      } catch (error) {
        this.end();
        this.#say({ failure: failureOf(error) });
      }
    });
  }

  /** Releases everything. */
  end(): void {
    this.#hasEnded = true;
    this.#trainer?.end();
    this.#trainer = undefined;
  }

  async #do(request: TrainRequest): Promise<void> {
    if (request === 'finish') return this.#finish();
    if ('begin' in request) return this.#start(request.begin);
    const trainer = this.#trainer as Trainer;
    if (this.#isResumed) {
      // The checkpoint already includes its texts.
    } else if ('file' in request) {
      this.#host.read?.(request.file, (bytes) => this.#feed(trainer, bytes, false));
      this.#feed(trainer, new Uint8Array(0), true);
    } else {
      const { bytes, ends } = request.chunk;
      let begin = 0;
      for (const end of ends) {
        this.#feed(trainer, bytes.subarray(begin, end), true);
        begin = end;
      }
      if (begin < bytes.length) this.#feed(trainer, bytes.subarray(begin), false);
    }
    this.#say('taken');
    await this.#host.pause?.();
  }

  async #start(begin: TrainBegin): Promise<void> {
    this.#begin = begin;
    const { settings, threads, checkpoint } = begin;
    const factory = await this.#host.factory();
    if (this.#hasEnded) return;
    const state = checkpoint && this.#host.checkpoints?.load(checkpoint.path, checkpoint.about);
    this.#isResumed = state !== undefined;
    try {
      this.#trainer = state ? factory.resume(state, threads) : factory.begin(settings, threads);
    } catch (error) {
      if (!state || !(error instanceof TokenizerError)) throw error;
      const { message, code, position } = error;
      throw new TokenizerError(`cannot go on from the checkpoint ${checkpoint?.path}: ${message}`, { code, position });
    }
  }

  #feed(trainer: Trainer, bytes: Uint8Array, last: boolean): void {
    trainer.feed(bytes, last);
    this.#bytes += bytes.length;
    this.#report('count', this.#bytes);
  }

  async #finish(): Promise<void> {
    const trainer = this.#trainer as Trainer;
    if (!this.#isResumed) {
      if (this.#bytes === 0) throw new RangeError('`source` must have text to train on; received none');
      this.#report('count', this.#bytes, true);
      trainer.start();
      this.#save(trainer);
    }
    let saved = performance.now();
    while (trainer.step(WORK)) {
      this.#report('merge', trainer.merges());
      await this.#host.pause?.();
      if (this.#hasEnded) return;
      if (performance.now() - saved < CHECKPOINT) continue;
      try {
        this.#save(trainer);
      } catch {
        // The previous checkpoint still exists, and the next may succeed.
      }
      saved = performance.now();
    }
    this.#report('merge', trainer.merges(), true);
    const learned = trainer.learned();
    this.end();
    this.#say({ learned });
  }

  #save(trainer: Trainer): void {
    const checkpoint = this.#begin?.checkpoint;
    if (checkpoint) this.#host.checkpoints?.save(checkpoint.path, checkpoint.about, trainer.save());
  }

  #report(stage: TrainProgress['stage'], done: number, always = false): void {
    const now = performance.now();
    if (!always && now - this.#reported < REPORT) return;
    this.#reported = now;
    const total = stage === 'count' ? this.#begin?.bytes : this.#begin?.merges;
    this.#say({ progress: { stage, done, total } });
  }
}
