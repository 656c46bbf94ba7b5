// The class Tiktoken: opened ranks with the caller's special tokens. Includes no vocabulary.

import { beginAtCallers, fromCaller, TokenizerError, unexpected } from '../../base/errors.js';
import { plainArray } from '../../base/typed-arrays.js';
import { decode } from '../../api/decode-ids.js';
import { encode } from '../../api/encode-texts.js';
import type { Vocabulary } from '../../vocabularies/vocabulary.js';
import { openBpe, ordinaryTokens, type TiktokenBPE } from './rank-values.js';
import { anyOf, checkedIds, NamesInText } from '../special-names.js';

/**
 * Text to token ids and back. Needs no freeing. Examples without imports continue this one.
 *
 * @example
 * ```ts
 * import { Tiktoken } from 'crayon-tokenizer/js-tiktoken/lite';
 * import o200k_base from 'crayon-tokenizer/js-tiktoken/ranks/o200k_base';
 *
 * const encoding = new Tiktoken(o200k_base);
 * const tokens = encoding.encode('hello world');
 * tokens; // [24912, 2375]
 * encoding.decode(tokens); // 'hello world'
 * ```
 */
export class Tiktoken {
  readonly #vocabulary: Vocabulary;
  readonly #special: SpecialTokens;
  /** The texts of special tokens by id; undefined for the vocabulary's own that are not special here. */
  readonly #specialTexts: ReadonlyMap<number, string | undefined>;
  /** The smallest of these ids. */
  readonly #firstSpecial: number;
  #textMap: Map<number, Uint8Array> | undefined;
  #rankMap: Map<string, number> | undefined;

  // js-tiktoken hides internals only in its types, and some programs use them.
  /** @internal */
  readonly specialTokens: Readonly<Record<string, number>>;
  /** @internal */
  readonly patStr: string;

  /**
   * An encoder for the given ranks: this package's `ranks/NAME`, js-tiktoken's, or the contents of
   * `https://tiktoken.pages.dev/js/NAME.json`. Ranks of an encoding are recognized and cost next to nothing if its
   * vocabulary is present; others are compiled, which takes up to a few seconds. Throws a `RangeError` for any pattern
   * but an encoding's.
   *
   * @example
   * ```ts
   * import { Tiktoken } from 'crayon-tokenizer/js-tiktoken/lite';
   * import gpt2 from 'crayon-tokenizer/js-tiktoken/ranks/gpt2';
   *
   * const encoding = new Tiktoken(gpt2, { '<|im_start|>': 100264, '<|im_end|>': 100265 });
   * encoding.encode('<|im_start|>test<|im_end|>', 'all'); // [100264, 9288, 100265]
   * ```
   */
  constructor(ranks: TiktokenBPE, extendedSpecialTokens?: Record<string, number>) {
    beginAtCallers(Tiktoken);
    try {
      this.#vocabulary = openBpe(ranks);
      const added = checkedIds(extendedSpecialTokens, 'extendedSpecialTokens');
      this.specialTokens = Object.fromEntries([...checkedIds(ranks.special_tokens, 'special_tokens'), ...added]);
      this.patStr = ranks.pat_str;
      this.#special = new SpecialTokens(this.specialTokens);
      this.#specialTexts = textsById(this.specialTokens, this.#vocabulary);
      this.#firstSpecial = Math.min(...this.#specialTexts.keys());
    } catch (error) {
      throw fromCaller(error, Tiktoken);
    }
  }

  /** @internal */
  static readonly specialTokenRegex = patternOf;

  /**
   * The ids of a text. Special tokens in it become their ids if `allowedSpecial` lists them or is `'all'`. Those listed
   * in `disallowedSpecial`, by default all that are not allowed, are an error; others are ordinary text.
   *
   * @example
   * ```ts
   * encoding.encode('hello <|endoftext|>', 'all'); // [24912, 220, 199999]
   * encoding.encode('<|endoftext|>', [], []).length; // 7
   * encoding.encode('<|endoftext|>'); // throws Error
   * ```
   */
  encode(text: string, allowedSpecial: string[] | 'all' = [], disallowedSpecial: string[] | 'all' = 'all'): number[] {
    if (typeof text !== 'string') throw unexpected('a string', 'text', text);
    const found = this.#special.allowedIn(text, allowedSpecial, disallowedSpecial);
    if (found.length === 0) return plainArray(encode(this.#vocabulary, text));
    const ids: number[] = [];
    let from = 0;
    for (const { at, end, id } of found) {
      if (at > from) for (const each of encode(this.#vocabulary, text.slice(from, at))) ids.push(each);
      ids.push(id);
      from = end;
    }
    for (const each of encode(this.#vocabulary, text.slice(from))) ids.push(each);
    return ids;
  }

  /**
   * The text of ids. Invalid UTF-8 becomes U+FFFD, and ids without a token are skipped.
   *
   * @example
   * ```ts
   * encoding.decode([24912, 2375, 199999]); // 'hello world<|endoftext|>'
   * ```
   */
  decode(tokens: number[]): string {
    if (typeof tokens?.length !== 'number') throw unexpected('an array of token ids', 'tokens', tokens);
    return this.#decode(tokens);
  }

  /** @internal */
  get inverseSpecialTokens(): Record<number, Uint8Array> {
    return Object.fromEntries(Object.entries(this.specialTokens).map(([text, id]) => [id, encoder.encode(text)]));
  }

  /** @internal */
  get textMap(): Map<number, Uint8Array> {
    this.#textMap ??= new Map(ordinaryTokens(this.#vocabulary));
    return this.#textMap;
  }

  /** @internal */
  get rankMap(): Map<string, number> {
    this.#rankMap ??= new Map(Array.from(this.textMap, ([id, bytes]) => [bytes.join(), id]));
    return this.#rankMap;
  }

  /** @internal */
  get textEncoder(): object {
    return new TextEncoder();
  }

  /** @internal */
  get textDecoder(): object {
    return new TextDecoder();
  }

  #decode(tokens: ArrayLike<number>): string {
    const { length } = tokens;
    const ids = new Uint32Array(length);
    let text = '';
    let count = 0;
    for (let index = 0; index < length; index++) {
      const id = tokens[index] as number;
      ids[count] = id;
      if (ids[count] === id && id < this.#firstSpecial) {
        count++;
        continue;
      }
      const special = this.#specialTexts.get(id);
      if (special !== undefined) {
        text += this.#textOf(ids.subarray(0, count)) + special;
        count = 0;
      } else if (ids[count] === id && !this.#specialTexts.has(id)) {
        count++;
      }
    }
    return text + this.#textOf(ids.subarray(0, count));
  }

  /** The text of ordinary ids; ids without a token are skipped. */
  #textOf(ids: Uint32Array): string {
    try {
      return decode(this.#vocabulary, ids);
    } catch (error) {
      if (!(error instanceof TokenizerError) || error.code !== 'INVALID_ID') throw error;
      const { engine } = this.#vocabulary;
      return decode(
        this.#vocabulary,
        ids.filter((id) => engine.tokenBytes(id) !== undefined),
      );
    }
  }
}

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** If an ordinary token has a special token's id, the id means the ordinary one. */
function textsById(special: Readonly<Record<string, number>>, { engine, specialIds }: Vocabulary): ReadonlyMap<number, string | undefined> {
  const builtIn = new Set(specialIds.values());
  const texts = new Map<number, string | undefined>(Array.from(builtIn, (id) => [id, undefined]));
  for (const [name, id] of Object.entries(special)) {
    const isOrdinary = id >>> 0 === id && !builtIn.has(id) && engine.tokenBytes(id) !== undefined;
    // To UTF-8 and back: lone surrogates become U+FFFD.
    if (!isOrdinary) texts.set(id, decoder.decode(encoder.encode(name)));
  }
  return texts;
}

/** A selection of special tokens. */
type Choice = 'all' | Iterable<string>;

/** Finds any of the texts, with earlier ones taking precedence. */
function patternOf(texts: readonly string[]): RegExp {
  return new RegExp(anyOf(texts), 'g');
}

/** The special tokens of an encoder. */
class SpecialTokens {
  readonly #ids: Readonly<Record<string, number>>;
  readonly #names: readonly string[];
  readonly #named: NamesInText;

  constructor(ids: Readonly<Record<string, number>>) {
    this.#ids = ids;
    this.#names = Object.keys(ids);
    this.#named = new NamesInText(this.#names);
  }

  /**
   * The allowed special tokens in a text: where each begins and ends, and its id. Throws if the text contains a
   * disallowed one.
   */
  allowedIn(text: string, allowed: Choice, disallowed: Choice): { at: number; end: number; id: number }[] {
    const hasSome = this.#named.first(text) !== undefined;
    if (!hasSome && disallowed === 'all') return [];
    const chosen = new Set(allowed === 'all' ? this.#names : checkedChoice(allowed, 'allowedSpecial'));
    this.#refuse(text, chosen, disallowed);
    return hasSome && chosen.size > 0 ? this.#find(text, chosen) : [];
  }

  #refuse(text: string, allowed: ReadonlySet<string>, disallowed: Choice): void {
    const others = disallowed === 'all' ? this.#names.filter((name) => !allowed.has(name)) : disallowed;
    const found = new NamesInText([...checkedChoice(others, 'disallowedSpecial')]).first(text);
    if (found !== undefined) throw new Error(`The text contains a special token that is not allowed: ${found}`);
  }

  #find(text: string, allowed: ReadonlySet<string>): { at: number; end: number; id: number }[] {
    const found = [];
    const pattern = patternOf(this.#names);
    for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
      const { 0: name, index: at } = match;
      if (!allowed.has(name)) {
        // An allowed one may begin inside it.
        pattern.lastIndex = at + 1;
        continue;
      }
      found.push({ at, end: at + name.length, id: this.#ids[name] as number });
    }
    return found;
  }
}

function checkedChoice(choice: Choice | null, name: string): Iterable<string> {
  if (choice === null) return [];
  if (typeof choice[Symbol.iterator] === 'function') return choice;
  throw unexpected("'all' or a list of special tokens", name, choice);
}
