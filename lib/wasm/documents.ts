// The code for documents: part of the entries for Node; pages load it with the first tokenizer that is loaded for them.

import { useDocuments } from '../tokenizer/api/documents.js';
import { openDocument } from '../tokenizer/text-document.js';
import { WasmText } from './edited-text.js';
import { useTexts } from './engine.js';

export function installDocuments(): void {
  useTexts(WasmText.open);
  useDocuments(openDocument);
}
