// The vocabulary r50k_base for the drop-ins in browsers, imported as `#host/r50k_base`.

import text from '#embedded/r50k_base';
import { addInlineCartridge } from '../../open/embedded-bytes.js';

addInlineCartridge('r50k_base', text);
