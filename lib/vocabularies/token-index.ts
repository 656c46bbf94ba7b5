// The tokens of a vocabulary in the order of their bytes, so that tokens with a common prefix are neighbours. It is built for the first
// question: the tries of cartridges lack the tokens that BPE does not make by merging, and have other keys for some models.

import type { Description, EngineTokenizer } from '../engine/engine.js';
import type { UnsharedUint32Array } from '../base/typed-arrays.js';

const indexes = new WeakMap<Description, TokenIndex>();

/** The index of an engine's vocabulary, which is made once. */
export function tokenIndexOf(engine: EngineTokenizer, description: Description): TokenIndex {
  let index = indexes.get(description);
  if (index === undefined) indexes.set(description, (index = new TokenIndex(engine, description)));
  return index;
}

/** All tokens except the added ones and the unknown token. */
export class TokenIndex {
  /** The bytes of all tokens; token n is [offsets[n], offsets[n + 1]). */
  readonly #bytes: Uint8Array;
  readonly #offsets: Uint32Array;
  readonly #ids: Uint32Array;
  /** Numbers of tokens, in order. */
  readonly #order: Uint32Array;
  /** Ids whose bytes are not text of the model. */
  readonly apart: ReadonlySet<number>;
  readonly longest: number;

  constructor(engine: EngineTokenizer, { vocabularySize, addedTokens, unknownId }: Description) {
    const apart = new Set(addedTokens.map(({ id }) => id));
    if (unknownId !== undefined) apart.add(unknownId);
    const offsets = [0];
    const ids: number[] = [];
    let bytes = new Uint8Array(8 * vocabularySize);
    let used = 0;
    let longest = 0;
    for (let id = 0; id < vocabularySize; id++) {
      if (apart.has(id)) continue;
      const token = engine.tokenBytes(id);
      if (token === undefined) continue;
      if (used + token.length > bytes.length) {
        const larger = new Uint8Array(2 * bytes.length + token.length);
        larger.set(bytes);
        bytes = larger;
      }
      bytes.set(token, used);
      used += token.length;
      offsets.push(used);
      ids.push(id);
      longest = Math.max(longest, token.length);
    }
    this.#bytes = bytes.slice(0, used);
    this.#offsets = Uint32Array.from(offsets);
    this.#ids = Uint32Array.from(ids);
    this.#order = Uint32Array.from(ids, (_, number) => number).sort((a, b) => this.#compareTokens(a, b));
    this.apart = apart;
    this.longest = longest;
  }

  /** The ids of the tokens with a prefix, ascending. */
  withPrefix(prefix: Uint8Array): UnsharedUint32Array {
    const ids = new Uint32Array(this.#order.subarray(this.#first(prefix, 0), this.#first(prefix, 1)));
    for (let i = 0; i < ids.length; i++) ids[i] = this.#ids[ids[i] as number] as number;
    return ids.sort();
  }

  /** Whether a token begins with these bytes and is longer. If `except` is given, one that does not begin with that. */
  extends(prefix: Uint8Array, except?: Uint8Array): boolean {
    const begin = this.#first(prefix, 0);
    // Those that are equal come first.
    for (let i = this.#first(prefix, 1) - 1; i >= begin; i--) {
      const number = this.#order[i] as number;
      if (this.#length(number) === prefix.length) return false;
      if (except === undefined || this.#compare(number, except) !== 0) return true;
    }
    return false;
  }

  /** The place in the order of the first token that is not less than a prefix; `after`: 1 for the first that is greater. */
  #first(prefix: Uint8Array, after: 0 | 1): number {
    let low = 0;
    let high = this.#order.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#compare(this.#order[middle] as number, prefix) < after) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #length(number: number): number {
    return (this.#offsets[number + 1] as number) - (this.#offsets[number] as number);
  }

  /** Below 0 if the token is less than all with the prefix, 0 if it has the prefix. */
  #compare(number: number, prefix: Uint8Array): number {
    const at = this.#offsets[number] as number;
    const length = this.#length(number);
    for (let i = 0; i < prefix.length; i++) {
      if (i === length) return -1;
      const difference = (this.#bytes[at + i] as number) - (prefix[i] as number);
      if (difference !== 0) return difference;
    }
    return 0;
  }

  #compareTokens(a: number, b: number): number {
    const [length, otherLength] = [this.#length(a), this.#length(b)];
    const [at, other] = [this.#offsets[a] as number, this.#offsets[b] as number];
    for (let i = 0; i < length && i < otherLength; i++) {
      const difference = (this.#bytes[at + i] as number) - (this.#bytes[other + i] as number);
      if (difference !== 0) return difference;
    }
    return length - otherLength;
  }
}
