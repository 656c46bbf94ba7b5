// BPE over bytes of a file, which writes each byte as a character.

import type { CompilerModel } from '../compile/compiler.js';
import type { TokenTable } from '../open/token-table.js';
import { hasLoneSurrogate } from '../open/utf8-text.js';
import { bytesOfByteLevel, putByteLevel } from './byte-level.js';
import type { Merges } from './merges.js';
import { LONGEST_TOKEN, type ModelTokens } from './model-tokens.js';
import type { JsonNode } from './json-node.js';
import { looksEnded, suffixOf, withoutSuffix, WORD_END, withWordEnds } from './word-end.js';

/** `mergesWithout`: those without the pairs of some tokens. `onlyAdded`: ids of tokens that merging never makes. */
export function byteLevelModelOf(
  model: JsonNode,
  tokens: ModelTokens,
  mergesWithout: (left: ReadonlySet<number>) => Merges,
  onlyAdded: ReadonlySet<number>,
): TokenTable & CompilerModel {
  const suffix = suffixOf(model);
  // unk_token, fuse_unk and byte_fallback are for characters without a token; all 256 have one.
  const { bytes, offsets, unmatched } = tableOf(model.at('vocab'), tokens.texts, onlyAdded, suffix);
  const pairs = mergesWithout(new Set([...unmatched, ...onlyAdded]));
  const whole = model.at('ignore_merges').truth(false);
  if (suffix === undefined) return { bytes, offsets, model: 'bpe', merges: { pairs, unmatched, whole } };
  let from = offsets.length - 1;
  while (offsets[from] === offsets[from - 1] && unmatched.at(-1) !== from - 1) from--;
  const hidden = { from, fusesUnknown: false, endsWords: true };
  const merges = { pairs: withWordEnds(model, suffix, tokens, pairs), unmatched, whole, hidden };
  return { bytes, offsets: offsets.subarray(0, from + 1), model: 'bpe', merges };
}

/** The bytes of the tokens; those that are no bytes in the alphabet of the file are unmatched, and are their UTF-8, as is one without any. */
function tableOf(
  vocab: JsonNode,
  texts: readonly (string | undefined)[],
  onlyAdded: ReadonlySet<number>,
  suffix: string | undefined,
): TokenTable & { unmatched: Uint32Array } {
  let most = 0;
  for (const text of texts) most += 3 * (text?.length ?? 0);
  const bytes = new Uint8Array(most);
  const offsets = new Uint32Array(texts.length + 1);
  const unmatched: number[] = [];
  const encoder = new TextEncoder();
  let at = 0;
  texts.forEach((text, id) => {
    if (text !== undefined && !onlyAdded.has(id)) {
      const word = withoutSuffix(text, suffix);
      let end = text === suffix ? -1 : putByteLevel(word ?? text, bytes, at);
      if (word !== undefined && end >= 0) bytes[end++] = WORD_END;
      if (end === at) unmatched.push(id);
      if (end < 0) {
        if (hasLoneSurrogate(text)) vocab.entry(text).malformed('well-formed texts');
        unmatched.push(id);
        end = at + encoder.encodeInto(text, bytes.subarray(at)).written;
      }
      const length = end - at;
      if (length > LONGEST_TOKEN) vocab.entry(text).unsupported(`${length} bytes are too many: at most ${LONGEST_TOKEN} are supported`);
      at = end;
    }
    offsets[id + 1] = at;
  });
  return { bytes: bytes.slice(0, at), offsets, unmatched: Uint32Array.from(unmatched) };
}

/** The texts of tokens that are none of bytes, as ByteLevel writes them, or have none. */
export function textsOfByteLevel(texts: readonly (string | undefined)[], suffix?: string): Map<number, string> {
  const isOther = (text: string) => {
    if (text === '' || text === suffix || (suffix !== undefined && looksEnded(text))) return true;
    return bytesOfByteLevel(withoutSuffix(text, suffix) ?? text) === undefined;
  };
  return new Map(texts.flatMap((text, id) => (text !== undefined && isOther(text) ? [[id, text] as const] : [])));
}
