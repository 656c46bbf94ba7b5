// `tiktoken/init` is for hosts where users instantiate the WebAssembly module. There is nothing to instantiate here: the
// callback is not called.

export { default } from '../tiktoken.js';
export * from '../tiktoken.js';

/** Does nothing: every other name works before it too. */
export async function init(_callback: (imports: never) => unknown): Promise<void> {}
