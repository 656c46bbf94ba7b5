// What the drop-ins need of Node, which they import as `#host`. In pages the bundler uses in-page.ts instead, which has the same names.
// A drop-in gets only the modules whose names it imports.

export { importedNow, importedNow as importedHere } from './importing-in-node.js';
export { chatAtOnce, modelAt, open, readText, Tokenizer, writeText } from './loading-in-node.js';
export * as compiling from './loading-in-node.js';
