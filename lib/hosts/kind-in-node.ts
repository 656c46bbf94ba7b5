// Which backend a call in Node uses, where there are two.

import { missing } from './addon/addon.js';
import type { KindOf } from '../vocabularies/open/load-options.js';
import { hasWasm } from './module/modules-in-node.js';
import { variable } from '../base/environment.js';

/**
 * The requested backend, or the previous one; otherwise the addon, or WebAssembly if the addon is missing. A requested addon that fails
 * to load is an error, not a reason to fall back.
 */
export const kindInNode: KindOf = ({ backend }, before) =>
  backend ?? before?.kind ?? (missing && !variable('CRAYON_ADDON') && hasWasm() ? 'wasm' : 'native');
