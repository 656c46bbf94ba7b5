// The code for documents: part of the entries for Node; pages load it with the first tokenizer that is loaded for them.

export { openDocument } from '../tokenizer/text-document.js';
export { WasmText } from './edited-text.js';
