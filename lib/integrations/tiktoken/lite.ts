/**
 * The API of npm `tiktoken/lite`: `Tiktoken` for your own ranks, such as those of `tiktoken/encoders`. It includes no
 * vocabulary, which saves the download in a browser. Differences from tiktoken are listed with
 * `crayon-tokenizer/tiktoken`.
 *
 * @example
 * ```ts
 * import { readFileSync } from 'node:fs';
 * import { createRequire } from 'node:module';
 * import { Tiktoken } from 'crayon-tokenizer/tiktoken/lite';
 *
 * const file = createRequire(import.meta.url).resolve('tiktoken/encoders/cl100k_base.json');
 * const { bpe_ranks, special_tokens, pat_str } = JSON.parse(readFileSync(file, 'utf8'));
 * new Tiktoken(bpe_ranks, special_tokens, pat_str).encode('hello world'); // Uint32Array [15339, 1917]
 * ```
 *
 * @module crayon-tokenizer/tiktoken/lite
 */

import { Tiktoken } from './tiktoken.js';

export { Tiktoken };

/** All names as one object. @hidden */
export default { Tiktoken };
