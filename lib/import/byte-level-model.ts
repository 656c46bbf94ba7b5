// BPE over bytes of a file, which writes each byte as a character.

import type { CompilerModel, HiddenTokens } from '../compile/compiler.js';
import type { TokenTable } from '../open/token-table.js';
import { hasLoneSurrogate } from '../open/utf8-text.js';
import { ALPHABET, byteLevel, bytesOfByteLevel, putByteLevel } from './byte-level.js';
import type { Merges } from './merges.js';
import { LONGEST_TOKEN, type ModelTokens } from './model-tokens.js';
import { type JsonNode, shown } from './json-node.js';
import { looksEnded, suffixOf, withoutSuffix, WORD_END, withWordEnds } from './word-end.js';

/**
 * `mergesWithout`: those without the pairs of some tokens. `onlyAdded`: ids of tokens that merging never makes. `limit`: greater
 * than every id, also of added tokens.
 */
export function byteLevelModelOf(
  model: JsonNode,
  tokens: ModelTokens,
  mergesWithout: (left: ReadonlySet<number>) => Merges,
  onlyAdded: ReadonlySet<number>,
  limit: number,
): TokenTable & CompilerModel {
  const suffix = suffixOf(model);
  const { bytes, offsets, unmatched } = tableOf(model.at('vocab'), tokens.texts, onlyAdded, suffix);
  const pairs = mergesWithout(new Set([...unmatched, ...onlyAdded]));
  const whole = model.at('ignore_merges').truth(false);
  if (suffix === undefined) {
    const missing = ALPHABET.filter((byte) => !tokens.ids.has(byteLevel(Uint8Array.of(byte))));
    if (missing.length === 0) return { bytes, offsets, model: 'bpe', merges: { pairs, unmatched, whole } };
    const hidden = withoutToken(model, tokens, pairs, limit);
    return { ...withBytes({ bytes, offsets }, missing, limit), model: 'bpe', merges: { pairs, unmatched, whole, hidden } };
  }
  let from = offsets.length - 1;
  while (offsets[from] === offsets[from - 1] && unmatched.at(-1) !== from - 1) from--;
  const hidden = { from, fusesUnknown: false, endsWords: true };
  const merges = { pairs: withWordEnds(model, suffix, tokens, pairs), unmatched, whole, hidden };
  return { bytes, offsets: offsets.subarray(0, from + 1), model: 'bpe', merges };
}

/** What becomes of bytes without a token, which are hidden ones. Throws a TokenizerError where the engine cannot do that. */
function withoutToken(model: JsonNode, { ids }: ModelTokens, pairs: Merges, from: number): HiddenTokens {
  const fallback = model.at('byte_fallback');
  if (fallback.truth(false)) fallback.unsupported('a byte without a token is not supported with it');
  const unknown = model.at('unk_token');
  const unknownId = unknown.isNone ? undefined : ids.get(unknown.text());
  const isWhole = model.at('ignore_merges');
  if (unknown.isNone && isWhole.truth(false)) isWhole.unsupported('without unk_token, a byte without a token is not supported with it');
  if (!unknown.isNone && unknownId === undefined) unknown.malformed(`a token of model.vocab, which has no ${shown(unknown.text())},`);
  if (unknownId !== undefined && pairs.includes(unknownId))
    unknown.unsupported('a token that merges is not supported for bytes without one');
  return { from, unknownId, fusesUnknown: model.at('fuse_unk').truth(false), onlyBytes: true };
}

/** The tokens, and bytes from the id `from` on. */
function withBytes({ bytes, offsets }: TokenTable, more: Uint8Array, from: number): TokenTable {
  const all = new Uint8Array(bytes.length + more.length);
  all.set(bytes);
  all.set(more, bytes.length);
  const ends = new Uint32Array(from + more.length + 1).fill(bytes.length);
  ends.set(offsets);
  for (let index = 0; index < more.length; index++) ends[from + index + 1] = bytes.length + index + 1;
  return { bytes: all, offsets: ends };
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
