// Word characters, \w in the patterns of Hugging Face tokenizers: Unicode 16.0's, plus the two joiners.

import { codePoints, union } from './code-points.js';
import { property } from './properties.js';

const JOINERS = codePoints([0x200c, 0x200d]);

/** First and last code point of each range, ascending. */
export function wordRanges(): Uint32Array {
  return Uint32Array.from(union(property('word')!, JOINERS).flat());
}
