// What a tokenizer keeps of observed texts. All of it is about one vocabulary.

import type { ObservedText, Observed } from './adaptation.js';
import type { EngineTokenizer, Policy } from './engine.js';

/** Texts that the rate is the mean of. */
const WINDOW = 1000;
/** Bytes of texts that are kept: those of the latest ones. */
const MOST_BYTES = 1 << 20;
/** The first byte that is no character. */
const FIRST_PART = 0x80;

const encoder = new TextEncoder();

export class Observations {
  /** The tokens of characters that the vocabulary lacks: the unknown one, and single bytes that are no character. */
  readonly #lacking = new Set<number>();
  /** The latest texts; what has been dropped of them is empty. */
  readonly #window: (ObservedText & { rate: number })[] = [];
  /** The first one whose bytes are kept. */
  #first = 0;
  #bytes = 0;

  constructor(engine: EngineTokenizer, unknownId: number | undefined) {
    if (unknownId !== undefined) this.#lacking.add(unknownId);
    for (let byte = FIRST_PART; byte < 0x100; byte++) {
      const id = engine.idOf(Uint8Array.of(byte));
      if (id !== undefined) this.#lacking.add(id);
    }
  }

  /** Returns the rate of the text. One without tokens has none, and is not kept. */
  add(text: string | Uint8Array, ids: Uint32Array, policy: Policy): number {
    const { length } = ids;
    if (length === 0) return 0;
    let lacking = 0;
    for (let at = 0; at < length; at++) if (this.#lacking.has(ids[at] as number)) lacking++;
    const rate = lacking / length;
    const bytes = beginningOf(text);
    this.#window.push({ bytes, policy, rate });
    this.#bytes += bytes.length;
    if (this.#window.length > WINDOW) {
      this.#bytes -= (this.#window.shift() as ObservedText).bytes.length;
      if (this.#first > 0) this.#first--;
    }
    while (this.#bytes > MOST_BYTES) {
      const oldest = this.#window[this.#first++] as ObservedText;
      this.#bytes -= oldest.bytes.length;
      oldest.bytes = new Uint8Array(0);
    }
    return rate;
  }

  get observed(): Observed {
    const texts = this.#window.length;
    const rate = texts > 0 ? this.#window.reduce((sum, { rate }) => sum + rate, 0) / texts : 0;
    return { rate, texts, bytes: this.#bytes };
  }

  /** What is kept, the oldest first. */
  get texts(): ObservedText[] {
    return this.#window.slice(this.#first).map(({ bytes, policy }) => ({ bytes, policy }));
  }
}

/** A copy of as much as is kept of a text, cut before a character. */
function beginningOf(text: string | Uint8Array): Uint8Array {
  const bytes = typeof text === 'string' ? encoder.encode(text.slice(0, MOST_BYTES)) : text;
  let end = Math.min(bytes.length, MOST_BYTES);
  if (end < bytes.length) while (end > MOST_BYTES - 4 && ((bytes[end] as number) & 0xc0) === 0x80) end--;
  return bytes === text || end < bytes.length ? bytes.slice(0, end) : bytes;
}
