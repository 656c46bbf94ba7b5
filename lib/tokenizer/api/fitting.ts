// Texts within a limit of tokens.

import { fromCaller } from '../../base/errors.js';
import { viewsLike } from '../../base/views.js';
import { type EncodeOptions, policyOf, textBytes } from '../arguments.js';
import { failureInText } from '../failures.js';
import {
  checkedLimit,
  checkedSide,
  checkedSplit,
  countWithin,
  fitted,
  partNumbers,
  partsIn,
  SPLIT_OPTIONS,
  type SplitOptions,
  type TextPart,
  TRUNCATE_OPTIONS,
  type TruncateOptions,
} from '../fitting.js';
import { templateOf } from '../template.js';
import { EncodingTokenizer } from './encoding.js';
import { engineOf, vocabularyOf } from './open-tokenizer.js';

/** An open vocabulary that also cuts texts. */
export class FittingTokenizer extends EncodingTokenizer {
  /**
   * The number of tokens of a text if it is at most `limit`, else false. Counting stops at the limit, so the cost depends
   * on the limit, not on the length of the text; the text after it is not read. A stretch that cannot be cut, as a word of a
   * megabyte, is read to its end where it may be a single token.
   *
   * @example
   * ```ts
   * tokenizer.isWithinLimit('hello world', 2); // 2
   * tokenizer.isWithinLimit('hello world', 1); // false
   * ```
   */
  isWithinLimit(text: string | Uint8Array, limit: number, options?: EncodeOptions): number | false {
    try {
      const most = checkedLimit(limit, 'limit', 0);
      const policy = policyOf(options, vocabularyOf(this));
      const { size } = templateOf(options, vocabularyOf(this));
      const checked = typeof text === 'string' ? text : textBytes(text, 'text');
      const count = most < size ? false : countWithin(engineOf(this), checked, most - size, policy);
      return count === false ? false : count + size;
    } catch (error) {
      throw fromCaller(failureInText(error, text, vocabularyOf(this)), FittingTokenizer.prototype.isWithinLimit);
    }
  }

  /**
   * Cuts a text to `limit` tokens: keeps the beginning, or with `side: 'left'` the end. The result has at most `limit`
   * tokens when encoded alone. The cut is between two tokens of the text and cuts no grapheme cluster apart that fits; the guide
   * on splitting has the rule. A text within the limit is returned as it is; if not even one character fits, the result is empty.
   * The cost depends on the limit, not on the
   * length of the text. For bytes the result is a view.
   *
   * @example
   * ```ts
   * tokenizer.truncate('hello world, how are you?', 2); // 'hello world'
   * tokenizer.truncate('hello world, how are you?', 2, { side: 'left' }); // ' you?'
   * ```
   */
  truncate(text: string, limit: number, options?: TruncateOptions): string;
  truncate(text: Uint8Array, limit: number, options?: TruncateOptions): Uint8Array;
  truncate(text: string | Uint8Array, limit: number, options?: TruncateOptions): string | Uint8Array;
  truncate(text: string | Uint8Array, limit: number, options?: TruncateOptions): string | Uint8Array {
    try {
      const most = checkedLimit(limit, 'limit', 0);
      const policy = policyOf(options, vocabularyOf(this), TRUNCATE_OPTIONS);
      const side = checkedSide(options);
      const own = Math.max(0, most - templateOf(options, vocabularyOf(this)).size);
      if (typeof text === 'string') return fitted(engineOf(this), text, own, side, policy);
      const bytes = textBytes(text, 'text');
      const kept = fitted(engineOf(this), bytes, own, side, policy);
      return kept === bytes ? text : (viewsLike(text, bytes, [kept])[0] as Uint8Array);
    } catch (error) {
      throw fromCaller(failureInText(error, text, vocabularyOf(this)), FittingTokenizer.prototype.truncate);
    }
  }

  /**
   * Cuts a text into parts of at most `maxTokens` tokens each when encoded alone, in order. Without `overlap` the parts
   * joined are the text; with it, each part begins with that many of the previous part's last tokens, or fewer. Cuts are
   * between tokens and cut no grapheme cluster apart that fits, or at the `separators` you choose: paragraphs, sentences, headings,
   * code blocks. The guide has the rule. For bytes the parts are views. Takes about twice as long as encoding the text, and three
   * to six times for separators or for parts of a few tokens; with an overlap, the tokens that parts share count again.
   *
   * Throws a `RangeError` if one character needs more than `maxTokens` tokens.
   *
   * @example
   * ```ts
   * tokenizer.split('hello world, how are you?', { maxTokens: 3 }); // ['hello world,', ' how are you', '?']
   * tokenizer.split('hello world, how are you?', { maxTokens: 3, overlap: 1 }).length; // 3
   * tokenizer.split('How are you? I am fine.', { maxTokens: 6, separators: 'text' }); // ['How are you?', ' I am fine.']
   * tokenizer.split('hello world', { maxTokens: 1, withOffsets: true })[1]; // { text: ' world', start: 5, end: 11, tokens: 1 }
   * ```
   */
  split(text: string, options: SplitOptions & { withOffsets: true }): TextPart[];
  split(text: Uint8Array, options: SplitOptions & { withOffsets: true }): TextPart<Uint8Array>[];
  split(text: string, options: SplitOptions & { withOffsets?: false | undefined }): string[];
  split(text: Uint8Array, options: SplitOptions & { withOffsets?: false | undefined }): Uint8Array[];
  split(text: string | Uint8Array, options: SplitOptions & { withOffsets?: false | undefined }): string[] | Uint8Array[];
  split(text: string | Uint8Array, options: SplitOptions): string[] | Uint8Array[] | TextPart[] | TextPart<Uint8Array>[];
  split(text: string | Uint8Array, options: SplitOptions): string[] | Uint8Array[] | TextPart[] | TextPart<Uint8Array>[] {
    try {
      const call = checkedSplit(options, templateOf(options, vocabularyOf(this)));
      const policy = policyOf(options, vocabularyOf(this), SPLIT_OPTIONS);
      const plain = typeof text === 'string' ? text : textBytes(text, 'text');
      const parts = partsIn(text, plain, partNumbers(engineOf(this), plain, call.form, policy), call);
      for (;;) {
        const { done, value } = parts.next();
        if (done) return value as string[];
      }
    } catch (error) {
      throw fromCaller(failureInText(error, text, vocabularyOf(this)), FittingTokenizer.prototype.split);
    }
  }
}
