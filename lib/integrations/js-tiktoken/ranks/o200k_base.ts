// The ranks of o200k_base, for Tiktoken of crayon-tokenizer/js-tiktoken/lite; scripts/entries.mjs makes those of other encodings of it.

import '#host/o200k_base';

import { ranksOf } from '../rank-values.js';

export default ranksOf('o200k_base');
