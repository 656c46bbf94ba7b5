// All of crayon-tokenizer/inline, and the cartridge o200k_base with it.

import text from '../embedded/o200k_base.js';
import { addInlineCartridge } from '../inline-cartridges.js';

addInlineCartridge('o200k_base', text);

export * from '../inline.js';
