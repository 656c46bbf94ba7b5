// Derives merges from ranks, for vocabularies in which a token can merge from tokens with higher ranks, like Llama 3's.
//
// With ranks, the adjacent parts whose joined bytes have the lowest rank are merged, the leftmost on a tie. Whenever this
// produces a token, the last merge is the one that produces it from its own bytes alone (native/src/compile/merge_order.h
// has the proof). So one pair per token, in the order of ranks, merges every text identically. A token that its own bytes do
// not produce is never produced by merging, and only serves as a whole piece.

import { partsOfLastMerge } from './last-merge.js';
import type { TokenTable } from '../open/token-table.js';
import type { CompilerMerges } from './compiler.js';

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
