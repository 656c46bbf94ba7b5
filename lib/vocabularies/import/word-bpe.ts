// BPE whose tokens may end a word, by `end_of_word_suffix` (CLIP, GPT-1, HerBERT): the reference puts it behind the last character of a
// word before it looks for its token. So a token ends a word if it has the suffix; but a text may have the same characters.
//
// The text of a single character gives its place in a word, and merged tokens get it from their halves. Any other token matches only a
// whole piece. The reference knows tokens by their ids alone: a token with two places would merge in one as if it were in the other.
// A file with such a token takes the general path. A merge of tokens that are not side by side in any word is never done, and left out.

import { type JsonNode, shown } from './json-node.js';
import { type Merges, mergeNode } from './merges.js';
import type { ModelTokens } from './model-tokens.js';
import { hasLoneSurrogate } from '../../base/text-encodings.js';
import type { CompilerMerges } from '../../engine/compiler.js';
import { joinTokens, type TokenTable } from '../../base/token-table.js';
import { characterMerges } from './character-bpe.js';
import { WORD_END } from '../decode/token-texts.js';

export interface PlacedTokens {
  /** By id; undefined for an id without a token in the model. */
  tokens: (PlacedText | undefined)[];
  /** Ids of tokens that no text produces but as a whole piece. */
  unplaced: number[];
  /** The merges of tokens that may be adjacent. */
  merges: Merges;
}

/** BPE of a file. */
export interface BpeOfFile {
  model: JsonNode;
  tokens: ModelTokens;
  /** All merges. */
  merges: Merges;
  /** The merges of pairs without these tokens. */
  mergesWithout(tokens: ReadonlySet<number>): Merges;
  /** The ids of tokens that merging never makes. */
  onlyAdded: ReadonlySet<number>;
  /** Greater than every id, also of added tokens. */
  limit: number;
}

/** `isCharacter`: whether merging starts from a character. */
export function placedTokens(
  { model, tokens: { ids, texts }, merges, onlyAdded }: BpeOfFile,
  suffix: string,
  isCharacter: (place: PlacedText) => boolean = () => true,
): PlacedTokens {
  const places: (PlacedText | undefined)[] = texts.map((text, id) => {
    if (text === undefined || onlyAdded.has(id)) return undefined;
    const found = charactersIn(text, suffix).filter(isCharacter);
    return found.length > 1 ? twice(model.at('vocab').entry(text), text) : found[0];
  });
  const halvesOf = (at: number) => [texts[merges[at] as number] as string, texts[merges[at + 1] as number] as string] as const;
  const results = Uint32Array.from({ length: merges.length / 2 }, (_, index) => {
    const [left, right] = halvesOf(2 * index);
    return ids.get(left + right) ?? missing(model.at('merges'), left, right);
  });
  const isUsed = new Uint8Array(results.length);
  // Merges mostly follow the merges of their halves.
  for (let isMore = true; isMore; ) {
    isMore = false;
    for (let index = 0; index < results.length; index++) {
      const [a, b] = [places[merges[2 * index] as number], places[merges[2 * index + 1] as number]];
      if (isUsed[index] || !a || !b || a.ends) continue;
      isUsed[index] = 1;
      const id = results[index] as number;
      const place = { text: a.text + b.text, ends: b.ends };
      const known = places[id];
      if (!known) {
        places[id] = place;
        isMore = true;
      } else if (known.text !== place.text || known.ends !== place.ends) {
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
  return { tokens: places, unplaced, merges: merges.filter((_, at) => isUsed[at >> 1]) };
}

function twice(node: JsonNode, text: string): never {
  return node.unsupported(`${shown(text)} in more than one place of a word`);
}

function missing(merges: JsonNode, left: string, right: string): never {
  return mergeNode(merges, left, right).malformed(`tokens of model.vocab, which has no ${shown(left + right)},`);
}

/** A token, and whether it ends a word. */
export interface PlacedText {
  /** Without the suffix. */
  readonly text: string;
  readonly ends: boolean;
}

/** The suffix of a file; empty without one. */
export function wordSuffixOf(model: JsonNode): string {
  const [prefix, suffix] = ['continuing_subword_prefix', 'end_of_word_suffix'].map((key) => markOf(model.at(key)));
  if (prefix !== '') model.at('continuing_subword_prefix').unsupported('marks before the parts of words');
  return suffix as string;
}

function markOf(node: JsonNode): string {
  if (node.isNone) return '';
  return hasLoneSurrogate(node.text()) ? node.malformed('a text without lone surrogates') : node.text();
}

/** The characters that a token may be, inside of a word or at its end: mostly one, or none. */
export function charactersIn(token: string, suffix: string): PlacedText[] {
  const places: PlacedText[] = [{ text: token, ends: false }];
  if (suffix !== '' && token.endsWith(suffix)) places.unshift({ text: token.slice(0, -suffix.length), ends: true });
  return places.filter(({ text }) => text.length <= 2 && [...text].length === 1);
}

// For an engine that merges bytes.
//
// A word is merged with the byte 0xFF after it. So a character c has two units: c, and c FF at the end of a word. A unit that is not
// a token of the file gets a hidden token, so that a character never becomes the token of the other place. The merges that make units
// come before all others: after them, the text is the reference's initial state. As in character-bpe.ts, hidden tokens take part in
// no other merge, and those that remain are unknown.

export interface WordVocabulary {
  /** By id; undefined for an id without a token in the model. */
  tokens: readonly (PlacedText | undefined)[];
  /** Ids of tokens that no text produces but as a whole piece. */
  unplaced: Iterable<number>;
  /** Pairs of ids in the order of merging. */
  merges: Uint32Array;
  /** For units without a token at their place; undefined if every unit has one. */
  unknownId: number | undefined;
  fusesUnknown: boolean;
  /** Greater than every id, also of added tokens. */
  limit: number;
  /** For BPE over bytes: all bytes but those around words, as the file writes them, and how to read them. Default: characters, as
     UTF-8. */
  bytes?: { all: readonly string[]; of(text: string): Uint8Array | undefined };
}

const NOTHING = new Uint8Array(0);

/** Tokens and merges as the engine compiles them. */
export function withWordTokens(vocabulary: WordVocabulary): TokenTable & { merges: CompilerMerges } {
  const { unknownId, fusesUnknown, limit, bytes } = vocabulary;
  const encoder = new TextEncoder();
  const encoded = (text: string) => bytes?.of(text) ?? encoder.encode(text);
  const bytesOf = (text: string, ends: boolean) => (ends ? Uint8Array.of(...encoded(text), WORD_END) : encoded(text));
  const tokens: Uint8Array[] = Array.from({ length: limit }, () => NOTHING);
  const unmatched = new Set(vocabulary.unplaced);
  // The units of characters that are tokens.
  const [inner, ending] = [new Map<string, number>(), new Map<string, number>()];
  vocabulary.tokens.forEach((token, id) => {
    if (!token) return;
    const { text, ends } = token;
    if (text === '') {
      unmatched.add(id);
      return;
    }
    tokens[id] = bytesOf(text, ends);
    if (!unmatched.has(id) && text.length <= 2 && [...text].length === 1) (ends ? ending : inner).set(text, id);
  });
  const characters = new Set(bytes?.all ?? [...inner.keys(), ...ending.keys()]);
  const ofByte = new Int32Array(256).fill(-1);
  for (const [character, id] of inner) {
    const bytesOfCharacter = encoded(character);
    if (bytesOfCharacter.length === 1) ofByte[bytesOfCharacter[0] as number] = id;
  }
  for (let byte = 0; byte < 256; byte++) if (ofByte[byte] === -1) ofByte[byte] = tokens.push(Uint8Array.of(byte)) - 1;
  const innerIds = Array.from(characters, (character) => {
    const bytesOfCharacter = encoded(character);
    return bytesOfCharacter.length === 1
      ? (ofByte[bytesOfCharacter[0] as number] as number)
      : (inner.get(character) ?? tokens.push(bytesOfCharacter) - 1);
  });
  const completing = characterMerges(tokens, innerIds, unmatched, ofByte);
  const end = ofByte[WORD_END] as number;
  for (const character of characters) if (!ending.has(character)) tokens.push(bytesOf(character, true));
  const pairs = Uint32Array.from([...completing, ...innerIds.flatMap((id) => [id, end]), ...vocabulary.merges]);
  let from = limit;
  if (tokens.length === limit) while (from > 1 && tokens[from - 1] === NOTHING && !unmatched.has(from - 1)) from--;
  const hidden = { from, unknownId, fusesUnknown, endsWords: true };
  return { ...joinTokens(tokens), merges: { pairs, unmatched: Uint32Array.from(unmatched).sort(), whole: false, hidden } };
}
