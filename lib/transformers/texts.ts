// The texts of a call: one or a list, each alone or with a second one.

import { unexpected } from '../base/errors.js';

/** A text or a list of them, with as many in `pair`, if any. As in Python, an empty second text of a single one is none. */
export function checkedTexts(text: unknown, pair: unknown): { texts: readonly string[]; pairs: readonly string[] | undefined } {
  if (typeof text === 'string') {
    if (pair !== undefined && typeof pair !== 'string') throw unexpected('a string, as text is one,', 'text_pair', pair);
    return { texts: [text], pairs: pair ? [pair] : undefined };
  }
  if (!Array.isArray(text)) throw unexpected('a string or an array of strings', 'text', text);
  if (text.length === 0) throw new RangeError('expected at least one text');
  checkStrings(text, 'text');
  if (pair === undefined) return { texts: text, pairs: undefined };
  if (!Array.isArray(pair)) throw unexpected('an array, as text is one,', 'text_pair', pair);
  if (pair.length !== text.length)
    throw new RangeError(`expected ${text.length} texts in text_pair, as in text, but received ${pair.length}`);
  checkStrings(pair, 'text_pair');
  return { texts: text, pairs: pair };
}

function checkStrings(list: readonly unknown[], name: string): void {
  const index = list.findIndex((each) => typeof each !== 'string');
  if (index >= 0) throw unexpected('a string', `${name}[${index}]`, list[index]);
}
