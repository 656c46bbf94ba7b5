// `#host` of the drop-ins in pages.

import core from '../embedded/core.js';
import { bytesOfText } from '../open/embedded-bytes.js';
import { openedBy } from './opening-in-page.js';

export const open = /* @__PURE__ */ openedBy(() => bytesOfText(core));
