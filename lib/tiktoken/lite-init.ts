/**
 * `tiktoken/lite/init`: everything in `crayon-tokenizer/tiktoken/lite`, and an `init` that does nothing.
 *
 * @module crayon-tokenizer/tiktoken/lite/init
 */

import { init } from './instantiate.js';
import lite from './lite.js';

export * from './lite.js';
export { init };

/** All names as one object. @hidden */
export default { ...lite, init };
