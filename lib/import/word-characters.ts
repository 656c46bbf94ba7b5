// BPE over characters or bytes whose tokens have a place in a word (word-places.ts), for an engine that merges bytes.
//
// A word is merged with the byte 0xFE before it, if the file has a continuing-subword prefix, and with 0xFF after it, if it has
// an end-of-word suffix. So a character c has four units: c, FE c, c FF, and FE c FF for a word of one character. A unit that is
// not a token of the file gets a hidden token, so that a character never becomes the token of another place in a word. The merges
// that make units come before all others, c FF before FE c: after them, the text is the reference's initial state. As in
// character-bpe.ts, hidden tokens take part in no other merge, and those that remain are unknown.

import type { CompilerMerges } from '../compile/compiler.js';
import { joinTokens, type TokenTable } from '../open/token-table.js';
import { characterMerges } from './character-bpe.js';
import { type PlacedText, WORD_BEGIN, WORD_END, type WordMarks } from './word-marks.js';

export interface WordVocabulary {
  /** By id; undefined for an id without a token in the model. */
  tokens: readonly (PlacedText | undefined)[];
  /** Ids of tokens that no text produces but as a whole piece. */
  unplaced: Iterable<number>;
  marks: WordMarks;
  /** Pairs of ids in the order of merging. */
  merges: Uint32Array;
  /** For units without a token at their place; undefined if every unit has one. */
  unknownId: number | undefined;
  fusesUnknown: boolean;
  /** Whether a piece that equals a token (without the suffix) becomes it, even if merging does not produce it. */
  whole: boolean;
  /** Greater than every id, also of added tokens. */
  limit: number;
  /** For BPE over bytes: all bytes but those around words, as the file writes them, and how to read them. Default: characters, as
     UTF-8. */
  bytes?: { all: readonly string[]; of(text: string): Uint8Array | undefined };
}

const NOTHING = new Uint8Array(0);

/** Tokens and merges as the engine compiles them. */
export function withWordTokens(vocabulary: WordVocabulary): TokenTable & { merges: CompilerMerges } {
  const { marks, unknownId, fusesUnknown, whole, limit, bytes } = vocabulary;
  const [hasBegin, hasEnd] = [marks.prefix !== '', marks.suffix !== ''];
  const encoder = new TextEncoder();
  const encoded = (text: string) => bytes?.of(text) ?? encoder.encode(text);
  const bytesOf = (text: string, begins: boolean, ends: boolean) => {
    const own = encoded(text);
    const at = Number(begins && hasBegin);
    const all = new Uint8Array(at + own.length + Number(ends));
    if (ends) all[at + own.length] = WORD_END;
    if (at > 0) all[0] = WORD_BEGIN;
    all.set(own, at);
    return all;
  };
  const tokens: Uint8Array[] = Array.from({ length: limit }, () => NOTHING);
  const unmatched = new Set(whole ? [] : vocabulary.unplaced);
  // The units of characters that are tokens: [begins][ends].
  const units = [false, true].map(() => [false, true].map(() => new Map<string, number>()));
  const unitsOf = (begins: boolean, ends: boolean) => units[Number(begins && hasBegin)]?.[Number(ends)] as Map<string, number>;
  vocabulary.tokens.forEach((token, id) => {
    if (!token) return;
    const { text, begins, ends } = token;
    if (text === '') {
      unmatched.add(id);
      return;
    }
    tokens[id] = bytesOf(text, begins, ends);
    if (!unmatched.has(id) && text.length <= 2 && [...text].length === 1) unitsOf(begins, ends).set(text, id);
  });
  const characters = new Set(bytes?.all ?? units.flatMap((each) => each.flatMap((ids) => [...ids.keys()])));
  const inner = unitsOf(false, false);
  const ofByte = new Int32Array(256).fill(-1);
  for (const [character, id] of inner) {
    const own = encoded(character);
    if (own.length === 1) ofByte[own[0] as number] = id;
  }
  for (let byte = 0; byte < 256; byte++) if (ofByte[byte] === -1) ofByte[byte] = tokens.push(Uint8Array.of(byte)) - 1;
  const idOf = (character: string, begins: boolean, ends: boolean) =>
    unitsOf(begins, ends).get(character) ?? tokens.push(bytesOf(character, begins, ends)) - 1;
  const innerIds = new Map(
    Array.from(characters, (character) => {
      const own = encoded(character);
      return [character, own.length === 1 ? (ofByte[own[0] as number] as number) : idOf(character, false, false)];
    }),
  );
  const completing = characterMerges(tokens, innerIds.values(), unmatched, ofByte);
  const [begin, end] = [ofByte[WORD_BEGIN] as number, ofByte[WORD_END] as number];
  const [ending, beginning]: [number[], number[]] = [[], []];
  for (const [character, innerId] of innerIds) {
    if (hasEnd) {
      const ended = idOf(character, false, true);
      ending.push(innerId, end);
      if (hasBegin) {
        idOf(character, true, true);
        beginning.push(begin, ended);
      }
    }
    if (hasBegin) {
      idOf(character, true, false);
      beginning.push(begin, innerId);
    }
  }
  const pairs = Uint32Array.from([...completing, ...ending, ...beginning, ...vocabulary.merges]);
  let from = limit;
  if (tokens.length === limit) while (from > 1 && tokens[from - 1] === NOTHING && !unmatched.has(from - 1)) from--;
  const hidden = {
    from,
    unknownId,
    fusesUnknown,
    beginsWords: hasBegin,
    endsWords: hasEnd,
    wholeText: whole && hasEnd,
    onlyBytes: bytes !== undefined && unknownId !== undefined,
  };
  return { ...joinTokens(tokens), merges: { pairs, unmatched: Uint32Array.from(unmatched).sort(), whole, hidden } };
}
