// All of crayon-tokenizer/inline, and the cartridge p50k_base with it.

import text from '../embedded/p50k_base.js';
import { addInlineCartridge } from '../inline-cartridges.js';

addInlineCartridge('p50k_base', text);

export * from '../inline.js';
