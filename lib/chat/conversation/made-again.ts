// Lists that are made of other lists, element by element, for lists that change little.

export interface MadeOf<From, Made> {
  readonly from: readonly From[];
  readonly made: readonly Made[];
}

export const NOTHING_MADE: MadeOf<never, never> = { from: [], made: [] };

/** The same for another list. What was made of an element that is still in its place stays, without a look at the element. */
export function madeAgain<From, Made>(
  before: MadeOf<From, Made>,
  from: readonly From[],
  make: (element: From, index: number) => Made,
): MadeOf<From, Made> {
  const made = before.made.slice(0, from.length);
  for (let i = 0; i < from.length; i++) if (from[i] !== before.from[i]) made[i] = make(from[i] as From, i);
  return { from, made };
}
