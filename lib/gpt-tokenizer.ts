/**
 * The calls of npm gpt-tokenizer 4.0.0 over this package's engine: change the import path, and nothing else.
 * `crayon-tokenizer/gpt-tokenizer` is `o200k_base`; `…/encoding/NAME` is another encoding and `…/model/NAME` that of a
 * model, with its chat format. `…/GptEncoding`, `…/mapping`, `…/models`, `…/modelTypes`, `…/resolveEncoding` and
 * `…/resolveEncodingAsync` are there too.
 *
 * Where that package differs from tiktoken, or from its own documentation, this module does not follow it:
 *
 * - Ids are tiktoken's for every text, those with U+FEFF among them.
 * - Allowed special tokens become their ids wherever they stand in a text, not at its beginning alone.
 * - Special tokens in a `disallowedSpecial` set are an error, as its README says, also beside `allowedSpecial`.
 * - `<|endofprompt|>` of `o200k_base` is 200018, not 200006.
 * - `decode` keeps a leading byte order mark and gives U+FFFD for the bytes of half a character; nothing of one call is
 *   left over for the next.
 * - Chunks of `encodeGenerator` hold whole characters, not whole pieces of the pattern; joined they are the same.
 * - Arguments of a wrong type are a `TypeError` that names them. Other errors have the messages of gpt-tokenizer;
 *   those about special tokens and ids are a `TokenizerError` with a position.
 * - The merge cache does not exist: `setMergeCacheSize` and `clearMergeCache` do nothing.
 *
 * The layout of chats, the ids of chat tokens, and what `estimateCost` and `models` know of models are gpt-tokenizer's
 * own, as of that version. OpenAI publishes no such ids. The prices are unchecked, and they age: pass your own
 * to rely on a cost.
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

export * from './gpt-tokenizer/encoding/o200k_base.js';
export { default } from './gpt-tokenizer/encoding/o200k_base.js';
