// Shrinks a failing template: removes parts as long as it still fails.

/**
 * Fewer parts that still fail: no single part can be removed, and no two tags. `failing` tells which of many candidates
 * fail.
 */
export async function shrunk(
  parts: readonly string[],
  failing: (candidates: readonly (readonly string[])[]) => Promise<boolean[]>,
): Promise<readonly string[]> {
  let best = parts;
  for (let size = Math.ceil(parts.length / 2); size >= 0; ) {
    const candidates = size > 0 ? withoutRuns(best, size) : withoutPairs(best);
    const smaller = candidates[(await failing(candidates)).indexOf(true)];
    if (smaller) best = smaller;
    else if (size === 0) break;
    else size = Math.floor(size / 2);
  }
  return best;
}

function withoutRuns(parts: readonly string[], size: number): string[][] {
  const starts = Array.from({ length: Math.ceil(parts.length / size) }, (_, index) => index * size);
  return starts.map((from) => parts.toSpliced(from, size));
}

/** Without a statement's matching beginning and end. */
function withoutPairs(parts: readonly string[]): string[][] {
  const tags = Array.from(parts.keys()).filter((index) => parts[index]!.startsWith('{%'));
  return tags.flatMap((first, index) => tags.slice(index + 1).map((last) => parts.filter((_, at) => at !== first && at !== last)));
}
