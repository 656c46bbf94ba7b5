// How much of their work tests do: all of it, or the share that CRAYON_TEST_SHARE says, which `npm test` sets for each
// tier. Only the number of random cases shrinks; native/share.h does the same for the tests in C++.

const wanted = Number(process.env.CRAYON_TEST_SHARE ?? 1);

/** Above 0, at most 1. */
export const SHARE = wanted > 0 && wanted < 1 ? wanted : 1;

/** Whether the addon runs under sanitizers, which keep memory on purpose and take several times as long. */
export const SANITIZED = process.env.CRAYON_SANITIZED !== undefined;

/** How many of `cases` random cases are run, the first ones: at least `fewest`, where it takes so many to have each kind. */
export function sample(cases: number, fewest = 1): number {
  return Math.max(fewest, Math.round(cases * SHARE));
}
