// The numbers of tokens of texts that are counted again and again, such as the messages of a prompt that grows: a text is encoded the
// first time, and after that only compared with what is known.
//
// There are two generations of texts, of half the memory each. What is used moves to the younger one; when that is full, the older one
// is dropped.

import { ownText } from '../base/own-text.js';
import type { Tokenizer } from './tokenizer.js';

/** For all that a tokenizer has counted, in bytes: about 5 million tokens of English. */
const MOST = 16 * 1024 * 1024;
/** What an entry takes besides its text, in bytes, rounded up. */
const ENTRY = 96;

type Counter = Pick<Tokenizer, 'count'>;

export class CountedTexts {
  readonly #tokenizer: Counter;
  readonly #most: number;
  #young = new Map<string, number>();
  #old = new Map<string, number>();
  /** What the younger ones take: two bytes for each unit, although most engines need one for ASCII. */
  #bytes = 0;
  /** Changes with the vocabulary. */
  #vocabulary: unknown;

  constructor(tokenizer: Counter, most = MOST) {
    this.#tokenizer = tokenizer;
    this.#most = most / 2;
  }

  /** What the tokenizer's `count` returns. */
  count(text: string): number {
    // Reading this throws if the tokenizer is closed.
    const { specialTokens } = this.#tokenizer as Partial<Tokenizer>;
    // Other counters may count a text in another way the next time.
    if (specialTokens === undefined) return this.#tokenizer.count(text);
    if (specialTokens !== this.#vocabulary) this.#forget();
    this.#vocabulary = specialTokens;
    let count = this.#young.get(text);
    if (count !== undefined) return count;
    count = this.#old.get(text) ?? this.#tokenizer.count(text);
    this.#keep(text, count);
    return count;
  }

  #keep(text: string, count: number): void {
    const size = 2 * text.length + ENTRY;
    if (size > this.#most) return;
    if (this.#bytes + size > this.#most) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#bytes = 0;
    }
    this.#bytes += size;
    this.#young.set(ownText(text), count);
  }

  #forget(): void {
    this.#young.clear();
    this.#old.clear();
    this.#bytes = 0;
  }
}

const known = new WeakMap<Counter, CountedTexts>();

/** What a tokenizer has counted, for all of its users together. */
export function countedTextsOf(tokenizer: Counter): CountedTexts {
  let texts = known.get(tokenizer);
  if (!texts) known.set(tokenizer, (texts = new CountedTexts(tokenizer)));
  return texts;
}
