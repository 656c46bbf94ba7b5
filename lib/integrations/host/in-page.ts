// `#host` of the drop-ins in pages.

import core from '#embedded/core';
import { bytesOfText } from '../../vocabularies/open/embedded-bytes.js';
import { openedBy } from './opening-in-page.js';

export * as compiling from './compiling-in-page.js';
export { importedNow } from './importing-in-page.js';
export { chatAtOnce, modelAt, readText, Tokenizer, writeText } from './loading-in-page.js';

export const open = /* @__PURE__ */ openedBy(() => bytesOfText(core));

/** What compiles would be a download of its own. */
export const importedHere = undefined;
