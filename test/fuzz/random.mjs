/** A small deterministic random source: the same numbers for the same seeds on every machine. */
export class Random {
  #state;

  /** @param {...number} seeds any integers; different lists give unrelated streams */
  constructor(...seeds) {
    let state = 0x9e3779b9;
    for (const seed of seeds) state = mix(mix(state ^ seed) + Math.floor(seed / 2 ** 32));
    this.#state = state;
  }

  /** A uniform u32 (splitmix with a 32-bit state). */
  next() {
    this.#state = (this.#state + 0x9e3779b9) | 0;
    return mix(this.#state) >>> 0;
  }

  /** An integer from `low` to `high`, inclusive. */
  integer(low, high) {
    return low + Math.floor((this.next() / 2 ** 32) * (high - low + 1));
  }

  /** An integer from 0 up, below `limit`. */
  below(limit) {
    return this.integer(0, limit - 1);
  }

  /** True with the given probability. */
  chance(probability) {
    return this.next() < probability * 2 ** 32;
  }

  /** @template T @param {ArrayLike<T>} items @returns {T} */
  pick(items) {
    return items[this.integer(0, items.length - 1)];
  }

  /** A length from 1 up, mostly small, at most `limit`. */
  length(limit) {
    let length = 1;
    while (length < limit && this.chance(0.6)) length = Math.min(limit, length + this.integer(1, length));
    return length;
  }
}

function mix(value) {
  let x = value | 0;
  x = Math.imul(x ^ (x >>> 16), 0x21f0aaad);
  x = Math.imul(x ^ (x >>> 15), 0x735a2d97);
  return x ^ (x >>> 15);
}
