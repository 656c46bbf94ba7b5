// crayon-tokenizer/inline with the cartridge o200k_base.

import text from '../embedded/o200k_base.js';
import { addInlineCartridge } from '../open/embedded-bytes.js';

addInlineCartridge('o200k_base', text);

export * from '../inline.js';
