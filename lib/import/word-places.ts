// Where in a word the tokens of BPE over characters are (word-marks.ts), by how they are made: those of a character by their texts,
// and those that merge by their halves. A token that neither makes is in no text but as a whole piece, whatever its own text says.
//
// The reference knows tokens by their ids alone: one that has two places would merge as one of them where it is the other. Such a
// file is refused. A merge of tokens that are not side by side in any word is never done, and left out.

import { type JsonNode, shown } from './json-node.js';
import { mergedText, type Merges, mergeNode } from './merges.js';
import type { ModelTokens } from './model-tokens.js';
import { charactersIn, type PlacedText, type WordMarks } from './word-marks.js';

export interface PlacedTokens {
  /** By id; undefined for one that is no token of the model. */
  tokens: (PlacedText | undefined)[];
  /** Ids of tokens that no text produces but as a whole piece. */
  unplaced: number[];
  /** Those of tokens that may be side by side. */
  merges: Merges;
}

/** `onlyAdded`: ids of tokens that merging never makes. `isCharacter`: whether merging begins with a character. */
export function placedTokens(
  model: JsonNode,
  marks: WordMarks,
  { ids, texts }: ModelTokens,
  merges: Merges,
  onlyAdded: ReadonlySet<number>,
  isCharacter: (place: PlacedText) => boolean = () => true,
): PlacedTokens {
  const places: (PlacedText | undefined)[] = texts.map((text, id) => {
    if (text === undefined || onlyAdded.has(id)) return undefined;
    const found = charactersIn(text, marks).filter(isCharacter);
    return found.length > 1 ? twice(model.at('vocab').entry(text), text) : found[0];
  });
  const halvesOf = (at: number) => [texts[merges[at] as number] as string, texts[merges[at + 1] as number] as string] as const;
  const made = Uint32Array.from({ length: merges.length / 2 }, (_, index) => {
    const [left, right] = halvesOf(2 * index);
    const id = right.startsWith(marks.prefix) ? ids.get(mergedText(left, right, marks.prefix)) : undefined;
    if (id !== undefined) return id;
    const node = mergeNode(model.at('merges'), left, right);
    if (!right.startsWith(marks.prefix))
      node.unsupported(`${shown(right)} without ${shown(marks.prefix)} inside of a word is not supported`);
    return node.malformed(`tokens of model.vocab, which has no ${shown(mergedText(left, right, marks.prefix))},`);
  });
  const kept = new Uint8Array(made.length);
  // Merges mostly come after those that make their halves.
  for (let isMore = true; isMore; ) {
    isMore = false;
    for (let index = 0; index < made.length; index++) {
      const [a, b] = [places[merges[2 * index] as number], places[merges[2 * index + 1] as number]];
      if (kept[index] || !a || !b || a.ends || (b.begins && marks.prefix !== '')) continue;
      kept[index] = 1;
      const id = made[index] as number;
      const place = { text: a.text + b.text, begins: a.begins, ends: b.ends };
      const own = places[id];
      if (!own) {
        places[id] = place;
        isMore = true;
      } else if (own.text !== place.text || own.begins !== place.begins || own.ends !== place.ends) {
        twice(mergeNode(model.at('merges'), ...halvesOf(2 * index)), texts[id] as string);
      }
    }
  }
  const unplaced: number[] = [];
  texts.forEach((text, id) => {
    if (places[id] || text === undefined || onlyAdded.has(id)) return;
    places[id] = { text, begins: true, ends: false };
    unplaced.push(id);
  });
  return { tokens: places, unplaced, merges: merges.filter((_, at) => kept[at >> 1]) };
}

function twice(node: JsonNode, text: string): never {
  return node.unsupported(`${shown(text)} in more than one place of a word is not supported`);
}
