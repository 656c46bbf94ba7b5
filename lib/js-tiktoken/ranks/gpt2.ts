// The ranks of gpt2, for Tiktoken of crayon-tokenizer/js-tiktoken/lite.

import '#host/r50k_base';

import { ranksOf } from '../ranks.js';

export default ranksOf('gpt2');
