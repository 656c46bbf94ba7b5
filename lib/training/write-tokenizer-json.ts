// Writes a trained vocabulary as a Hugging Face `tokenizer.json`.

import { quotedName, TokenizerError } from '../base/errors.js';
import { byteLevel } from '../vocabularies/decode/bytes.js';
import { FAMILY_PATTERNS, type Family } from '../vocabularies/patterns/families.js';
import type { Split } from '../vocabularies/patterns/compile-pattern.js';

/** The parts to write. */
interface Vocabulary {
  tokens: readonly Uint8Array[];
  merges: readonly (readonly [number, number])[];
  specialTokens: ReadonlyMap<string, number>;
  pretokenizer: string | readonly Split[] | null;
}

/** Throws a TokenizerError for a special token spelled like another token. */
export function tokenizerJson({ tokens, merges, specialTokens, pretokenizer }: Vocabulary): object {
  const texts = tokens.map(byteLevel);
  for (const [text, id] of specialTokens) texts[id] = text;
  const ids = new Map<string, number>();
  texts.forEach((text, id) => {
    if (ids.has(text)) {
      const message = `cannot write tokenizer.json: the ids ${ids.get(text)} and ${id} are both written ${quotedName(text)}`;
      throw new TokenizerError(message, { code: 'DUPLICATE_TOKEN', position: id });
    }
    ids.set(text, id);
  });
  // ByteLevel has GPT-2's pattern built in.
  const patterns = typeof pretokenizer === 'string' ? FAMILY_PATTERNS[pretokenizer as Family] : undefined;
  const isByRegex = patterns === FAMILY_PATTERNS.gpt2;
  const bytes = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: isByRegex };
  const added = Array.from(specialTokens, ([content, id]) => ({
    id,
    content,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
    special: true,
  }));
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: added,
    normalizer: null,
    pre_tokenizer:
      pretokenizer === null || isByRegex
        ? bytes
        : { type: 'Sequence', pretokenizers: [...splitsBy(patterns?.map(isolated) ?? (pretokenizer as readonly Split[])), bytes] },
    post_processor: null,
    decoder: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true },
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: false,
      byte_fallback: false,
      ignore_merges: false,
      vocab: vocabularyOf(ids),
      merges: merges.map(([left, right]) => [texts[left], texts[right]]),
    },
  };
}

function isolated(pattern: string): Split {
  return { pattern, behavior: 'Isolated', invert: false };
}

function splitsBy(splits: readonly Split[]): object[] {
  return splits.map(({ pattern, behavior, invert }) => ({ type: 'Split', pattern: { Regex: pattern }, behavior, invert }));
}

/** A token may be spelled "__proto__". */
function vocabularyOf(ids: Map<string, number>): Record<string, number> {
  return Object.assign(Object.create(null) as Record<string, number>, Object.fromEntries(ids));
}
