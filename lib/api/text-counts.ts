// The numbers of tokens of texts that are counted again and again, such as the messages of a prompt that grows.

import { detachedText } from '../base/text-encodings.js';
import type { Tokenizer } from './tokenizer.js';

/** The memory for the texts that a tokenizer has counted, in bytes: about 5 million tokens of English. */
const MAX_BYTES = 16 * 1024 * 1024;
/** The memory of an entry without its text, in bytes, rounded up. */
const ENTRY = 128;

type Counter = Pick<Tokenizer, 'count'>;

export class TextCounts {
  readonly #tokenizer: Counter;
  /** In the order in which they came. */
  readonly #counts = new Map<string, number>();
  /** The memory of all entries. A unit counts for two bytes, although most engines need one for ASCII. */
  #bytes = 0;
  /** Changes with the vocabulary. */
  #vocabulary: unknown;

  private constructor(tokenizer: Counter) {
    this.#tokenizer = tokenizer;
  }

  /** The counts of a tokenizer, for all of its users together. */
  static of(tokenizer: Counter): TextCounts {
    let counts = all.get(tokenizer);
    if (!counts) all.set(tokenizer, (counts = new TextCounts(tokenizer)));
    return counts;
  }

  /** What the tokenizer's `count` returns. */
  count(text: string): number {
    // Reading this throws if the tokenizer is closed.
    const { specialTokens } = this.#tokenizer as Partial<Tokenizer>;
    // Other counters may count a text in another way the next time.
    if (specialTokens === undefined) return this.#tokenizer.count(text);
    if (specialTokens !== this.#vocabulary) {
      this.#counts.clear();
      this.#bytes = 0;
    }
    this.#vocabulary = specialTokens;
    let count = this.#counts.get(text);
    if (count === undefined) {
      count = this.#tokenizer.count(text);
      if (sizeOf(text) <= MAX_BYTES) this.#keep(text, count);
    }
    return count;
  }

  #keep(text: string, count: number): void {
    this.#counts.set(detachedText(text), count);
    this.#bytes += sizeOf(text);
    for (const [oldest] of this.#counts) {
      if (this.#bytes <= MAX_BYTES) break;
      this.#counts.delete(oldest);
      this.#bytes -= sizeOf(oldest);
    }
  }
}

const all = new WeakMap<Counter, TextCounts>();

const sizeOf = (text: string) => 2 * text.length + ENTRY;
