// The ranks of r50k_base, for Tiktoken of crayon-tokenizer/js-tiktoken/lite.

import '#host/r50k_base';

import { ranksOf } from '../ranks.js';

export default ranksOf('r50k_base');
