// The vocabulary p50k_base for the drop-ins in browsers, imported as `#host/p50k_base`.

import text from '#embedded/p50k_base';
import { addInlineCartridge } from '../../open/embedded-bytes.js';

addInlineCartridge('p50k_base', text);
