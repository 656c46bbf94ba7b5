// All of crayon-tokenizer/inline, and the cartridge r50k_base with it.

import text from '../embedded/r50k_base.js';
import { addInlineCartridge } from '../inline-cartridges.js';

addInlineCartridge('r50k_base', text);

export * from '../inline.js';
