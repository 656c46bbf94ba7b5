/**
 * `tiktoken/init` is for hosts where users instantiate the WebAssembly module. Here there is nothing to instantiate, and
 * the callback is not called. Everything else equals `crayon-tokenizer/tiktoken`.
 *
 * @module crayon-tokenizer/tiktoken/init
 */

import tiktoken from './index.js';
import { init } from './lite-init.js';

export * from './index.js';
export { init };

/** All names as one object. @hidden */
export default { ...tiktoken, init };
