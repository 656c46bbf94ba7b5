/**
 * `tiktoken/init` is for hosts where users instantiate the WebAssembly module. There is nothing to instantiate here: the
 * callback is not called. Everything else is that of `crayon-tokenizer/tiktoken`.
 *
 * @module crayon-tokenizer/tiktoken/init
 */

import tiktoken from '../tiktoken.js';

export * from '../tiktoken.js';

/**
 * Does nothing: every other name works before it too.
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
export default { ...tiktoken, init };
