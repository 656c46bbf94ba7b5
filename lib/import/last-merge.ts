// How merging makes a token of its own text alone: adjacent parts that are a token together merge, those of the lowest rank first.

/**
 * Where the two parts meet that are left of a token before its last merge; 0 if there are more. `cuts`: where the parts are that
 * merging begins with, from 0 on, which are changed. Merges of `below` and later ranks are not done.
 */
export function partsOfLastMerge(text: string, cuts: number[], ranks: ReadonlyMap<string, number>, below = Infinity): number {
  // rankAt[i]: of the parts i and i + 1 together.
  const rankOf = (part: number) => {
    const end = cuts[part + 2];
    return end === undefined ? Infinity : (ranks.get(text.slice(cuts[part], end)) ?? Infinity);
  };
  const rankAt = Array.from({ length: cuts.length - 2 }, (_, part) => rankOf(part));
  while (cuts.length > 3) {
    let best = 0;
    for (let part = 1; part < rankAt.length; part++) if ((rankAt[part] as number) < (rankAt[best] as number)) best = part;
    if ((rankAt[best] as number) >= below) return 0;
    cuts.splice(best + 1, 1);
    rankAt.splice(best, 1);
    if (best > 0) rankAt[best - 1] = rankOf(best - 1);
    if (best < rankAt.length) rankAt[best] = rankOf(best);
  }
  return cuts[1] as number;
}
