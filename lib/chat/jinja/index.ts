// Jinja templates with all parts at once, for synchronous rendering, as in tests. The product loads the rare parts when a
// template first needs them (lib/chat/parts.ts).

import '../all-parts.js';

export * from './template.js';
