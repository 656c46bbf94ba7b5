// The code for documents: part of the entries for Node; pages load it together with the first engine that has documents.

import { useDocuments } from '../tokenizer/api/documents.js';
import { openDocument } from '../tokenizer/text-document.js';
import { WasmText } from './edited-text.js';
import { useTexts } from './engine.js';

export function installDocuments(): void {
  useTexts(WasmText.open);
  useDocuments(openDocument);
}
