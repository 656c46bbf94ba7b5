// Decodes overlapping k-mers: each adds one base to the previous one.

import { TokenizerError } from '../base/errors.js';
import type { DnaEngine } from './engine.js';

export class OverlappingKmers {
  readonly #special: ReadonlySet<number>;
  readonly #texts = new Map<number, string>();

  /** `special`: the ids of special tokens. */
  constructor(special: ReadonlySet<number>) {
    this.#special = special;
  }

  /** `skip`: leaves out the names of special tokens. */
  decode(engine: DnaEngine, ids: Uint32Array, skip: boolean): string {
    const { k } = engine.facts;
    let text = '';
    let isInside = false;
    ids.forEach((id, index) => {
      if (!this.#texts.has(id)) this.#texts.set(id, decodeOne(engine, ids, index));
      const token = this.#texts.get(id) as string;
      const isSpecial = this.#special.has(id);
      const isKmer = !isSpecial && token.length === k;
      if (!skip || !isSpecial) text += isKmer && isInside ? token.slice(-1) : token;
      isInside = isKmer;
    });
    return text;
  }
}

function decodeOne(engine: DnaEngine, ids: Uint32Array, index: number): string {
  try {
    return engine.names.decode(ids.subarray(index, index + 1), false);
  } catch (error) {
    if (!(error instanceof TokenizerError)) throw error;
    throw new TokenizerError(error.message, { code: error.code, position: index });
  }
}
