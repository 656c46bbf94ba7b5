// `end_of_word_suffix` of BPE (CLIP, GPT-1, HerBERT): the reference puts it behind the last character of a word before it looks for
// its token. So a token ends a word if it has the suffix; but a text may have the same characters (word-places.ts).

import { hasLoneSurrogate } from '../open/utf8-text.js';
import type { JsonNode } from './json-node.js';

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
