// The merges of ranks, for a vocabulary in which merging makes a token of ones with higher ranks, as that of Llama 3 does.
//
// Ranks say that the adjacent parts are merged whose bytes together have the lowest rank, the leftmost of equals. Wherever
// that makes a token, the last merge is the one by which it is made of its own bytes alone (native/src/compile/merge_order.h
// has the proof). So one pair for each token, in the order of ranks, merges every text in the same way; a token that its own
// bytes do not make is made nowhere, and is there for whole pieces alone.

import { partsOfLastMerge } from '../import/last-merge.js';
import type { TokenTable } from '../open/token-table.js';
import type { CompilerMerges } from './compiler.js';

/** In bytes. */
const LONGEST = 1024;
/** Merging a token takes time with the square of its length: so much for each byte of all tokens, and some for a few long ones. */
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

/** A character for each byte. */
function textOf(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at++) text += String.fromCharCode(bytes[at] as number);
  return text;
}
