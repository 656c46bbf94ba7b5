// crayon-tokenizer/inline with the cartridge o200k_base; scripts/entries.mjs makes the others of it.

import text from '#embedded/o200k_base';
import { addInlineCartridge } from '../vocabularies/open/embedded-bytes.js';

addInlineCartridge('o200k_base', text);

export * from '../inline.js';
