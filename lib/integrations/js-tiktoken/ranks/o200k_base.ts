// The ranks of o200k_base, for Tiktoken of crayon-tokenizer/js-tiktoken/lite. scripts/entries.mjs makes the modules of other encodings from
// this one.

import '#host/o200k_base';

import { ranksOf } from '../rank-values.js';

export default ranksOf('o200k_base');
