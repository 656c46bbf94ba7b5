// How merging produces a token from its own text alone: adjacent parts that form a token merge, lowest rank first.

/**
 * The boundary of the two parts that remain before a token's last merge; 0 if more than two remain. `cuts`: the boundaries of the
 * initial parts, from 0 on; the function changes them. Merges of rank `below` and later are not done.
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
