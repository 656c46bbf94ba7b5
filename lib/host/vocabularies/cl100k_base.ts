// The vocabulary cl100k_base for the drop-ins in browsers, imported as `#host/cl100k_base`.

import text from '#embedded/cl100k_base';
import { addInlineCartridge } from '../../open/embedded-bytes.js';

addInlineCartridge('cl100k_base', text);
