// Added tokens in a text, which match before anything else: a cut inside one would turn it into ordinary text.

import { SPECIAL_AS_TEXT } from '../arguments.js';
import type { AddedToken, Policy } from '../../engine/engine.js';
import { holdsAt, type Units, unitsOf } from './units.js';

/** Finds added tokens across a position. */
export class WholeTokens {
  readonly #byFirst = new Map<number, ArrayLike<number>[]>();
  #longest = 0;

  constructor(tokens: readonly AddedToken[], policy: Policy, isBytes: boolean) {
    for (const { text, id, special } of tokens) {
      const isMatched = !special || (typeof policy === 'number' ? policy !== SPECIAL_AS_TEXT : policy.includes(id));
      if (!isMatched) continue;
      const units = unitsOf(text, isBytes);
      const first = units[0] as number;
      this.#byFirst.set(first, [...(this.#byFirst.get(first) ?? []), units]);
      this.#longest = Math.max(this.#longest, units.length);
    }
  }

  /** Whether a token begins before a position and ends after it. */
  lieAcross(text: Units, at: number): boolean {
    for (let begin = at - 1; begin > at - this.#longest; begin--) {
      const tokens = this.#byFirst.get(text.unit(begin));
      if (tokens?.some((units) => begin + units.length > at && holdsAt(text, units, begin))) return true;
    }
    return false;
  }
}
