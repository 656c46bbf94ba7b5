// The places in a word of the tokens of BPE over characters (word-marks.ts). The text of a single character gives its place, and
// merged tokens get it from their halves. Any other token matches only a whole piece, whatever its own text says.
//
// The reference knows tokens by their ids alone: a token with two places would merge in one as if it were in the other. Such a
// file takes the general path. A merge of tokens that are not side by side in any word is never done, and left out.

import { type JsonNode, shown } from './json-node.js';
import { type Merges, mergeNode } from './merges.js';
import type { ModelTokens } from './model-tokens.js';
import { charactersIn, type PlacedText } from './word-marks.js';

export interface PlacedTokens {
  /** By id; undefined for an id without a token in the model. */
  tokens: (PlacedText | undefined)[];
  /** Ids of tokens that no text produces but as a whole piece. */
  unplaced: number[];
  /** The merges of tokens that may be adjacent. */
  merges: Merges;
}

/** `onlyAdded`: ids of tokens that merging never makes. `isCharacter`: whether merging starts from a character. */
export function placedTokens(
  model: JsonNode,
  suffix: string,
  { ids, texts }: ModelTokens,
  merges: Merges,
  onlyAdded: ReadonlySet<number>,
  isCharacter: (place: PlacedText) => boolean = () => true,
): PlacedTokens {
  const places: (PlacedText | undefined)[] = texts.map((text, id) => {
    if (text === undefined || onlyAdded.has(id)) return undefined;
    const found = charactersIn(text, suffix).filter(isCharacter);
    return found.length > 1 ? twice(model.at('vocab').entry(text), text) : found[0];
  });
  const halvesOf = (at: number) => [texts[merges[at] as number] as string, texts[merges[at + 1] as number] as string] as const;
  const made = Uint32Array.from({ length: merges.length / 2 }, (_, index) => {
    const [left, right] = halvesOf(2 * index);
    return ids.get(left + right) ?? missing(model.at('merges'), left, right);
  });
  const kept = new Uint8Array(made.length);
  // Merges mostly follow the merges of their halves.
  for (let isMore = true; isMore; ) {
    isMore = false;
    for (let index = 0; index < made.length; index++) {
      const [a, b] = [places[merges[2 * index] as number], places[merges[2 * index + 1] as number]];
      if (kept[index] || !a || !b || a.ends) continue;
      kept[index] = 1;
      const id = made[index] as number;
      const place = { text: a.text + b.text, ends: b.ends };
      const own = places[id];
      if (!own) {
        places[id] = place;
        isMore = true;
      } else if (own.text !== place.text || own.ends !== place.ends) {
        twice(mergeNode(model.at('merges'), ...halvesOf(2 * index)), texts[id] as string);
      }
    }
  }
  const unplaced: number[] = [];
  texts.forEach((text, id) => {
    if (places[id] || text === undefined || onlyAdded.has(id)) return;
    places[id] = { text, ends: false };
    unplaced.push(id);
  });
  return { tokens: places, unplaced, merges: merges.filter((_, at) => kept[at >> 1]) };
}

function twice(node: JsonNode, text: string): never {
  return node.unsupported(`${shown(text)} in more than one place of a word`);
}

function missing(merges: JsonNode, left: string, right: string): never {
  return mergeNode(merges, left, right).malformed(`tokens of model.vocab, which has no ${shown(left + right)},`);
}
