// crayon-tokenizer/inline with the cartridge cl100k_base.

import text from '../embedded/cl100k_base.js';
import { addInlineCartridge } from '../open/embedded-bytes.js';

addInlineCartridge('cl100k_base', text);

export * from '../inline.js';
