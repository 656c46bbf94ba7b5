// Patterns as programs for the engine's backtracking matcher (native/include/crayon/layout/regex.h).

import { PatternError } from './pattern-error.js';

/**
 * The program of a pattern in the syntax of the reference (Oniguruma, with the syntax of Ruby), as words that the engine runs.
 * Throws PatternError, with the position in the pattern, for what the reference refuses.
 */
export function compileRegex(pattern: string): Uint32Array {
  throw new PatternError(`not yet: ${pattern}`);
}
