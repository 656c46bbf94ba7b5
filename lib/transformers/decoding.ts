// Ids as text.

import { cleanedUp } from './clean-up.js';
import type { Model } from './call.js';
import { idsOf, type TokenIds } from './ids.js';
import type { DecodeOptions } from './options.js';

/** The text of a list of ids, or of a tensor with one row. */
export function decoded({ tokenizer, settings, added }: Model, ids: TokenIds, options: DecodeOptions): string {
  const { specialIds, normalized } = added;
  const skips = options.skip_special_tokens === true;
  const keepsSome = skips && normalized.size > 0;
  const given = idsOf(ids);
  const read = keepsSome ? given.filter((id) => !specialIds.has(id) || normalized.has(id)) : given;
  const text = tokenizer.decode(read, { skipSpecialTokens: skips && !keepsSome });
  const cleans = options.clean_up_tokenization_spaces ?? settings.cleansUp;
  // What cleaning takes from BPE is text: Python ignores the option, too.
  return cleans && tokenizer.modelKind !== 'bpe' ? cleanedUp(text) : text;
}
