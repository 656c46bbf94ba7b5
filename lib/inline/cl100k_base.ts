// All of crayon-tokenizer/inline, and the cartridge cl100k_base with it.

import text from '../embedded/cl100k_base.js';
import { addInlineCartridge } from '../inline-cartridges.js';

addInlineCartridge('cl100k_base', text);

export * from '../inline.js';
