// The ordinary tokens of a vocabulary as strings of bytes (one unit for each byte, so that they sort as the bytes do), for
// two questions that the engine does not answer: which tokens begin with some bytes, and what bytes that are no text merge
// to. To build it takes a fraction of a second.

import type { EngineTokenizer } from '../backend.js';

export class TokenBytes {
  /** In ascending order. */
  readonly sorted: readonly string[];
  readonly #ids = new Map<string, number>();
  readonly #bytes: string[] = [];

  constructor(engine: EngineTokenizer) {
    const { vocabularySize, addedTokens } = engine.describe();
    const added = new Set(addedTokens.map(({ id }) => id));
    for (let id = 0; id < vocabularySize; id++) {
      const bytes = added.has(id) ? undefined : engine.tokenBytes(id);
      if (bytes) this.#ids.set((this.#bytes[id] = byteString(bytes)), id);
    }
    this.sorted = [...this.#ids.keys()].sort();
  }

  /** The tokens that begin with some bytes, in ascending order. */
  *beginningWith(bytes: string): Generator<string, void> {
    let low = 0;
    for (let high = this.sorted.length; low < high; ) {
      const middle = (low + high) >>> 1;
      if ((this.sorted[middle] as string) < bytes) low = middle + 1;
      else high = middle;
    }
    for (; this.sorted[low]?.startsWith(bytes); low++) yield this.sorted[low] as string;
  }

  /** The bytes of an id; undefined if no ordinary token has it. */
  bytes(id: number): string | undefined {
    return this.#bytes[id];
  }

  /** The id of a token. */
  id(bytes: string): number {
    return this.#ids.get(bytes) as number;
  }

  /**
   * Some bytes as one piece, whatever they are: of all neighbours that are a token together, those with the lowest id
   * become one, again and again. Quadratic: for as many bytes as a piece has.
   */
  merged(bytes: string): number[] {
    const parts = [...bytes];
    const joined = (at: number) => this.#ids.get(`${parts[at]}${parts[at + 1]}`) ?? Number.POSITIVE_INFINITY;
    const pairs = Array.from({ length: parts.length - 1 }, (_, at) => joined(at));
    for (;;) {
      let lowest = 0;
      for (let at = 1; at < pairs.length; at++) if ((pairs[at] as number) < (pairs[lowest] as number)) lowest = at;
      if (pairs.length === 0 || pairs[lowest] === Number.POSITIVE_INFINITY) return parts.map((part) => this.id(part));
      parts.splice(lowest, 2, `${parts[lowest]}${parts[lowest + 1]}`);
      pairs.splice(lowest, 1);
      if (lowest > 0) pairs[lowest - 1] = joined(lowest - 1);
      if (lowest < pairs.length) pairs[lowest] = joined(lowest);
    }
  }
}

/** Bytes as a string with a unit for each. */
export function byteString(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
}
