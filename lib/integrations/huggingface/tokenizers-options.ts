// The options of npm `tokenizers`, and what they mean here.

import { outOfRange, unexpected } from '../../base/errors.js';
import type { PostProcessorJson } from '../encodings/processors.js';
import type { Pad, Side, Padding, Strategy, Truncation } from '../encodings/encoding-rows.js';
import type { AddedTokenJson } from '../encodings/token-names.js';

export interface TruncationJson {
  direction?: 'Left' | 'Right';
  max_length: number;
  strategy: 'LongestFirst' | 'OnlyFirst' | 'OnlySecond';
  stride: number;
}

export interface PaddingJson {
  strategy: 'BatchLongest' | { Fixed: number };
  direction: 'Left' | 'Right';
  pad_to_multiple_of?: number | null;
  pad_id: number;
  pad_type_id: number;
  pad_token: string;
}

export interface ModelJson {
  type?: string;
  vocab: Record<string, number> | [string, number][];
  merges?: unknown;
  unk_token?: string | null;
  unk_id?: number | null;
  byte_fallback?: boolean;
  continuing_subword_prefix?: string | null;
}

export interface TokenizerJson {
  version?: string;
  truncation?: TruncationJson | null;
  padding?: PaddingJson | null;
  added_tokens?: AddedTokenJson[];
  normalizer?: unknown;
  post_processor?: PostProcessorJson | null;
  model: ModelJson;
}

/** Reads the text of a file. */
export function parsed(source: string): TokenizerJson {
  // Some files begin with a byte order mark, with which npm `tokenizers` refuses them.
  const json: unknown = JSON.parse(source.replace(/^\ufeff/, ''));
  const file = json as TokenizerJson | null;
  if (typeof file?.model?.vocab !== 'object' || file.model.vocab === null)
    throw new TypeError('cannot read the tokenizer.json: it must have a model with a vocab');
  if (file.version === '2.0') throw new TypeError("a tokenizer.json of version 2.0 opens with crayon-tokenizer's own Tokenizer.load()");
  return file;
}

/** A text, or its words if `isPretokenized` is set. */
export type InputSequence = string | string[];

/** An input of `encodeBatch`: a text, or a pair of them. */
export type EncodeInput = InputSequence | [InputSequence, InputSequence];

/**
 * Options of `encode` and `encodeBatch`.
 *
 * @example
 * ```ts
 * import { type EncodeInput, type EncodeOptions, type InputSequence, Tokenizer } from 'crayon-tokenizer/huggingface';
 *
 * const tokenizer = Tokenizer.fromFile('tokenizer.json');
 * const words: InputSequence = ['hello', 'world'];
 * const options: EncodeOptions = { isPretokenized: true };
 * (await tokenizer.encode(words, null, options)).getWordIds(); // [0, 1]
 * const inputs: EncodeInput[] = ['hello', ['hello', 'world']];
 * (await tokenizer.encodeBatch(inputs)).map((encoding) => encoding.getTypeIds()); // [[0], [0, 1]]
 * ```
 */
export interface EncodeOptions {
  /** Whether sequences are lists of words, each of which is encoded by itself. Default false. */
  isPretokenized?: boolean;
  /** Whether the post-processor adds its tokens. Default true. */
  addSpecialTokens?: boolean;
}

/** How to truncate. */
export interface TruncationOptions {
  maxLength?: number;
  /** Which of two sequences loses tokens. Default: the longer one first. */
  strategy?: 'LongestFirst' | 'OnlyFirst' | 'OnlySecond';
  /** The side that is cut off. Default: the right. */
  direction?: 'left' | 'right' | 'Left' | 'Right' | (string & {});
  /** The number of tokens that an overflowing part has in common with the one before. Default 0. */
  stride?: number;
}

/**
 * How to pad.
 *
 * @example
 * ```ts
 * import { type PaddingOptions, Tokenizer, type TruncationOptions } from 'crayon-tokenizer/huggingface';
 *
 * const tokenizer = Tokenizer.fromFile('tokenizer.json');
 * const truncation: TruncationOptions = { direction: 'left' };
 * const padding: PaddingOptions = { maxLength: 3, padId: 1, padToken: '[PAD]' };
 * tokenizer.setTruncation(1, truncation);
 * tokenizer.setPadding(padding);
 * (await tokenizer.encode('hello world')).getIds(); // [3, 1, 1]
 * ```
 */
export interface PaddingOptions {
  /** The length of all encodings. Default: the longest one's of a batch. */
  maxLength?: number;
  /** The side that padding goes to: 0 or `'left'`, 1 or `'right'`. Default: the right. */
  direction?: 'left' | 'right' | (string & {}) | 0 | 1;
  padToMultipleOf?: number;
  /** Default 0. */
  padId?: number;
  /** Default 0. */
  padTypeId?: number;
  /** Default `'[PAD]'`. */
  padToken?: string;
}

const STRATEGIES: Readonly<Record<TruncationJson['strategy'], Strategy>> = {
  LongestFirst: 'longest_first',
  OnlyFirst: 'only_first',
  OnlySecond: 'only_second',
};

export function truncationFrom(maxLength: unknown, options: TruncationOptions = {}): TruncationJson {
  const { strategy = 'LongestFirst', direction, stride = 0 } = options;
  if (!Object.hasOwn(STRATEGIES, strategy)) throw unexpected(`one of ${Object.keys(STRATEGIES).join(', ')}`, 'strategy', strategy);
  return {
    direction: sideFrom(direction) === 'left' ? 'Left' : 'Right',
    max_length: wholeNumber(maxLength, 'maxLength'),
    strategy,
    stride: wholeNumber(stride, 'stride'),
  };
}

export function paddingFrom(options: PaddingOptions = {}): PaddingJson {
  const { maxLength, padToMultipleOf } = options;
  const { id, typeId, token, side } = padFrom(options);
  return {
    strategy: maxLength == null ? 'BatchLongest' : { Fixed: wholeNumber(maxLength, 'maxLength') },
    direction: side === 'left' ? 'Left' : 'Right',
    pad_to_multiple_of: padToMultipleOf == null ? null : wholeNumber(padToMultipleOf, 'padToMultipleOf'),
    pad_id: id,
    pad_type_id: typeId,
    pad_token: token,
  };
}

export function padFrom({ direction, padId = 0, padTypeId = 0, padToken = '[PAD]' }: PaddingOptions = {}): Pad {
  if (typeof padToken !== 'string') throw unexpected('a string', 'padToken', padToken);
  return { id: wholeNumber(padId, 'padId'), typeId: wholeNumber(padTypeId, 'padTypeId'), token: padToken, side: sideFrom(direction) };
}

/** The truncation that a file asks for. */
export function truncationIn(json: TruncationJson | null | undefined): Truncation | undefined {
  return json ? { maxLength: json.max_length, strategy: STRATEGIES[json.strategy], stride: json.stride, side: sideOf(json) } : undefined;
}

/** The padding that a file asks for. */
export function paddingIn(json: PaddingJson | null | undefined): Padding | undefined {
  if (!json) return undefined;
  const { strategy, pad_to_multiple_of: multiple, pad_id: id, pad_type_id: typeId, pad_token: token } = json;
  const length = strategy === 'BatchLongest' ? undefined : strategy.Fixed;
  return { length, multiple: multiple ?? undefined, id, typeId, token, side: sideOf(json) };
}

function sideOf({ direction }: Pick<TruncationJson, 'direction'>): Side {
  return direction === 'Left' ? 'left' : 'right';
}

export function sideFrom(direction: unknown, otherwise: Side = 'right'): Side {
  if (direction == null) return otherwise;
  if (direction === 0) return 'left';
  if (direction === 1) return 'right';
  const side = typeof direction === 'string' ? direction.toLowerCase() : direction;
  if (side === 'left' || side === 'right') return side;
  throw unexpected("'left' or 'right'", 'direction', direction);
}

/** A number of tokens, or an id. */
export function wholeNumber(value: unknown, name: string): number {
  if (typeof value !== 'number') throw unexpected('a number', name, value);
  if (!Number.isInteger(value) || value < 0 || value >= 2 ** 32) throw outOfRange('a whole number from 0 on', name, value);
  return value;
}

/** Options of an added token. */
export interface AddedTokenOptions {
  /** Whether it is found only as a whole word. Default false. */
  singleWord?: boolean;
  /** Whether it includes the whitespace before it. Default false. */
  leftStrip?: boolean;
  /** Whether it includes the whitespace after it. Default false. */
  rightStrip?: boolean;
  /** Whether it is searched for in normalized text. Default: unless it is special. */
  normalized?: boolean;
}

let addedTokenOf: (token: AddedToken) => Omit<AddedTokenJson, 'id'>;

/**
 * A token for `Tokenizer.addAddedTokens`.
 *
 * @example
 * ```ts
 * import { AddedToken, type AddedTokenOptions, Tokenizer } from 'crayon-tokenizer/huggingface';
 *
 * const tokenizer = Tokenizer.fromFile('tokenizer.json');
 * const options: AddedTokenOptions = { leftStrip: true };
 * tokenizer.addAddedTokens([new AddedToken('<end>', true, options)]); // 1
 * (await tokenizer.encode('hello <end>')).getTokens(); // ['hello', ' <end>']
 * ```
 */
export class AddedToken {
  readonly #json: Omit<AddedTokenJson, 'id'>;

  static {
    addedTokenOf = (token) => {
      if (typeof token !== 'object' || token === null || !(#json in token)) throw unexpected('an AddedToken', 'token', token);
      return token.#json;
    };
  }

  /**
   * A token, and whether it is special: `decode` can leave out special tokens.
   *
   * @example
   * ```ts
   * import { AddedToken } from 'crayon-tokenizer/huggingface';
   *
   * new AddedToken('<mask>', true, { leftStrip: true }).getContent(); // '<mask>'
   * ```
   */
  constructor(token: string, isSpecial: boolean, options?: AddedTokenOptions | null) {
    if (typeof token !== 'string') throw unexpected('a string', 'token', token);
    const { singleWord = false, leftStrip = false, rightStrip = false, normalized = !isSpecial } = options ?? {};
    this.#json = { content: token, single_word: singleWord, lstrip: leftStrip, rstrip: rightStrip, normalized, special: isSpecial };
  }

  /**
   * The text of the token.
   *
   * @example
   * ```ts
   * import { AddedToken } from 'crayon-tokenizer/huggingface';
   *
   * new AddedToken('<end>', true).getContent(); // '<end>'
   * ```
   */
  getContent(): string {
    return this.#json.content;
  }
}

// For the tokenizer.
export { addedTokenOf };
