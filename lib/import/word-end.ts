// `end_of_word_suffix`: the tokens that end words, such as `photo</w>` of CLIP.
//
// For the engine they end with a byte that no text has, 0xFF, and each word with it, too. Merging it with the last byte comes before
// all else; so a word begins as the reference's does, whose last unit is one with the suffix.

import type { Merges } from './merges.js';
import { mergeNode } from './merges.js';
import type { ModelTokens } from './model-tokens.js';
import { type JsonNode, shown } from './json-node.js';
import { ALPHABET, byteLevel } from './byte-level.js';

/** The byte, and how ByteLevel writes it. */
export const WORD_END = 0xff;
const AS_TEXT = byteLevel(Uint8Array.of(WORD_END));

/** The suffix of a file, undefined without one. */
export function suffixOf(model: JsonNode): string | undefined {
  const suffix = model.at('end_of_word_suffix');
  return suffix.isNone || suffix.text() === '' ? undefined : suffix.text();
}

/** The text of a token without the suffix; undefined if it does not end a word. */
export function withoutSuffix(text: string, suffix: string | undefined): string | undefined {
  return suffix !== undefined && text.length > suffix.length && text.endsWith(suffix) ? text.slice(0, -suffix.length) : undefined;
}

/** Whether the bytes of a token that is none of a word's end are as if it were one. */
export function looksEnded(text: string): boolean {
  return text.endsWith(AS_TEXT);
}

/** The merges that end words, before all others. Throws a TokenizerError where a token could be the end of a word or not. */
export function withWordEnds(model: JsonNode, suffix: string, { ids, texts }: ModelTokens, merges: Merges): Merges {
  if (suffix.length < 2) model.at('end_of_word_suffix').unsupported('a suffix of one character is not supported');
  for (let at = 0; at < merges.length; at += 2) {
    const [left, right] = [texts[merges[at] as number] as string, texts[merges[at + 1] as number] as string];
    const isEnd = withoutSuffix(right, suffix) !== undefined;
    if (isEnd === `${left}${right}`.endsWith(suffix) && !left.endsWith(suffix)) continue;
    const node = mergeNode(model.at('merges'), left, right);
    node.unsupported(`${shown(`${left}${right}`)} with ${shown(suffix)} inside of a word is not supported`);
  }
  for (const text of ids.keys()) {
    if (text !== AS_TEXT && looksEnded(text))
      model.at('vocab').entry(text).unsupported('a token that ends with the byte 255 is not supported');
  }
  const end = ids.get(AS_TEXT);
  // What has no token for it is refused as such.
  if (end === undefined) return merges;
  const ends = Array.from(ALPHABET, (byte) => {
    const text = byteLevel(Uint8Array.of(byte));
    const id = ids.get(text);
    if (!ids.has(text + suffix))
      model.at('vocab').unsupported(`without ${shown(text + suffix)}, words that end with it are unknown, which`);
    return id === undefined ? [] : [id, end];
  });
  return Uint32Array.from([...ends.flat(), ...merges]);
}
