// The ordinary tokens of a vocabulary as byte strings (one unit per byte, so they sort like bytes), for two queries
// that the engine lacks: which tokens begin with given bytes, and what non-UTF-8 bytes merge to. Building it takes a
// fraction of a second.

import type { EngineTokenizer } from '../../engine/engine.js';

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
   * Encodes any bytes as one piece: repeatedly merges the adjacent pair whose token has the lowest id. Quadratic, so
   * only for inputs of the size of a piece.
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

/** A number of arguments that every JavaScript engine accepts. */
const MOST_AT_ONCE = 8192;

/** Bytes as a string with one unit per byte. */
export function byteString(bytes: Uint8Array): string {
  // Without spreading, which takes three times as long.
  if (bytes.length <= MOST_AT_ONCE) return String.fromCharCode.apply(null, bytes as unknown as number[]);
  let text = '';
  for (let at = 0; at < bytes.length; at += MOST_AT_ONCE) text += byteString(bytes.subarray(at, at + MOST_AT_ONCE));
  return text;
}

/** The bytes of such a string. */
export function bytesOfString(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let index = 0; index < bytes.length; index++) bytes[index] = text.charCodeAt(index);
  return bytes;
}
