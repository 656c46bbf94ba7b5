// How much of their work tests do: all of it, or the share set by CRAYON_TEST_SHARE, which `npm test` sets for each tier.
// Only the number of random cases shrinks; native/share.h does the same for the C++ tests.

const wanted = Number(process.env.CRAYON_TEST_SHARE ?? 1);

/** Above 0, at most 1. */
export const SHARE = wanted > 0 && wanted < 1 ? wanted : 1;

/** Whether the addon runs under sanitizers, which retain memory on purpose and are several times slower. */
export const SANITIZED = process.env.CRAYON_SANITIZED !== undefined;

/**
 * Of published files or forms that a test treats alike: all, or those that `isKept` names if only a share of the work is done. Large
 * files take seconds to read, so that tests divide these among each other.
 */
export function some<T>(all: readonly T[], isKept: (item: T, index: number) => boolean): T[] {
  return all.filter((item, index) => SHARE === 1 || isKept(item, index));
}

/** How many of `cases` random cases to run, from the first: at least `fewest`, if covering each kind takes that many. */
export function sample(cases: number, fewest = 1): number {
  return Math.max(fewest, Math.round(cases * SHARE));
}
