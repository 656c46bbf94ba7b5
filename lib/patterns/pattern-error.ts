// Why a pattern cannot be compiled.

/** For a pattern that overflows the stack. */
export const NESTED = 'a pattern that is nested too deeply';

export const MATCHES_NOTHING = 'a pattern that matches nothing';

/** A pattern with a construct that has no automaton, or an invalid pattern. */
export class PatternError extends Error {
  override readonly name = 'PatternError';

  /**
   * @param what What is unsupported or wrong.
   * @param position The position in the pattern, in UTF-16 units; undefined for the whole pattern, or several
   * positions.
   */
  constructor(
    readonly what: string,
    readonly position?: number,
  ) {
    super(position === undefined ? what : `${what}, at position ${position} of the pattern`);
  }
}
