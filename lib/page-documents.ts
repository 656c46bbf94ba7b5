// The code for documents, which pages load with the first tokenizer that is loaded for them.

export { openDocument } from './api/text-document.js';
export { openText } from './hosts/module/module-documents.js';
