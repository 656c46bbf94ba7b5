// crayon-tokenizer/inline with the cartridge lite.

import text from '../embedded/lite.js';
import { addInlineCartridge } from '../open/inline-cartridges.js';

addInlineCartridge('lite', text);

export * from '../inline.js';
