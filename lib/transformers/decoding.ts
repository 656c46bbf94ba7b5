// Ids as text.

import { cleanedUp } from './clean-up.js';
import type { Model } from './call.js';
import { idsOf, type TokenIds } from './ids.js';
import type { DecodeOptions } from './options.js';

/** The text of a list of ids, or of a tensor with one row. */
export function decoded(model: Model, ids: TokenIds, options: DecodeOptions): string {
  const decoded = model.changed.decode(idsOf(ids), options.skip_special_tokens === true);
  const text = model.settings.spacesEndsOfWords ? decoded.replaceAll('</w>', ' ').trim() : decoded;
  const cleans = options.clean_up_tokenization_spaces ?? model.settings.cleansUp;
  // What cleaning takes from BPE is text: Python ignores the option, too.
  return cleans && model.vocabulary.description.model !== 'bpe' ? cleanedUp(text) : text;
}
