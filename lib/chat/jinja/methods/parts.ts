// Counts the parts of a long text before any are created.

import { LONGEST_LIST } from '../budget.js';
import { isSpace } from '../unicode/characters.js';
import type { Value } from '../values/object.js';
import { Str } from '../values/str.js';

/**
 * Splits at a separator, or at white space if that is not a text; at most `most` cuts. Stops counting beyond the length
 * limit of lists.
 */
export function countParts(text: string, separator: Value | undefined, most: number): number {
  const by = separator instanceof Str ? separator.text : '';
  const last = Math.min(most, LONGEST_LIST);
  let cuts = 0;
  if (by !== '') {
    for (let at = text.indexOf(by); at >= 0 && cuts < last; at = text.indexOf(by, at + by.length)) cuts++;
    return cuts + 1;
  }
  for (let at = 0, isInside = false; at < text.length && cuts <= last; at++) {
    const isSeparator = isSpace(text.charCodeAt(at));
    if (isInside === isSeparator) isInside = !isSeparator;
    else continue;
    if (isInside) cuts++;
  }
  return cuts;
}

/** Splits at line ends, ignoring non-ASCII ones. */
export function countLines(text: string): number {
  let lines = 0;
  for (let at = 0; at < text.length && lines <= LONGEST_LIST; at++) {
    const code = text.charCodeAt(at);
    if (code <= 0x1e && (code >= 0x1c || (code >= 10 && code <= 13)) && !(code === 10 && text.charCodeAt(at - 1) === 13)) lines++;
  }
  return lines;
}
