// BPE over bytes of a file, which writes each byte as a character.

import type { CompilerModel, HiddenTokens } from '../compile/compiler.js';
import type { TokenTable } from '../open/token-table.js';
import { hasLoneSurrogate } from '../open/utf8-text.js';
import { ALPHABET, byteLevel, bytesOfByteLevel, putByteLevel } from './byte-level.js';
import type { Merges } from './merges.js';
import { checkTexts, LONGEST_TOKEN, type ModelTokens } from './model-tokens.js';
import { type JsonNode, shown } from './json-node.js';
import { withWordTokens } from './word-characters.js';
import { markedText, type PlacedText, WORD_END, wordSuffixOf } from './word-marks.js';
import { placedTokens } from './word-places.js';

/**
 * `merges`: all of them; `mergesWithout`: those without the pairs of some tokens. `onlyAdded`: ids of tokens that merging never
 * makes. `limit`: greater than every id, also of added tokens.
 */
export function byteLevelModelOf(
  model: JsonNode,
  tokens: ModelTokens,
  merges: Merges,
  mergesWithout: (left: ReadonlySet<number>) => Merges,
  onlyAdded: ReadonlySet<number>,
  limit: number,
): TokenTable & CompilerModel {
  const suffix = wordSuffixOf(model);
  if (suffix !== '') return wordsOf(model, suffix, tokens, merges, onlyAdded, limit);
  const { bytes, offsets, unmatched } = tableOf(model.at('vocab'), tokens.texts, onlyAdded);
  const pairs = mergesWithout(new Set([...unmatched, ...onlyAdded]));
  const whole = model.at('ignore_merges').truth(false);
  const missing = ALPHABET.filter((byte) => !tokens.ids.has(byteLevel(Uint8Array.of(byte))));
  if (missing.length === 0) return { bytes, offsets, model: 'bpe', merges: { pairs, unmatched, whole } };
  const hidden = withoutToken(model, tokens, merges, limit);
  return { ...withBytes({ bytes, offsets }, missing, limit), model: 'bpe', merges: { pairs, unmatched, whole, hidden } };
}

/** The model of tokens that may end a word: CLIP. */
function wordsOf(
  model: JsonNode,
  suffix: string,
  tokens: ModelTokens,
  merges: Merges,
  onlyAdded: ReadonlySet<number>,
  limit: number,
): TokenTable & CompilerModel {
  checkTexts(tokens.texts, (text) => model.at('vocab').entry(text));
  // The byte behind words occurs nowhere else.
  const isByte = ({ text, ends }: PlacedText) => bytesOfByteLevel(text) !== undefined && !(text === BEHIND_WORDS && ends);
  const placed = placedTokens(model, suffix, tokens, merges, onlyAdded, isByte);
  const unplaced = new Set(placed.unplaced);
  placed.tokens.forEach((token, id) => {
    if (!token || token.text.length < 2 || unplaced.has(id) || !token.text.includes(BEHIND_WORDS)) return;
    model
      .at('vocab')
      .entry(tokens.texts[id] as string)
      .unsupported('a token of several bytes with 255');
  });
  const all = Array.from(ALPHABET, (byte) => byteLevel(Uint8Array.of(byte))).filter((byte) => byte !== BEHIND_WORDS);
  const bytes = { all, of: bytesOfByteLevel };
  const rules = { ...placed, limit, bytes };
  const complete = withWordTokens({ ...rules, unknownId: undefined, fusesUnknown: false });
  const isComplete = complete.offsets.length - 1 === limit;
  const { unknownId, fusesUnknown } = isComplete
    ? { unknownId: undefined, fusesUnknown: false }
    : withoutToken(model, tokens, merges, limit);
  const table = isComplete ? complete : withWordTokens({ ...rules, unknownId, fusesUnknown });
  if (!isComplete && unknownId === undefined) {
    model.at('unk_token').unsupported('none for a byte without a token somewhere in a word');
  }
  return { ...table, model: 'bpe' };
}

/** UTF-8 never contains it. */
const BEHIND_WORDS = byteLevel(Uint8Array.of(WORD_END));

/** How bytes without a token, which get hidden tokens, are encoded. Throws a TokenizerError if the engine cannot do that. */
function withoutToken(model: JsonNode, { ids }: ModelTokens, merges: Merges, from: number): HiddenTokens {
  const fallback = model.at('byte_fallback');
  if (fallback.truth(false)) fallback.unsupported('a byte without a token');
  const unknown = model.at('unk_token');
  const unknownId = unknown.isNone ? undefined : ids.get(unknown.text());
  const isWhole = model.at('ignore_merges');
  if (unknown.isNone && isWhole.truth(false)) isWhole.unsupported('a byte without a token, and no unk_token');
  if (!unknown.isNone && unknownId === undefined) unknown.malformed(`a token of model.vocab, which has no ${shown(unknown.text())},`);
  if (unknownId !== undefined && merges.includes(unknownId)) unknown.unsupported('a token that merges, for bytes without one');
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

/** The bytes of the tokens. A token outside the byte alphabet of the file, or without bytes, is unmatched and gets its UTF-8. */
function tableOf(
  vocab: JsonNode,
  texts: readonly (string | undefined)[],
  onlyAdded: ReadonlySet<number>,
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
      let end = putByteLevel(text, bytes, at);
      if (end === at) unmatched.push(id);
      if (end < 0) {
        if (hasLoneSurrogate(text)) vocab.entry(text).malformed('well-formed texts');
        unmatched.push(id);
        end = at + encoder.encodeInto(text, bytes.subarray(at)).written;
      }
      const length = end - at;
      if (length > LONGEST_TOKEN) vocab.entry(text).unsupported(`${length} bytes, more than ${LONGEST_TOKEN}`);
      at = end;
    }
    offsets[id + 1] = at;
  });
  return { bytes: bytes.slice(0, at), offsets, unmatched: Uint32Array.from(unmatched) };
}

/** The texts of tokens whose bytes do not determine them. */
export function textsOfByteLevel(
  texts: readonly (string | undefined)[],
  { bytes, offsets }: TokenTable,
  suffix: string,
): Map<number, string> {
  const isOther = (text: string, id: number) => {
    const own = bytes.subarray(offsets[id], offsets[id + 1]);
    return text === '' || markedText(own, suffix, byteLevel) !== text;
  };
  return new Map(texts.flatMap((text, id) => (text !== undefined && isOther(text, id) ? [[id, text] as const] : [])));
}
