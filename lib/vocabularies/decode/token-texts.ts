// The texts of tokens as in the reference implementation, which a decoder's steps start from.

import type { EngineTokenizer } from '../../engine/engine.js';
import { TokenizerError } from '../../base/errors.js';
import { byteLevel } from './bytes.js';
import type { DecoderSpec, TextForm } from './decoder-spec.js';

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

export class TokenTexts {
  readonly #engine: EngineTokenizer;
  readonly #form: TextForm;
  /** Of tokens that end a word. */
  readonly #suffix: string;
  /** By id, for tokens whose bytes do not determine the text. */
  readonly #known = new Map<number, string>();
  readonly #special = new Set<string>();
  /** All ids are lower. */
  readonly limit: number;

  constructor(engine: EngineTokenizer, { form, texts = {}, suffix = '' }: DecoderSpec) {
    this.#engine = engine;
    this.#form = form;
    this.#suffix = suffix;
    const { addedTokens, vocabularySize } = engine.describe();
    this.limit = vocabularySize;
    for (const [id, text] of Object.entries(texts)) if (Number(id) < vocabularySize) this.#known.set(Number(id), text);
    let before: number | undefined;
    for (const { id, text, special } of addedTokens) {
      // Ids ascend; of several tokens with the same id, the first counts.
      if (id === before) continue;
      before = id;
      if (special) this.#special.add(text);
      if (!this.#known.has(id)) this.#known.set(id, text);
    }
  }

  /** Whether a text is the text of a special token: the reference compares texts, not ids. */
  isSpecial(text: string): boolean {
    return this.#special.has(text);
  }

  /** `index`: the id's index, for the error if no token has it. */
  of(id: number, index: number): string {
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    const bytes = id < this.limit ? this.#engine.tokenBytes(id) : undefined;
    if (!bytes) throw new TokenizerError('', { code: 'INVALID_ID', position: index });
    return markedText(bytes, this.#suffix, (prefix) => this.#textOf(prefix));
  }

  #textOf(bytes: Uint8Array): string {
    if (this.#form === 'byte-level') return byteLevel(bytes);
    const text = utf8.decode(bytes);
    return this.#form === 'marked' ? text.replaceAll(' ', '\u2581') : text;
  }
}

// In a cartridge, the bytes of a token that ends a word (`end_of_word_suffix` of BPE) end with 0xFF, a byte that no text has.

export const WORD_END = 0xff;

/** Reads the bytes of a token; `textOf` reads those before the mark. */
export function markedText(bytes: Uint8Array, suffix: string, textOf: (bytes: Uint8Array) => string): string {
  const ends = suffix !== '' && bytes.at(-1) === WORD_END;
  return `${textOf(ends ? bytes.subarray(0, -1) : bytes)}${ends ? suffix : ''}`;
}
