// Templates in Jinja with all their parts at once: for those who render without waiting, as tests do. The product loads the rare
// parts when a template first needs them (lib/chat/parts.ts).

import '../all-parts.js';

export * from './template.js';
