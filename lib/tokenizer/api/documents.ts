// Texts that are edited.

import { fromCaller } from '../../base/errors.js';
import { checkOptionNames } from '../../base/options.js';
import { DOCUMENT_OPTIONS, type DocumentOptions, openDocument, type TextDocument } from '../text-document.js';
import { engineOf } from './open-tokenizer.js';
import { PairTokenizer } from './pairs.js';

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
      if (options !== undefined) checkOptionNames(options, DOCUMENT_OPTIONS);
      const { special, unit } = options ?? {};
      return openDocument(engineOf(this), text, { special, unit });
    } catch (error) {
      throw fromCaller(error, DocumentTokenizer.prototype.document);
    }
  }
}
