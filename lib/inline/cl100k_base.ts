// crayon-tokenizer/inline with the cartridge cl100k_base.

import text from '../embedded/cl100k_base.js';
import { addInlineCartridge } from '../open/inline-cartridges.js';

addInlineCartridge('cl100k_base', text);

export * from '../inline.js';
