// Conversations, with all parts of the renderer: they render without waiting.

import { installParts } from '../all-parts.js';

export { HarmonySource } from './harmony-source.js';
export { State } from './state.js';
export { TemplateSource } from './template-source.js';

installParts();
