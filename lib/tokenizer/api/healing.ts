// How the next tokens begin: tokens with a prefix, and prompts that end inside a longer token.

import { fromCaller } from '../../base/errors.js';
import type { UnsharedUint32Array } from '../../base/typed-arrays.js';
import type { TokenIds } from '../arguments.js';
import { failureInIds, failureInText } from '../failures.js';
import { type Healing, healing, type HealingOptions, type PrefixOptions, tokensWithPrefix } from '../healing.js';
import { DocumentTokenizer } from './documents.js';
import { engineOf, vocabularyOf } from './open-tokenizer.js';

/** A tokenizer that also heals prompts. */
export class HealingTokenizer extends DocumentTokenizer {
  /**
   * The ids of all tokens whose bytes, as from `tokenBytes`, begin with a string or with bytes, in ascending order: what a model
   * may say next if the text must go on like that. Without `addedTokens`, special and other added tokens do not count.
   *
   * The first call sorts the vocabulary, which takes about 0.2 s for 200,000 tokens and some 3 MB until `swap` or `close`.
   *
   * @example
   * ```ts
   * tokenizer.tokensWithPrefix(' tokeniz'); // Uint32Array [99665, 192720]
   * tokenizer.tokensWithPrefix('<|end', { addedTokens: true }); // Uint32Array [199999, 200018]
   * ```
   */
  tokensWithPrefix(prefix: string | Uint8Array, options?: PrefixOptions): UnsharedUint32Array {
    try {
      return tokensWithPrefix(engineOf(this), vocabularyOf(this), prefix, options);
    } catch (error) {
      throw fromCaller(error, HealingTokenizer.prototype.tokensWithPrefix);
    }
  }

  /**
   * Token healing: where to step back in a prompt, so that the model can go on with tokens that span its end. Removes as many of
   * the last tokens as possible such that their bytes, joined, are the beginning of a longer token; `prefix` is these bytes, and
   * the next tokens must begin with it. Nothing is removed at or before an added token or the unknown token, nor across the
   * beginning of a word of WordPiece, nor if the text ends in something that has no token, such as a space after a word of BERT.
   *
   * `prompt`: a text as a string, or its ids. With `addedTokens`, the longer token may be an added one.
   *
   * @example
   * ```ts
   * const { ids, removed, prefix } = tokenizer.healing('The link is <a href="http:');
   * removed; // 1
   * new TextDecoder().decode(prefix); // ':'
   * tokenizer.decode(ids); // 'The link is <a href="http'
   * ```
   */
  healing(prompt: string | TokenIds, options?: HealingOptions): Healing {
    try {
      return healing(engineOf(this), vocabularyOf(this), prompt, options);
    } catch (error) {
      const vocabulary = vocabularyOf(this);
      const explained = typeof prompt === 'string' ? failureInText(error, prompt, vocabulary) : failureInIds(error, prompt, vocabulary);
      throw fromCaller(explained, HealingTokenizer.prototype.healing);
    }
  }
}
