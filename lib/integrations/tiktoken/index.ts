// A drop-in replacement: this folder names no backend and loads vocabularies only through #host.

/**
 * The API of npm `tiktoken` on this package's engine: change only the import.
 *
 * Arguments, results and meaningful error messages are as in tiktoken 1.0.22. These differences are intended:
 *
 * - No freeing is needed: the garbage collector releases an unreachable encoder. `free()` works as in tiktoken.
 * - Where tiktoken traps inside WebAssembly ("unreachable", "unwrap_throw", "memory access out of bounds"), or accepts
 *   values of a wrong type as text, ids or special tokens, this throws an error that names the argument: a `TypeError`
 *   or `RangeError`, or a `TokenizerError` for an unknown id or token and for a freed encoder.
 * - Names of models newer than tiktoken's are known. The encodings are tiktoken's six.
 * - If one special token begins with another, the longest match is found; in tiktoken the choice is undefined.
 * - `new Tiktoken` accepts only the patterns of tiktoken's encodings, as tiktoken for Python, for npm or js-tiktoken
 *   spell them. Its ranks must have all 256 single bytes and merge upwards, as trained ones do.
 * - `encode_with_unstable` rejects a text whose last piece may be longer than 1024 bytes, and returns the completions
 *   in a different order (tiktoken's is that of a hash table).
 *
 * `crayon-tokenizer/tiktoken/lite` has only `Tiktoken`, for your own ranks, and includes no vocabulary in browsers.
 * `crayon-tokenizer/tiktoken/init` and `crayon-tokenizer/tiktoken/lite/init` add an `init` that does nothing.
 *
 * Examples without imports continue this one:
 *
 * @example
 * ```ts
 * import { encoding_for_model, get_encoding } from 'crayon-tokenizer/tiktoken';
 *
 * const encoding = get_encoding('cl100k_base');
 * const tokens = encoding.encode('hello world');
 * tokens; // Uint32Array [15339, 1917]
 * new TextDecoder().decode(encoding.decode(tokens)); // 'hello world'
 * encoding.free();
 *
 * encoding_for_model('gpt-4o').encode('<|endoftext|>', 'all'); // Uint32Array [199999]
 * ```
 *
 * @module crayon-tokenizer/tiktoken
 */

import '#host/r50k_base';
import '#host/p50k_base';
import '#host/cl100k_base';
import '#host/o200k_base';

import { atCaller, unexpected } from '../../base/errors.js';
import { compiling } from '#host';
import { encodingForModel } from '../../vocabularies/models.js';
import { isEncoding, type TiktokenEncoding, type TiktokenModel } from './encoding-names.js';
import { readSpecialTokens, Tiktoken } from './tiktoken.js';

export { Tiktoken };
export type { TiktokenEncoding, TiktokenModel };

/**
 * Opens an encoding by name. `extend_special_tokens`: names and ids of additional special tokens.
 *
 * @example
 * ```ts
 * get_encoding('gpt2').encode('hello world'); // Uint32Array [31373, 995]
 * ```
 */
export function get_encoding(encoding: TiktokenEncoding, extend_special_tokens?: Record<string, number>): Tiktoken {
  return atCaller(get_encoding, () => {
    if (typeof encoding !== 'string') throw unexpected('the name of an encoding', 'encoding', encoding);
    if (!isEncoding(encoding)) throw new Error('Invalid encoding');
    return openEncoding(encoding, extend_special_tokens);
  });
}

/**
 * Opens the encoding of a model.
 *
 * @example
 * ```ts
 * encoding_for_model('text-davinci-003').name; // 'p50k_base'
 * ```
 */
export function encoding_for_model(model: TiktokenModel, extend_special_tokens?: Record<string, number>): Tiktoken {
  return atCaller(encoding_for_model, () => openEncoding(encodingOf(model), extend_special_tokens));
}

/**
 * The name of a model's encoding.
 *
 * @example
 * ```ts
 * import { get_encoding_name_for_model, type TiktokenEncoding, type TiktokenModel } from 'crayon-tokenizer/tiktoken';
 *
 * const model: TiktokenModel = 'gpt-4o-mini';
 * const encoding: TiktokenEncoding = get_encoding_name_for_model(model);
 * encoding; // 'o200k_base'
 * ```
 */
export function get_encoding_name_for_model(model: TiktokenModel): TiktokenEncoding {
  return atCaller(get_encoding_name_for_model, () => encodingOf(model));
}

function encodingOf(model: unknown): TiktokenEncoding {
  if (typeof model !== 'string') throw unexpected('the name of a model', 'model', model);
  const encoding = encodingForModel(model);
  if (encoding === undefined || !isEncoding(encoding)) throw new Error(`Invalid model: ${model}`);
  return encoding;
}

function openEncoding(encoding: string, extend_special_tokens: unknown): Tiktoken {
  const added = readSpecialTokens(extend_special_tokens, 'extend_special_tokens');
  const vocabulary = compiling.open(encoding);
  const special = added.size === 0 ? vocabulary.specialIds : new Map([...vocabulary.specialIds, ...added]);
  return new Tiktoken(vocabulary, special, encoding);
}

/** All names as one object: tiktoken is a CommonJS module in Node, so its exports can also be imported this way. @hidden */
export default { get_encoding, encoding_for_model, get_encoding_name_for_model, Tiktoken };
