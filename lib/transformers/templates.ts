// The ids around texts, and how chats are rendered.

import { encodeWithOffsets } from '../tokenizer/encoding.js';
import { type Templates, templatesOf } from '../vocabulary/metadata.js';
import type { Vocabulary } from '../vocabulary/vocabulary.js';

/** Has an id, and no space that offsets could leave out. */
const PROBE = 'a';

/** The templates of a vocabulary, by what it does to a text: `encodeWithOffsets` gives ids around a text no place in it. */
export function templatesIn(vocabulary: Vocabulary): Templates {
  const alone = encodeWithOffsets(vocabulary, PROBE);
  const { ids, offsets } = encodeWithOffsets(vocabulary, PROBE, { addSpecialTokens: true });
  const begins = (places: Uint32Array) => places.findIndex((place) => place > 0) >> 1;
  const before = begins(offsets) - begins(alone.offsets);
  const prefix = Array.from(ids.subarray(0, before));
  const suffix = Array.from(ids.subarray(before + alone.ids.length));
  const { description, metadata } = vocabulary;
  return templatesOf({ ...description, prefix, suffix }, metadata);
}
