// Texts that are edited.

import { fromCaller, TokenizerError } from '../../base/errors.js';
import type { DocumentOptions, openDocument, TextDocument } from '../text-document.js';
import { engineOf, vocabularyOf } from './open-tokenizer.js';
import { PairTokenizer } from './pairs.js';

let open: typeof openDocument | undefined;

/** Enables `document`. Pages load the code for it with the first tokenizer that is loaded for documents. */
export function useDocuments(module: typeof openDocument): void {
  open = module;
}

/** A tokenizer that also keeps texts while they are edited. */
export class DocumentTokenizer extends PairTokenizer {
  /**
   * A text that grows and is edited, with its ids after every edit: the same as one `encode` of the whole text, at the cost of
   * what changes. It keeps the current vocabulary, whatever `swap` does later; after the tokenizer's `close`, calls throw
   * (`CLOSED`).
   *
   * @example
   * ```ts
   * using text = tokenizer.document('hello');
   * text.append(' world'); // { from: 1, removed: 0, inserted: 1 }
   * text.ids; // Uint32Array [24912, 2375]
   * ```
   */
  document(text: string | Uint8Array = '', options?: DocumentOptions): TextDocument {
    try {
      if (open) return open(engineOf(this), text, options);
      void vocabularyOf(this).description; // throws if the tokenizer is closed
      const message = 'cannot open a document: what edits texts is not loaded; load the tokenizer with { documents: true }';
      throw new TokenizerError(message, { code: 'FEATURE_MISSING' });
    } catch (error) {
      throw fromCaller(error, DocumentTokenizer.prototype.document);
    }
  }
}
