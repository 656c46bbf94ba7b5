// The ranks of p50k_edit, for Tiktoken of crayon-tokenizer/js-tiktoken/lite.

import '#host/p50k_base';

import { ranksOf } from '../ranks.js';

export default ranksOf('p50k_edit');
