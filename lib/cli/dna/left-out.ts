// Defects of an output: unknown ids, and records that were left out.

import type { FileEnding } from './output.js';
import { factsOfAll, type UnknownFacts, type Unknowns } from './unknown.js';
import { counted } from '../output/fields.js';

/** Sums over all files. */
export class LeftOut {
  readonly #unknowns: Unknowns[] = [];
  /** Undefined if none may be left out. */
  #damaged: number | undefined;
  #rejected: number | undefined;

  add({ unknowns, damaged, rejected }: FileEnding): void {
    this.#unknowns.push(unknowns);
    if (damaged !== undefined) this.#damaged = (this.#damaged ?? 0) + damaged;
    if (rejected !== undefined) this.#rejected = (this.#rejected ?? 0) + rejected;
  }

  facts(): UnknownFacts & { damagedRecords?: number | undefined; rejectedRecords?: number | undefined } {
    return { ...factsOfAll(this.#unknowns), damagedRecords: this.#damaged, rejectedRecords: this.#rejected };
  }

  /** Text to append to the report of the output. */
  inWords(): string {
    const damaged = this.#damaged ? [counted(this.#damaged, 'damaged record')] : [];
    const rejected = this.#rejected ? [counted(this.#rejected, 'rejected record')] : [];
    const all = [...damaged, ...rejected];
    return all.length > 0 ? `; ${all.join(' and ')} left out` : '';
  }
}
