// crayon-tokenizer/inline with the cartridge lite.

import text from '../embedded/lite.js';
import { addInlineCartridge } from '../open/embedded-bytes.js';

addInlineCartridge('lite', text);

export * from '../inline.js';
