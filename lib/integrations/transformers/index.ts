// A drop-in replacement: this folder names no backend and loads vocabularies only through #host.

/**
 * Tokenizers in the shape of transformers.js on this package's engine, with what Python's transformers have besides: offsets,
 * `stride` and overflowing tokens, truncation strategies, `continue_final_message`.
 *
 * Results are Python's where the two differ. docs/guide/transformers.md lists the differences.
 *
 * @example
 * ```ts
 * import { AutoTokenizer } from 'crayon-tokenizer/transformers';
 *
 * const vocab = { '[UNK]': 0, hello: 1, world: 2 };
 * const tokenizer = await AutoTokenizer.from_pretrained({
 *   'tokenizer.json': { model: { type: 'WordLevel', unk_token: '[UNK]', vocab }, pre_tokenizer: { type: 'Whitespace' } },
 * });
 * tokenizer(['hello world', 'hello']).input_ids; // [[1, 2], [1]]
 * ```
 *
 * @module crayon-tokenizer/transformers
 */

export { AutoTokenizer, env, type FromPretrainedOptions } from './auto-tokenizer.js';
export type { ApplyChatTemplateOptions, CallOptions, DecodeOptions, FitOptions, TokenizeOptions } from './call-options.js';
export type { BatchEncoding, TensorClass } from './encoded.js';
export type { FileContent, ModelFiles } from './model-files.js';
export type { TokenIds } from './call-decoding.js';
export { PreTrainedTokenizer } from './pretrained-tokenizer.js';
