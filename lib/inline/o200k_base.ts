// crayon-tokenizer/inline with the cartridge o200k_base.

import text from '../embedded/o200k_base.js';
import { addInlineCartridge } from '../open/inline-cartridges.js';

addInlineCartridge('o200k_base', text);

export * from '../inline.js';
