/**
 * `tiktoken/init` is for hosts where users instantiate the WebAssembly module. There is nothing to instantiate here: the
 * callback is not called. Everything else is that of `crayon-tokenizer/tiktoken`.
 *
 * @module crayon-tokenizer/tiktoken/init
 */

import tiktoken from './index.js';
import { init } from './instantiate.js';

export * from './index.js';
export { init };

/** All names as one object. @hidden */
export default { ...tiktoken, init };
