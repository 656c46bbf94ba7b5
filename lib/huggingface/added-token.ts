// A token to add, with its options.

import { unexpected } from '../base/errors.js';
import type { AddedTokenJson } from '../encodings/token-names.js';

/**
 * Options of an added token.
 *
 * @example
 * ```ts
 * import { AddedToken, type AddedTokenOptions } from 'crayon-tokenizer/huggingface';
 *
 * const options: AddedTokenOptions = { leftStrip: true };
 * new AddedToken('<mask>', true, options).getContent(); // '<mask>'
 * ```
 */
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
 * import { AddedToken, Tokenizer } from 'crayon-tokenizer/huggingface';
 *
 * const tokenizer = Tokenizer.fromFile('tokenizer.json');
 * tokenizer.addAddedTokens([new AddedToken('<end>', true, { leftStrip: true })]); // 1
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
