// Why a pattern cannot be compiled.

/** Of a pattern that fills the stack. */
export const NESTED = 'a pattern that is nested too deeply';

export const MATCHES_NOTHING = 'a pattern that matches nothing';

/** A pattern with a construct that has no automaton, or that is not valid. */
export class PatternError extends Error {
  override readonly name = 'PatternError';

  /**
   * @param what What is not supported, or wrong.
   * @param position Where it is in the pattern, in UTF-16 units; undefined: all of it, or several.
   */
  constructor(
    readonly what: string,
    readonly position?: number,
  ) {
    super(position === undefined ? what : `${what}, at position ${position} of the pattern`);
  }
}
