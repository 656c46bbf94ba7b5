// Where the ids of a sequence are in it. DnaTokenizer gives no offsets, so the tokenizer is asked about parts: how many ids a letter has
// (none, if it is white space), whether a run of unknown letters is one id, and the text of a k-mer. What these answers do not account
// for to the last id is an error: a wrong place is worse than none.

import type { DnaTokenizer } from 'crayon-tokenizer/dna';

export type Asked = Pick<DnaTokenizer, 'encode' | 'decode' | 'unit' | 'unknownId'>;

/** Start and end of each id in UTF-16 units. Linear: each letter and k-mer is asked about once, each unknown run once. */
export function dnaOffsets(tokenizer: Asked, sequence: string, ids: Uint32Array): Uint32Array<ArrayBuffer> {
  const alone = (text: string) => Array.from(tokenizer.encode(text, { addSpecialTokens: false }), Number);
  const idsOf = remembered(alone);
  const lengthOf = remembered((id: number) => tokenizer.decode([id]).length);
  const offsets = new Uint32Array(2 * ids.length);
  const letterAt = (at: number) => String.fromCodePoint(sequence.codePointAt(at) as number);
  const isUnknown = (letter: string) => idsOf(letter).join() === String(tokenizer.unknownId);
  let id = 0;
  const place = (start: number, end: number, count: number) => {
    for (const last = id + count; id < last && id < ids.length; id++) offsets.set([start, end], 2 * id);
  };
  let at = 0;
  while (at < sequence.length) {
    const letter = letterAt(at);
    const own = idsOf(letter);
    let end = at + letter.length;
    if (tokenizer.unit !== 'kmer' || own.length === 0) {
      place(at, end, own.length);
    } else if (isUnknown(letter)) {
      let letters = 1;
      for (; end < sequence.length && isUnknown(letterAt(end)); letters++) end += letterAt(end).length;
      if (letters > 1 && alone(sequence.slice(at, end)).length !== 1) end = at + letter.length;
      place(at, end, 1);
    } else if (id < ids.length) {
      end = at + lengthOf(ids[id] as number);
      place(at, end, 1);
    } else break;
    at = end;
  }
  if (at === sequence.length && id === ids.length) return offsets;
  throw new Error(`The places of the ${ids.length} ids are not known.`);
}

function remembered<K, V>(find: (key: K) => V): (key: K) => V {
  const known = new Map<K, V>();
  return (key) => {
    let value = known.get(key);
    if (value === undefined) known.set(key, (value = find(key)));
    return value;
  };
}
