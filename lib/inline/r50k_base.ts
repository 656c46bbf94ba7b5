// crayon-tokenizer/inline with the cartridge r50k_base.

import text from '../embedded/r50k_base.js';
import { addInlineCartridge } from '../open/embedded-bytes.js';

addInlineCartridge('r50k_base', text);

export * from '../inline.js';
