// The vocabulary o200k_base for the drop-ins in browsers, imported as `#host/o200k_base`.

import text from '#embedded/o200k_base';
import { addInlineCartridge } from '../../open/embedded-bytes.js';

addInlineCartridge('o200k_base', text);
