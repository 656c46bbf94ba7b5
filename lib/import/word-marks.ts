// `continuing_subword_prefix` and `end_of_word_suffix` of BPE: marks in the texts of tokens for their place in a word.
//
// The reference puts the prefix in front of every character of a word but the first, and the suffix behind the last one, before
// it looks for their tokens; when two tokens merge, the right one loses its prefix. So a token begins a word if it is without the
// prefix, and ends one if it has the suffix; but a text may have the same characters (word-places.ts). In a cartridge, the bytes
// of a token that begins a word begin with 0xFE, and the bytes of one that ends a word end with 0xFF: bytes that no text has.

import { hasLoneSurrogate } from '../open/utf8-text.js';
import type { JsonNode } from './json-node.js';

export const WORD_BEGIN = 0xfe;
export const WORD_END = 0xff;

/** Empty texts for marks that the file lacks. */
export interface WordMarks {
  readonly prefix: string;
  readonly suffix: string;
}

/** A token, and where in a word it is. */
export interface PlacedText {
  /** Without the marks. */
  readonly text: string;
  readonly begins: boolean;
  readonly ends: boolean;
}

/** The marks of a file; undefined without any. */
export function wordMarksOf(model: JsonNode): WordMarks | undefined {
  const [prefix, suffix] = ['continuing_subword_prefix', 'end_of_word_suffix'].map((key) => markOf(model.at(key))) as [string, string];
  return prefix === '' && suffix === '' ? undefined : { prefix, suffix };
}

function markOf(node: JsonNode): string {
  if (node.isNone) return '';
  return hasLoneSurrogate(node.text()) ? node.malformed('a text without lone surrogates') : node.text();
}

/** The characters that a token may be, by where in a word it is: mostly one, or none. */
export function charactersIn(token: string, { prefix, suffix }: WordMarks): PlacedText[] {
  const places = [true, false].flatMap((begins) => [true, false].map((ends) => ({ begins, ends })));
  return places.flatMap(({ begins, ends }) => {
    const [before, after] = [begins ? '' : prefix, ends ? suffix : ''];
    if ((!begins && before === '') || (ends && after === '')) return [];
    const length = token.length - before.length - after.length;
    if (length < 1 || length > 2 || !token.startsWith(before) || !token.endsWith(after)) return [];
    const text = token.slice(before.length, before.length + length);
    return [...text].length === 1 ? [{ text, begins, ends }] : [];
  });
}

/** Reads the bytes of a token; `textOf` reads those between the marks. */
export function markedText(bytes: Uint8Array, marks: Partial<WordMarks>, textOf: (bytes: Uint8Array) => string): string {
  const { prefix = '', suffix = '' } = marks;
  const ends = suffix !== '' && bytes.at(-1) === WORD_END;
  const own = ends ? bytes.subarray(0, -1) : bytes;
  const begins = prefix === '' || own[0] === WORD_BEGIN;
  const text = textOf(prefix !== '' && begins ? own.subarray(1) : own);
  return `${begins ? '' : prefix}${text}${ends ? suffix : ''}`;
}
