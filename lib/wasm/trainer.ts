// The WebAssembly trainer backend: the module `build`, instantiated once per training. One thread.

import type { WasmModule } from '../open/source.js';
import type { Trainer, TrainerFactory, TrainerSettings } from '../train/session.js';
import { WasmCore, WINDOW_BYTES } from './core.js';

const DOING = 'cannot train';

/** The functions of crayon.h that only the module `build` exports. */
interface TrainEngine {
  crayon_trainer_create(
    options: number,
    alphabet: number,
    scanner: number,
    scannerLength: number,
    kernel: number,
    kernelLength: number,
    out: number,
    result: number,
  ): number;
  crayon_trainer_set_pattern(trainer: number, bytes: number, length: number, result: number): number;
  crayon_trainer_reserve(trainer: number, bytes: number, length: number, result: number): number;
  crayon_counter_create(trainer: number, out: number, result: number): number;
  crayon_counter_release(counter: number): void;
  crayon_counter_feed(counter: number, bytes: number, length: number, last: number, result: number): number;
  crayon_trainer_add(trainer: number, counter: number, result: number): number;
  crayon_trainer_start(trainer: number, result: number): number;
  crayon_trainer_step(trainer: number, work: number, result: number): number;
  crayon_trainer_merges(trainer: number, count: number): number;
  crayon_trainer_tokens(trainer: number, bytes: number, offsets: number, result: number): number;
  crayon_trainer_save(trainer: number, bytes: number, result: number): number;
  crayon_trainer_restore(bytes: number, length: number, kernel: number, kernelLength: number, out: number, result: number): number;
}

/** Trains with the module `build`; `threads` has no effect. */
export function wasmTrainer(module: WasmModule): TrainerFactory {
  return {
    begin(settings) {
      const training = new Training(module);
      training.begin(settings);
      return training;
    },
    resume(checkpoint) {
      const training = new Training(module);
      training.resume(checkpoint);
      return training;
    },
  };
}

/** Its instance's memory is released with it. */
class Training implements Trainer {
  readonly #core: WasmCore;
  readonly #engine: TrainEngine;
  #trainer = 0;
  #counter = 0;
  #merges = 0;

  constructor(module: WasmModule) {
    this.#core = new WasmCore(module);
    this.#engine = this.#core.engine as unknown as TrainEngine;
  }

  begin(settings: TrainerSettings): void {
    const { vocabularySize, minFrequency, maxTokenLength, ties, flags, alphabet, scanner, pattern, reserved } = settings;
    const { out, result } = this.#core;
    const engine = this.#engine;
    const words = Uint32Array.of(vocabularySize, minFrequency, maxTokenLength, ties, flags);
    const name = new TextEncoder().encode(scanner);
    this.#do(() =>
      this.#core.withBytes(new Uint8Array(words.buffer), (options) =>
        this.#core.withBytes(alphabet, (order) =>
          this.#core.withBytes(name, (at) => engine.crayon_trainer_create(options, order, at, name.length, 0, 0, out, result)),
        ),
      ),
    );
    this.#trainer = this.#core.outWord(0);
    if (pattern) {
      const set = (at: number) => engine.crayon_trainer_set_pattern(this.#trainer, at, pattern.length, result);
      this.#do(() => this.#core.withBytes(pattern, set));
    }
    for (const token of reserved) {
      this.#do(() => this.#core.withBytes(token, (at) => engine.crayon_trainer_reserve(this.#trainer, at, token.length, result)));
    }
    this.#do(() => engine.crayon_counter_create(this.#trainer, out, result));
    this.#counter = this.#core.outWord(0);
  }

  resume(checkpoint: Uint8Array): void {
    const { out, result } = this.#core;
    this.#do(() => this.#core.withBytes(checkpoint, (at) => this.#engine.crayon_trainer_restore(at, checkpoint.length, 0, 0, out, result)));
    this.#trainer = this.#core.outWord(0);
  }

  feed(bytes: Uint8Array, last: boolean): void {
    const { text, result } = this.#core;
    let begin = 0;
    do {
      const part = bytes.subarray(begin, begin + WINDOW_BYTES);
      begin += part.length;
      const isLast = last && begin === bytes.length ? 1 : 0;
      this.#core.textBytes.set(part);
      this.#do(() => this.#engine.crayon_counter_feed(this.#counter, text, part.length, isLast, result));
    } while (begin < bytes.length);
  }

  start(): void {
    const { result } = this.#core;
    this.#do(() => this.#engine.crayon_trainer_add(this.#trainer, this.#counter, result));
    this.#engine.crayon_counter_release(this.#counter);
    this.#do(() => this.#engine.crayon_trainer_start(this.#trainer, result));
  }

  step(work: number): boolean {
    this.#do(() => this.#engine.crayon_trainer_step(this.#trainer, work, this.#core.result));
    const { more } = this.#core;
    this.#engine.crayon_trainer_merges(this.#trainer, this.#core.out);
    this.#merges = this.#core.outWord(0);
    return more;
  }

  merges(): number {
    return this.#merges;
  }

  learned() {
    const { out, result } = this.#core;
    const mergesAt = this.#engine.crayon_trainer_merges(this.#trainer, out) >>> 2;
    const merges = this.#core.words.slice(mergesAt, mergesAt + 3 * this.#core.outWord(0));
    this.#do(() => this.#engine.crayon_trainer_tokens(this.#trainer, out, out + 4, result));
    const [bytesAt, offsetsAt] = [this.#core.outWord(0), this.#core.outWord(1) >>> 2];
    const offsets = this.#core.words.slice(offsetsAt, offsetsAt + this.#core.count + 1);
    return { bytes: this.#core.bytes.slice(bytesAt, bytesAt + (offsets.at(-1) as number)), offsets, merges };
  }

  save() {
    const { out, result } = this.#core;
    this.#do(() => this.#engine.crayon_trainer_save(this.#trainer, out, result));
    const at = this.#core.outWord(0);
    return this.#core.bytes.slice(at, at + this.#core.count);
  }

  end(): void {}

  #do(call: () => number): void {
    let status: number;
    try {
      status = call();
    } catch (error) {
      throw this.#core.caught(error);
    }
    if (status !== 0) throw this.#core.failed(DOING);
  }
}
