// The classes of characters by which grapheme clusters end (\X, \y and \Y).

import { NONE, type CodePoints } from './code-points.js';

/** In the order of RegexGraphemes in native/include/crayon/layout/regex.h. */
export function graphemeSets(): CodePoints[] {
  return Array.from({ length: 14 }, () => NONE);
}
