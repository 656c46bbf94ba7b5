// `#host` of the drop-ins in pages.

import core from '../embedded/core.js';
import { bytesOfText } from '../open/embedded-bytes.js';
import { tokenizersIn } from './tokenizers-in-page.js';

export const Tokenizer = /* @__PURE__ */ tokenizersIn(() => bytesOfText(core));
