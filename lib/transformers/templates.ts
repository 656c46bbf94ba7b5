// The ids around texts, and how chats are rendered.

import type { Tokenizer } from '../tokenizer/tokenizer.js';
import { type Templates, templatesOf } from '../vocabulary/pieces.js';

/** Has an id, and no space that offsets could leave out. */
const PROBE = 'a';

/** The templates of a vocabulary, by what it does to a text: `encodeWithOffsets` gives ids around a text no place in it. */
export function templatesIn(tokenizer: Tokenizer): Templates {
  const alone = tokenizer.encodeWithOffsets(PROBE);
  const { ids, offsets } = tokenizer.encodeWithOffsets(PROBE, { addSpecialTokens: true });
  const begins = (places: Uint32Array) => places.findIndex((place) => place > 0) >> 1;
  const before = begins(offsets) - begins(alone.offsets);
  const prefix = Array.from(ids.subarray(0, before));
  const suffix = Array.from(ids.subarray(before + alone.ids.length));
  const { name, vocabularySize, metadata } = tokenizer;
  return templatesOf({ name, prefix, suffix, vocabularySize } as unknown as Parameters<typeof templatesOf>[0], metadata);
}
