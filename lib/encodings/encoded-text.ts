// A text that the engine has encoded. Its offsets and words, which are other questions to the engine, are found when they are asked
// for.

import type { EngineTokenizer, EngineUnit, Policy } from '../engine/engine.js';
import type { Range } from './lengths.js';
import type { Source } from './rows.js';

export abstract class EncodedText implements Source {
  readonly ids: Uint32Array;
  readonly text: string;
  readonly #engine: EngineTokenizer;
  readonly #policy: Policy;
  readonly #located = new Map<EngineUnit, Uint32Array>();

  /** `ids`: those of the text, where they are known already. */
  constructor(engine: EngineTokenizer, text: string, policy: Policy, ids: Uint32Array = engine.encode(text, policy)) {
    this.ids = ids;
    this.text = text;
    this.#engine = engine;
    this.#policy = policy;
  }

  abstract tokenAt(index: number): string;
  abstract offsetsAt(index: number): Range;

  wordAt(index: number): number {
    return this.located('words')[2 * index] as number;
  }

  /** The text of a token as it is in this one. */
  protected textAt(index: number): string {
    const offsets = this.located('utf16');
    return this.text.slice(offsets[2 * index], offsets[2 * index + 1]).replace(/\p{Surrogate}/gu, '\ufffd');
  }

  /** Two numbers for each token: start and end, or the number of its word, and 1 if that is an added token. */
  protected located(unit: EngineUnit): Uint32Array {
    let found = this.#located.get(unit);
    if (!found) {
      found = this.#engine.encodeWithOffsets(this.text, unit, this.#policy).offsets;
      this.#located.set(unit, found);
    }
    return found;
  }
}
