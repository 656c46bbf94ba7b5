// All of crayon-tokenizer/inline, and the cartridge lite with it.

import text from '../embedded/lite.js';
import { addInlineCartridge } from '../inline-cartridges.js';

addInlineCartridge('lite', text);

export * from '../inline.js';
