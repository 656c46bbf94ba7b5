// Texts as tokens, spelled as the vocabulary spells them.

import { called, type Defaults, type Model } from './call.js';
import type { TokenNames } from './token-names.js';

/** Nothing is padded or cut. */
export const WHOLE: Defaults = {
  padding_side: 'right',
  truncation_side: 'right',
  model_max_length: Infinity,
  return_token_type_ids: false,
  pad_token_id: undefined,
};

/** The tokens of a text, or of two. `adds`: with the ids around texts. */
export function spelled(model: Model, names: TokenNames, text: string, pair: string | null | undefined, adds: boolean): string[] {
  const asked = { text_pair: pair, add_special_tokens: adds, return_tensor: false };
  const { input_ids, offset_mapping, special_tokens_mask } = called(model, WHOLE, text, {
    ...asked,
    return_offsets_mapping: true,
    return_special_tokens_mask: true,
  }) as { input_ids: number[]; offset_mapping: [number, number][]; special_tokens_mask: number[] };
  const alone = called(model, WHOLE, text, { ...asked, text_pair: undefined, add_special_tokens: false });
  const firsts = (alone.input_ids as number[]).length;
  const unknown = model.tokenizer.modelKind === 'unigram' ? model.tokenizer.unkTokenId : undefined;
  let own = 0;
  return input_ids.map((id, index) => {
    const source = special_tokens_mask[index] ? undefined : own++ < firsts ? text : pair;
    const [start, end] = offset_mapping[index] ?? [0, 0];
    // Unigram spells what is unknown as it is in the text.
    if (id === unknown && source && end > start) return source.slice(start, end);
    return names.nameOf(id) ?? '';
  });
}
