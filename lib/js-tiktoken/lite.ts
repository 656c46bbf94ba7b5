/**
 * The API of npm `js-tiktoken/lite`: `Tiktoken` for your own ranks, such as those of
 * `crayon-tokenizer/js-tiktoken/ranks/NAME`. It includes no vocabulary, which saves the download in a browser.
 * Differences from js-tiktoken are listed with `crayon-tokenizer/js-tiktoken`.
 *
 * @example
 * ```ts
 * import { Tiktoken } from 'crayon-tokenizer/js-tiktoken/lite';
 * import cl100k_base from 'crayon-tokenizer/js-tiktoken/ranks/cl100k_base';
 *
 * new Tiktoken(cl100k_base).encode('hello world'); // [15339, 1917]
 * ```
 *
 * @module crayon-tokenizer/js-tiktoken/lite
 */

export { getEncodingNameForModel, type TiktokenEncoding, type TiktokenModel } from './encoding-names.js';
export type { TiktokenBPE } from './ranks.js';
export { Tiktoken } from './tiktoken.js';
