// `tiktoken/init` is for hosts where users instantiate the WebAssembly module. There is nothing to instantiate here:
// the callback is not called.

import tiktoken from '../tiktoken.js';

export * from '../tiktoken.js';

/** Does nothing: every other name works before it too. */
export async function init(_callback: (imports: never) => unknown): Promise<void> {}

export default { ...tiktoken, init };
