// A drop-in replacement: this folder names no backend and loads vocabularies only through #host.

/**
 * The API of npm gpt-tokenizer 4.0.0 on this package's engine: change only the import path.
 * `crayon-tokenizer/gpt-tokenizer` is `o200k_base`; `…/encoding/NAME` is another encoding and `…/model/NAME` a model's,
 * with its chat format. `…/GptEncoding`, `…/mapping`, `…/models`, `…/modelTypes`, `…/resolveEncoding` and
 * `…/resolveEncodingAsync` exist too.
 *
 * Where that package deviates from tiktoken, or from its own documentation, this module does not follow it:
 *
 * - Ids equal tiktoken's for every text, including texts with U+FEFF.
 * - Allowed special tokens become their ids anywhere in a text, not only at its beginning.
 * - Special tokens in a `disallowedSpecial` set are an error, as that package's README says, also in combination with
 *   `allowedSpecial`.
 * - `<|endofprompt|>` of `o200k_base` is 200018, not 200006.
 * - `decode` keeps a leading byte order mark and returns U+FFFD for an incomplete character; no state is carried over
 *   to the next call.
 * - Chunks of `encodeGenerator` hold whole characters, not whole pieces of the pattern; joined they are the same.
 * - Arguments of a wrong type throw a `TypeError` that names them. Other errors have gpt-tokenizer's messages; errors
 *   about special tokens and ids are a `TokenizerError` with a position.
 * - There is no merge cache: `setMergeCacheSize` and `clearMergeCache` do nothing.
 *
 * The chat formats, the ids of chat tokens, and the model data of `estimateCost` and `models` come from that version of
 * gpt-tokenizer. OpenAI publishes no such ids. The prices are unchecked and change over time: pass your own if a cost
 * matters.
 *
 * @example
 * ```ts
 * import { countTokens, decode, encode, isWithinTokenLimit } from 'crayon-tokenizer/gpt-tokenizer';
 *
 * encode('hello world'); // [24912, 2375]
 * countTokens('hello world'); // 2
 * isWithinTokenLimit('hello world', 1); // false
 * decode([24912, 2375]); // 'hello world'
 * ```
 *
 * @module crayon-tokenizer/gpt-tokenizer
 */

export * from './encoding/o200k_base.js';
export { default } from './encoding/o200k_base.js';
