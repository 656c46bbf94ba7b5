// crayon-tokenizer/inline with the cartridge p50k_base.

import text from '../embedded/p50k_base.js';
import { addInlineCartridge } from '../open/embedded-bytes.js';

addInlineCartridge('p50k_base', text);

export * from '../inline.js';
