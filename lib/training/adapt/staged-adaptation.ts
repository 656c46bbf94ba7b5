// The result of adapt(): a cartridge that can be put to use, and the way back.

import type { CompileJob } from '../../vocabularies/import/compile-job.js';
import type { Adaptation, AdaptedToken, Observed } from '../../api/adaptation.js';
import { beginAtCallers, TokenizerError, unexpected } from '../../base/errors.js';
import { checkOptionNames } from '../../base/option-objects.js';
import type { UnsharedUint8Array } from '../../base/typed-arrays.js';
import type { Base } from './adapted-vocabulary.js';

export type CompileForAdapting = (job: CompileJob, signal?: AbortSignal) => Promise<UnsharedUint8Array>;

/** A vocabulary with new tokens. */
export interface Stage {
  cartridge: UnsharedUint8Array;
  added: AdaptedToken[];
  saved: number;
}

/** The reason why there is none. */
export type NoStage = Exclude<Adaptation['reason'], undefined>;

export class StagedAdaptation implements Adaptation {
  readonly added: readonly AdaptedToken[];
  readonly reason: Adaptation['reason'];
  readonly observed: Observed;
  readonly saved: number;
  readonly #base: Base;
  readonly #compile: CompileForAdapting;
  readonly #cartridge: UnsharedUint8Array | undefined;
  #state: 'proposed' | 'being committed' | 'committed' | 'rolled back' = 'proposed';

  constructor(base: Base, observed: Observed, compile: CompileForAdapting, what: Stage | NoStage) {
    const { added, saved, cartridge } = typeof what === 'string' ? { added: [], saved: 0, cartridge: undefined } : what;
    beginAtCallers(StagedAdaptation);
    this.added = Object.freeze(added);
    this.reason = typeof what === 'string' ? what : undefined;
    this.observed = observed;
    this.saved = saved;
    this.#base = base;
    this.#compile = compile;
    this.#cartridge = cartridge;
  }

  async commit(): Promise<void> {
    if (this.#state !== 'proposed') throw refused(`cannot commit the adaptation: it is ${this.#state} already`);
    this.#state = 'being committed';
    try {
      if (this.#cartridge) await this.#base.replace(this.#cartridge);
      this.#state = 'committed';
    } finally {
      if (this.#state === 'being committed') this.#state = 'proposed';
    }
  }

  async rollback(): Promise<void> {
    if (this.#state === 'being committed' || this.#state === 'rolled back') {
      throw refused(`cannot roll the adaptation back: it is ${this.#state}${this.#state === 'rolled back' ? ' already' : ''}`);
    }
    this.#base.restore();
    this.#state = 'rolled back';
  }

  async toCartridge(options: { slim?: boolean | undefined } = {}): Promise<UnsharedUint8Array> {
    checkOptionNames(options, ['slim']);
    const { slim = false } = options;
    if (typeof slim !== 'boolean') throw unexpected('a boolean', 'slim', slim);
    if (!this.#cartridge) {
      throw new TokenizerError(`cannot make a cartridge: no tokens have been added (${this.reason})`, { code: 'BUILD_FAILED' });
    }
    return slim
      ? await this.#compile({ cartridge: this.#cartridge, dat: undefined, form: 'slim', source: 'the adaptation' })
      : this.#cartridge.slice();
  }
}

function refused(message: string): TokenizerError {
  return new TokenizerError(message, { code: 'INVALID_ARGUMENT' });
}
