// The ranks of cl100k_base, for Tiktoken of crayon-tokenizer/js-tiktoken/lite.

import '#host/cl100k_base';

import { ranksOf } from '../ranks.js';

export default ranksOf('cl100k_base');
