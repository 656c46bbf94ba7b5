// BPE over characters or bytes whose tokens may end a word (word-places.ts), for an engine that merges bytes.
//
// A word is merged with the byte 0xFF after it. So a character c has two units: c, and c FF at the end of a word. A unit that is not
// a token of the file gets a hidden token, so that a character never becomes the token of the other place. The merges that make units
// come before all others: after them, the text is the reference's initial state. As in character-bpe.ts, hidden tokens take part in
// no other merge, and those that remain are unknown.

import type { CompilerMerges } from '../compile/compiler.js';
import { joinTokens, type TokenTable } from '../open/token-table.js';
import { characterMerges } from './character-bpe.js';
import { WORD_END } from '../decode/word-end.js';
import type { PlacedText } from './word-marks.js';

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
    const own = encoded(character);
    if (own.length === 1) ofByte[own[0] as number] = id;
  }
  for (let byte = 0; byte < 256; byte++) if (ofByte[byte] === -1) ofByte[byte] = tokens.push(Uint8Array.of(byte)) - 1;
  const innerIds = Array.from(characters, (character) => {
    const own = encoded(character);
    return own.length === 1 ? (ofByte[own[0] as number] as number) : (inner.get(character) ?? tokens.push(own) - 1);
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
