/**
 * `tiktoken/lite/init`: everything in `crayon-tokenizer/tiktoken/lite`, and an `init` that does nothing.
 *
 * @module crayon-tokenizer/tiktoken/lite/init
 */

import lite from './lite.js';

export * from './lite.js';
/**
 * Does nothing: everything works without it.
 *
 * @example
 * ```ts
 * import { get_encoding, init } from 'crayon-tokenizer/tiktoken/init';
 *
 * await init((imports) => imports);
 * get_encoding('gpt2').encode('hello world'); // Uint32Array [31373, 995]
 * ```
 */
export async function init(_callback: (imports: never) => unknown): Promise<void> {}

/** All names as one object. @hidden */
export default { ...lite, init };
