// Derives merges from ranks, for vocabularies in which a token can merge from tokens with higher ranks, like Llama 3's.
//
// With ranks, the adjacent parts whose joined bytes have the lowest rank are merged, the leftmost on a tie. Whenever this
// produces a token, the last merge is the one that produces it from its own bytes alone (native/src/compile/merge_order.h
// has the proof). So one pair per token, in the order of ranks, merges every text identically. A token that its own bytes do
// not produce is never produced by merging, and only serves as a whole piece.

import type { TokenTable } from '../../base/token-table.js';
import type { CompilerMerges } from '../../engine/compiler.js';
import { base64Bytes } from '../../base/text-encodings.js';
import { outOfRange } from '../../base/errors.js';

/** In bytes. */
const LONGEST = 1024;
/** Merging a token takes time quadratic in its length: the allowance per byte of all tokens, and an extra for a few long ones. */
const STEPS_OF_BYTE = 128;
const MORE_STEPS = 1 << 25;

/** Ids are ranks. Undefined if a token is too long, or too many are long. */
export function mergesOfRanks({ bytes, offsets }: TokenTable): CompilerMerges | undefined {
  const texts = Array.from({ length: offsets.length - 1 }, (_, id) => textOf(bytes.subarray(offsets[id], offsets[id + 1])));
  const steps = texts.reduce((sum, { length }) => sum + length * length, 0);
  if (steps > STEPS_OF_BYTE * bytes.length + MORE_STEPS || texts.some(({ length }) => length > LONGEST)) return undefined;
  const ranks = new Map<string, number>();
  texts.forEach((text, id) => text !== '' && ranks.set(text, id));
  const pairs: number[] = [];
  texts.forEach((text, id) => {
    if (text.length < 2) return;
    const cut = partsOfLastMerge(text, [...Array(text.length + 1).keys()], ranks, id);
    if (cut > 0) pairs.push(ranks.get(text.slice(0, cut)) as number, ranks.get(text.slice(cut)) as number);
  });
  return { pairs: Uint32Array.from(pairs), unmatched: new Uint32Array(), whole: true };
}

/** One character per byte. */
function textOf(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at++) text += String.fromCharCode(bytes[at] as number);
  return text;
}

// How merging produces a token from its own text alone: adjacent parts that form a token merge, lowest rank first.

/**
 * The boundary of the two parts that remain before a token's last merge; 0 if more than two remain. `cuts`: the boundaries of the
 * initial parts, from 0 on; the function changes them. Merges of rank `below` and later are not done.
 */
export function partsOfLastMerge(text: string, cuts: number[], ranks: ReadonlyMap<string, number>, below = Infinity): number {
  // rankAt[i]: of the parts i and i + 1 together.
  const rankOf = (part: number) => {
    const end = cuts[part + 2];
    return end === undefined ? Infinity : (ranks.get(text.slice(cuts[part], end)) ?? Infinity);
  };
  const rankAt = Array.from({ length: cuts.length - 2 }, (_, part) => rankOf(part));
  while (cuts.length > 3) {
    let best = 0;
    for (let part = 1; part < rankAt.length; part++) if ((rankAt[part] as number) < (rankAt[best] as number)) best = part;
    if ((rankAt[best] as number) >= below) return 0;
    cuts.splice(best + 1, 1);
    rankAt.splice(best, 1);
    if (best > 0) rankAt[best - 1] = rankOf(best - 1);
    if (best < rankAt.length) rankAt[best] = rankOf(best);
  }
  return cuts[1] as number;
}

// Rank files in tiktoken's formats: lines of `base64 rank`, or lines of `! first base64 base64 …`, whose tokens have
// consecutive ranks from `first`. A leading byte order mark is skipped.

/** More than any vocabulary has: a wrong rank must not create a table of gigabytes. */
const MOST_RANKS = 1 << 24;

/** Token i has the id and rank i; ranks without a line are missing. `name`: the text's, for errors. */
export function readRankLines(text: string, name: string): (Uint8Array | undefined)[] {
  const tokens: (Uint8Array | undefined)[] = [];
  // Files are read as latin1, in which the mark is three characters.
  text
    .replace(/^(?:\ufeff|\xef\xbb\xbf)/, '')
    .split(/\r?\n/)
    .forEach((line, index) => {
      if (line === '') return;
      const words = line.split(' ');
      const compressed = words[0] === '!';
      const first = /^\d+$/.test(words[1] ?? '') ? Number(words[1]) : MOST_RANKS;
      if (first >= MOST_RANKS || (!compressed && words.length !== 2)) {
        throw outOfRange("lines of 'base64 rank' or '! rank base64 …'", `line ${index + 1} of ${name}`, line);
      }
      const encoded = compressed ? words.slice(2) : words.slice(0, 1);
      encoded.forEach((word, at) => {
        const bytes = base64Bytes(word);
        if (bytes === undefined || word === '') throw outOfRange('base64', `a token in line ${index + 1} of ${name}`, word);
        if (tokens[first + at]) throw outOfRange('each rank once', `line ${index + 1} of ${name}`, line);
        tokens[first + at] = bytes;
      });
    });
  return tokens;
}
