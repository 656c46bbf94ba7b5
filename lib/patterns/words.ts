// The characters of words, \w of the patterns of Hugging Face tokenizers: those of Unicode 16.0, and the two that join others.

import { codePoints, union } from './code-points.js';
import { property } from './properties.js';

const JOINERS = codePoints([0x200c, 0x200d]);

/** First and last code point of each range, ascending. */
export function wordRanges(): Uint32Array {
  return Uint32Array.from(union(property('word')!, JOINERS).flat());
}
