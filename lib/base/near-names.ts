// Suggestions for a mistyped name.

/** Longer than any known name: searching longer ones is slow and finds nothing. */
const LONGEST_NAME = 100;

/**
 * At most three of `names`, nearest first: names within a few edits (two, or a third of a long name; one for a short name), and
 * names that contain it or are contained in it (unfinished, or with something added). Case does not matter.
 */
export function nearNames(name: string, names: Iterable<string>): string[] {
  if (name.length > LONGEST_NAME) return [];
  const given = name.toLowerCase();
  const limit = given.length < 4 ? Math.min(1, given.length - 1) : Math.max(2, Math.floor(given.length / 3));
  return [...names]
    .map((candidate) => ({ candidate, known: candidate.toLowerCase() }))
    .map(({ candidate, known }) => ({ candidate, known, edits: editDistance(given, known) }))
    .filter(({ known, edits }) => edits <= limit || contains(known, given) || contains(given, known))
    .sort((a, b) => a.edits - b.edits)
    .slice(0, 3)
    .map(({ candidate }) => candidate);
}

/** Whether a name contains a meaningful part: `o1` and `ada` occur in many words. */
function contains(name: string, part: string): boolean {
  return part.length > 3 && name.includes(part);
}

/** Levenshtein distance: insertions, deletions and replacements. */
export function editDistance(a: string, b: string): number {
  let above = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (above[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(replaced, (above[j] as number) + 1, (row[j - 1] as number) + 1));
    }
    above = row;
  }
  return above[b.length] as number;
}
