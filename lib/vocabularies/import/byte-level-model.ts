// BPE over bytes of a file, which writes each byte as a character.

import type { CompilerModel } from '../../engine/compiler.js';
import type { TokenTable } from '../../base/token-table.js';
import { hasLoneSurrogate } from '../../base/text-encodings.js';
import { ALPHABET, byteLevel, bytesOfByteLevel, putByteLevel } from '../decode/bytes.js';
import { checkTexts, LONGEST_TOKEN } from './model-tokens.js';
import type { JsonNode } from './json-node.js';
import { type BpeOfFile, type PlacedText, placedTokens, withWordTokens, wordSuffixOf } from './word-bpe.js';
import { markedText, WORD_END } from '../decode/token-texts.js';

/** The model of a file with BPE over bytes. */
export function byteLevelModelOf(file: BpeOfFile): TokenTable & CompilerModel {
  const { model, tokens, mergesWithout, onlyAdded } = file;
  const suffix = wordSuffixOf(model);
  if (suffix !== '') return wordsOf(file, suffix);
  const { bytes, offsets, unmatched } = tableOf(model.at('vocab'), tokens.texts, onlyAdded);
  const pairs = mergesWithout(new Set([...unmatched, ...onlyAdded]));
  const whole = model.at('ignore_merges').truth(false);
  for (const byte of ALPHABET)
    if (!tokens.ids.has(byteLevel(Uint8Array.of(byte)))) model.at('vocab').unsupported(`no token for the byte ${byte}`);
  return { bytes, offsets, model: 'bpe', merges: { pairs, unmatched, whole } };
}

/** The model of tokens that may end a word: CLIP. */
function wordsOf(file: BpeOfFile, suffix: string): TokenTable & CompilerModel {
  const { model, tokens, limit } = file;
  checkTexts(tokens.texts, (text) => model.at('vocab').entry(text));
  // The byte behind words occurs nowhere else.
  const isByte = ({ text, ends }: PlacedText) => bytesOfByteLevel(text) !== undefined && !(text === BEHIND_WORDS && ends);
  const placed = placedTokens(file, suffix, isByte);
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
  const table = withWordTokens({ ...placed, unknownId: undefined, fusesUnknown: false, limit, bytes });
  if (table.offsets.length - 1 > limit) model.at('vocab').unsupported('no token for a byte somewhere in a word');
  return { ...table, model: 'bpe' };
}

/** UTF-8 never contains it. */
const BEHIND_WORDS = byteLevel(Uint8Array.of(WORD_END));

/** The bytes of the tokens. A token outside the byte alphabet of the file, or without bytes, is unmatched and gets its UTF-8. */
function tableOf(
  vocab: JsonNode,
  texts: readonly (string | undefined)[],
  onlyAdded: ReadonlySet<number>,
): TokenTable & { unmatched: Uint32Array } {
  let maxBytes = 0;
  for (const text of texts) maxBytes += 3 * (text?.length ?? 0);
  const bytes = new Uint8Array(maxBytes);
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
    const tokenBytes = bytes.subarray(offsets[id], offsets[id + 1]);
    return text === '' || markedText(tokenBytes, suffix, byteLevel) !== text;
  };
  return new Map(texts.flatMap((text, id) => (text !== undefined && isOther(text, id) ? [[id, text] as const] : [])));
}
