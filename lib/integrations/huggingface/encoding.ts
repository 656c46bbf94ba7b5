// An encoding as npm `tokenizers` has it: lists about the tokens, and the ways between tokens, words and characters.

import {
  columnOf,
  NO_ROWS,
  offsetsIn,
  padded,
  placeOf,
  type Range,
  type Rows,
  sequencesOf,
  truncated,
} from '../encodings/encoding-rows.js';
import { padFrom, type PaddingOptions, sideFrom, type TruncationOptions, wholeNumber } from './tokenizers-options.js';

let rowsOf: (encoding: Encoding) => Rows;
let encodingOf: (rows: Rows) => Encoding;

/**
 * The tokens of one text or of two, with what a model wants to know of them. `Tokenizer.encode` makes it.
 *
 * Offsets count characters (code points), as in npm `tokenizers`. Words are the pieces that the pretokenizer makes, and
 * added tokens, counted from 0 on in each text. They are determined when you first ask for them. Examples without imports continue
 * this one.
 *
 * @example
 * ```ts
 * import { Tokenizer } from 'crayon-tokenizer/huggingface';
 *
 * const encoding = await Tokenizer.fromFile('tokenizer.json').encode('hello world');
 * encoding.getIds(); // [2, 3]
 * encoding.getTokens(); // ['hello', 'world']
 * encoding.getOffsets(); // [[0, 5], [6, 11]]
 * encoding.getWordIds(); // [0, 1]
 * ```
 */
export class Encoding {
  #rows: Rows = NO_ROWS;

  static {
    rowsOf = (encoding) => encoding.#rows;
    encodingOf = (rows) => {
      const encoding = new Encoding();
      encoding.#rows = rows;
      return encoding;
    };
  }

  /**
   * The number of tokens.
   *
   * @example
   * ```ts
   * encoding.getLength(); // 2
   * ```
   */
  getLength(): number {
    return this.#rows.length;
  }

  /**
   * The number of texts in the encoding.
   *
   * @example
   * ```ts
   * const encoding = await Tokenizer.fromFile('tokenizer.json').encode('hello', 'world');
   * encoding.getNSequences(); // 2
   * ```
   */
  getNSequences(): number {
    return this.#rows.ranges.size || 1;
  }

  /**
   * The ids of the tokens.
   *
   * @example
   * ```ts
   * encoding.getIds(); // [2, 3]
   * ```
   */
  getIds(): number[] {
    return columnOf(this.#rows, ({ source }, index) => source.ids[index]!);
  }

  /**
   * The type of each token: in most models 0 for the first text, 1 for the second.
   *
   * @example
   * ```ts
   * const encoding = await Tokenizer.fromFile('tokenizer.json').encode('hello', 'world');
   * encoding.getTypeIds(); // [0, 1]
   * ```
   */
  getTypeIds(): number[] {
    return columnOf(this.#rows, ({ typeId }) => typeId);
  }

  /**
   * 0 for padding, 1 for other tokens.
   *
   * @example
   * ```ts
   * encoding.pad(3);
   * encoding.getAttentionMask(); // [1, 1, 0]
   * ```
   */
  getAttentionMask(): number[] {
    return columnOf(this.#rows, ({ mask }) => mask);
  }

  /**
   * 1 for padding and for tokens that the post-processor added, 0 for tokens of the text.
   *
   * @example
   * ```ts
   * encoding.pad(3);
   * encoding.getSpecialTokensMask(); // [0, 0, 1]
   * ```
   */
  getSpecialTokensMask(): number[] {
    return columnOf(this.#rows, ({ special }) => special);
  }

  /**
   * The tokens, as the vocabulary writes them.
   *
   * @example
   * ```ts
   * encoding.getTokens(); // ['hello', 'world']
   * ```
   */
  getTokens(): string[] {
    return columnOf(this.#rows, ({ source }, index) => source.tokenAt(index));
  }

  /**
   * Start and end of each token in its text, in characters.
   *
   * @example
   * ```ts
   * encoding.getOffsets(); // [[0, 5], [6, 11]]
   * ```
   */
  getOffsets(): [number, number][] {
    return columnOf(this.#rows, (part, index): [number, number] => [...offsetsIn(part, index)]);
  }

  /**
   * The number of each token's word; null for tokens of no text.
   *
   * @example
   * ```ts
   * encoding.getWordIds(); // [0, 1]
   * ```
   */
  getWordIds(): (number | null)[] {
    return this.#words();
  }

  /**
   * The number of each token's text, 0 or 1; null for tokens of no text.
   *
   * @example
   * ```ts
   * const encoding = await Tokenizer.fromFile('tokenizer.json').encode('hello', 'world');
   * encoding.getSequenceIds(); // [0, 1]
   * ```
   */
  getSequenceIds(): (number | null)[] {
    return sequencesOf(this.#rows);
  }

  /**
   * What truncation cut off, in parts.
   *
   * @example
   * ```ts
   * encoding.truncate(1, 0, 'right');
   * encoding.getOverflowing().map((part) => part.getTokens()); // [['world']]
   * ```
   */
  getOverflowing(): Encoding[] {
    return this.#rows.overflowing.map(encodingOf);
  }

  /**
   * The token at a character of a text; null if there is none.
   *
   * @example
   * ```ts
   * encoding.charToToken(7); // 1
   * ```
   */
  charToToken(pos: number, seqId?: number | null): number | null {
    const [first, end] = this.#rangeOf(seqId ?? 0);
    for (let token = first; token < end; token++) {
      const offsets = this.#offsetsAt(token);
      if (offsets && pos >= offsets[0] && pos < offsets[1]) return token;
    }
    return null;
  }

  /**
   * The word at a character of a text; null if there is none.
   *
   * @example
   * ```ts
   * encoding.charToWord(7); // 1
   * ```
   */
  charToWord(pos: number, seqId?: number | null): number | null {
    const token = this.charToToken(pos, seqId);
    return token === null ? null : this.tokenToWord(token);
  }

  /**
   * The characters of a token; null if there is no such token.
   *
   * @example
   * ```ts
   * encoding.tokenToChars(1); // [6, 11]
   * ```
   */
  tokenToChars(token: number): [number, number] | null {
    const offsets = this.#offsetsAt(token);
    return this.tokenToSequence(token) === null || !offsets ? null : [...offsets];
  }

  /**
   * The number of a token's word; null if there is none.
   *
   * @example
   * ```ts
   * encoding.tokenToWord(1); // 1
   * ```
   */
  tokenToWord(token: number): number | null {
    return this.tokenToSequence(token) === null ? null : this.#wordAt(token);
  }

  /**
   * The number of a token's text; null if there is none.
   *
   * @example
   * ```ts
   * const encoding = await Tokenizer.fromFile('tokenizer.json').encode('hello', 'world');
   * encoding.tokenToSequence(1); // 1
   * ```
   */
  tokenToSequence(token: number): number | null {
    const { length, ranges } = this.#rows;
    if (token > length) return null;
    if (ranges.size === 0) return 0;
    for (const [sequence, [start, end]] of ranges) if (token >= start && token < end) return sequence;
    return null;
  }

  /**
   * The tokens of a word: the first one, and the end, which is not included; null if there are none.
   *
   * @example
   * ```ts
   * encoding.wordToTokens(1); // [1, 2]
   * ```
   */
  wordToTokens(word: number, seqId?: number | null): [number, number] | null {
    const [from, to] = this.#rangeOf(seqId ?? 0);
    const words = this.#words().slice(from, to);
    const behind = words.findIndex((each) => each !== null && each > word);
    const before = behind < 0 ? words : words.slice(0, behind);
    const first = before.indexOf(word);
    return first < 0 ? null : [from + first, from + before.lastIndexOf(word) + 1];
  }

  /**
   * The characters of a word; null if there is no such word.
   *
   * @example
   * ```ts
   * encoding.wordToChars(1); // [6, 11]
   * ```
   */
  wordToChars(word: number, seqId?: number | null): [number, number] | null {
    const tokens = this.wordToTokens(word, seqId);
    if (!tokens) return null;
    return [this.#offsetsAt(tokens[0])![0], this.#offsetsAt(tokens[1] - 1)![1]];
  }

  /**
   * Pads this and its overflowing parts to a length; what is longer stays as it is.
   *
   * @example
   * ```ts
   * encoding.pad(4, { padId: 1, direction: 'left' });
   * encoding.getIds(); // [1, 1, 2, 3]
   * ```
   */
  pad(length: number, options?: PaddingOptions | null): void {
    this.#rows = padded(this.#rows, wholeNumber(length, 'length'), padFrom(options ?? {}));
  }

  /**
   * Keeps at most `length` tokens, by default the last ones; the others become overflowing parts, which have `stride` tokens in common.
   *
   * @example
   * ```ts
   * encoding.truncate(1);
   * encoding.getTokens(); // ['world']
   * ```
   */
  truncate(length: number, stride?: number | null, direction?: TruncationOptions['direction'] | null): void {
    const shared = wholeNumber(stride ?? 0, 'stride');
    this.#rows = truncated(this.#rows, wholeNumber(length, 'length'), shared, sideFrom(direction, 'left'));
  }

  #rangeOf(sequence: number): Range {
    return this.#rows.ranges.get(sequence) ?? [0, this.#rows.length];
  }

  #wordAt(token: number): number | null {
    const place = placeOf(this.#rows, token);
    return place ? place.part.source.wordAt(place.index) : null;
  }

  #offsetsAt(token: number): Range | undefined {
    const place = placeOf(this.#rows, token);
    return place && offsetsIn(place.part, place.index);
  }

  #words(): (number | null)[] {
    return columnOf(this.#rows, ({ source }, index) => source.wordAt(index));
  }
}

// For the tokenizer.
export { rowsOf, encodingOf };
