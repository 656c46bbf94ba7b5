// A training where it happens, in a thread of its own or in this one: requests come in, answers go out. The same on every
// host.

import { failureOf, type PlainFailure } from '../compile/job.js';
import { TokenizerError } from '../base/errors.js';
import type { TrainProgress } from './options.js';
import type { FileRange, TextRequest } from './texts.js';
import type { Learned, Trainer, TrainerFactory, TrainerSettings } from './trainer.js';

/** First `begin`, then texts, then `finish`. */
export type TrainRequest = { begin: TrainBegin } | TextRequest | 'finish';

/** What to train. */
export interface TrainBegin {
  settings: TrainerSettings;
  threads: number;
  /** How many bytes of text there are, and how many merges at most, if that is known. */
  bytes: number | undefined;
  merges: number | undefined;
  /** `about`: what has to be equal for a training to go on with it. */
  checkpoint: { path: string; about: string } | undefined;
}

/** `taken`: a request has been done, of those that carry texts. */
export type TrainAnswer = 'taken' | { progress: TrainProgress } | { learned: Learned } | { failure: PlainFailure };

/** What a host has for a training. */
export interface TrainHost {
  factory(): TrainerFactory | Promise<TrainerFactory>;
  /** Reads a file, if there are files. */
  read?: (file: FileRange, take: (bytes: Uint8Array) => void) => void;
  /** Checkpoints, if there are files. */
  checkpoints?: Checkpoints;
  /** Lets other work of the thread go on, if it has any. */
  pause?: () => Promise<void>;
}

/** Files with the state of a training. */
export interface Checkpoints {
  /** Undefined if there is none. Throws if it is about something else. */
  load(path: string, about: string): Uint8Array | undefined;
  save(path: string, about: string, state: Uint8Array): void;
}

/** Million occurrences that are merged at once: some hundredths of a second. */
const WORK = 1;
/** Milliseconds between two reports. */
const REPORT = 100;
/** Milliseconds between two checkpoints. */
const CHECKPOINT = 30_000;

/** Answers requests, one after the other. */
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

  /** Does it after those before. */
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
      // Its texts are in the checkpoint.
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
      if (this.#bytes === 0) throw new RangeError('expected text to train on for source but received none');
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
        // The one before is still there; the next one may succeed.
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
