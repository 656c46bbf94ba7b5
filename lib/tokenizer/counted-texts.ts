// The numbers of tokens of texts that are counted again and again, such as the messages of a prompt that grows: a text is encoded the
// first time, and after that only compared with what is known.
//
// A text is found by its length and some of its units, and then compared: hashing all of it would take longer than counting it does. Of
// texts that agree in these, the last one is known.
//
// There are two generations of texts, of half the memory each. What is used moves to the younger one; when that is full, the older one
// is dropped.

import { ownText } from '../base/own-text.js';
import type { Tokenizer } from './tokenizer.js';

/** For all that a tokenizer has counted, in bytes: about 5 million tokens of English. */
const MOST = 16 * 1024 * 1024;
/** What an entry takes besides its text, in bytes, rounded up. */
const ENTRY = 128;
/** How many units find a text. */
const SAMPLES = 8;

type Counter = Pick<Tokenizer, 'count'>;

interface Counted {
  readonly text: string;
  readonly count: number;
}

export class CountedTexts {
  readonly #tokenizer: Counter;
  readonly #most: number;
  #young = new Map<number, Counted>();
  #old = new Map<number, Counted>();
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
    const key = keyOf(text);
    const young = this.#young.get(key);
    if (young?.text === text) return young.count;
    const old = this.#old.get(key);
    if (old?.text === text) {
      this.#keep(key, old);
      return old.count;
    }
    const count = this.#tokenizer.count(text);
    if (sizeOf(text) <= this.#most) this.#keep(key, { text: ownText(text), count });
    return count;
  }

  #keep(key: number, counted: Counted): void {
    const before = this.#young.get(key);
    if (before) this.#bytes -= sizeOf(before.text);
    const size = sizeOf(counted.text);
    if (this.#bytes + size > this.#most) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#bytes = 0;
    }
    this.#bytes += size;
    this.#young.set(key, counted);
  }

  #forget(): void {
    this.#young.clear();
    this.#old.clear();
    this.#bytes = 0;
  }
}

const sizeOf = (text: string) => 2 * text.length + ENTRY;

/** Texts of a program often begin and end alike, so the units are spread evenly. */
function keyOf(text: string): number {
  const { length } = text;
  let key = length;
  for (let sample = 1; sample <= SAMPLES; sample++) {
    key = (Math.imul(key, 0x01000193) ^ text.charCodeAt(Math.floor((length * sample) / (SAMPLES + 1)))) | 0;
  }
  return key;
}

const known = new WeakMap<Counter, CountedTexts>();

/** What a tokenizer has counted, for all of its users together. */
export function countedTextsOf(tokenizer: Counter): CountedTexts {
  let texts = known.get(tokenizer);
  if (!texts) known.set(tokenizer, (texts = new CountedTexts(tokenizer)));
  return texts;
}
