// What adapt() returns: a cartridge that waits to be used, and the way back.

import { type CompileJob } from '../compile/job.js';
import { cartridgeJob } from '../compile/options.js';
import type { Adaptation, AdaptedToken, Adapting, Observed } from '../tokenizer/adaptation.js';
import type { EngineTokenizer } from '../tokenizer/engine.js';
import { fromCaller, TokenizerError, unexpected } from '../tokenizer/errors.js';
import { checkOptionNames } from '../tokenizer/options.js';
import type { UnsharedUint8Array } from '../tokenizer/typed-arrays.js';

/** Compiles on some host. */
export type CompileForAdapting = (job: CompileJob, signal?: AbortSignal) => Promise<UnsharedUint8Array>;

/** A vocabulary with new tokens. */
interface Stage {
  cartridge: UnsharedUint8Array;
  added: AdaptedToken[];
  saved: number;
}

/** The class, so that a tokenizer can be adapted by several entries of the package. */
export class StagedAdaptation implements Adaptation {
  readonly added: readonly AdaptedToken[];
  readonly reason: Adaptation['reason'];
  readonly observed: Observed;
  readonly saved: number;
  readonly #tokenizer: Adapting;
  readonly #compile: CompileForAdapting;
  readonly #cartridge: UnsharedUint8Array | undefined;
  #state: 'proposed' | 'being committed' | 'committed' | 'rolled back' = 'proposed';
  /** What `commit` has put in the place of the tokenizer's engine. */
  #committed: EngineTokenizer | undefined;

  constructor(tokenizer: Adapting, compile: CompileForAdapting, what: Stage | Exclude<Adaptation['reason'], undefined>) {
    const { added, saved, cartridge } = typeof what === 'string' ? { added: [], saved: 0, cartridge: undefined } : what;
    this.added = Object.freeze(added);
    this.reason = typeof what === 'string' ? what : undefined;
    this.observed = tokenizer.observed;
    this.saved = saved;
    this.#tokenizer = tokenizer;
    this.#compile = compile;
    this.#cartridge = cartridge;
  }

  async commit(): Promise<void> {
    try {
      if (this.#state !== 'proposed') throw new Error(`cannot commit the adaptation: it is ${this.#state} already`);
      const { engine, open } = this.#tokenizer;
      this.#state = 'being committed';
      try {
        if (this.#cartridge) {
          this.#expect(engine, 'commit');
          const next = await open(this.#cartridge);
          try {
            this.#expect(engine, 'commit');
          } catch (error) {
            next.close();
            throw error;
          }
          this.#tokenizer.exchange(next, true);
          this.#committed = next;
        }
        this.#state = 'committed';
      } finally {
        if (this.#state === 'being committed') this.#state = 'proposed';
      }
    } catch (error) {
      throw fromCaller(error, StagedAdaptation.prototype.commit);
    }
  }

  async rollback(): Promise<void> {
    try {
      if (this.#state === 'being committed' || this.#state === 'rolled back') {
        throw new Error(`cannot roll the adaptation back: it is ${this.#state}${this.#state === 'rolled back' ? ' already' : ''}`);
      }
      if (this.#committed) {
        this.#expect(this.#committed, 'roll back');
        this.#tokenizer.restore(this.#tokenizer.engine);
        this.#committed = undefined;
      }
      this.#state = 'rolled back';
    } catch (error) {
      throw fromCaller(error, StagedAdaptation.prototype.rollback);
    }
  }

  async toCartridge(options: { slim?: boolean | undefined } = {}): Promise<UnsharedUint8Array> {
    try {
      checkOptionNames(options, ['slim']);
      const { slim = false } = options;
      if (typeof slim !== 'boolean') throw unexpected('a boolean', 'slim', slim);
      if (!this.#cartridge) {
        throw new TokenizerError(`cannot make a cartridge: no tokens have been added (${this.reason})`, { code: 'BUILD_FAILED' });
      }
      return slim ? await this.#compile(cartridgeJob(this.#cartridge, undefined, { slim })) : this.#cartridge.slice();
    } catch (error) {
      throw fromCaller(error, StagedAdaptation.prototype.toCartridge);
    }
  }

  #expect(engine: EngineTokenizer, what: string): void {
    if (this.#tokenizer.has(engine)) return;
    throw new Error(`cannot ${what} the adaptation: the tokenizer has been closed, or has another vocabulary by now`);
  }
}
